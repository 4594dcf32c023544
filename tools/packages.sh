#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Installs the Debian packages of a purpose, as root, when any is missing:
#   packages.sh build   what the library, the command and the quickstart need
#   packages.sh test    that, and what the tests and checks need
set -eu
build="g++ meson ninja-build pkg-config libxtensor-dev libpcre2-dev libutf8proc-dev libxxhash-dev nlohmann-json3-dev
  libcli11-dev python3 python3-pip unzip"
tests="doctest-dev libcmocka-dev clang-format clang-tidy binutils abigail-tools"
case "${1:-}" in
  build) wanted="$build" ;;
  test) wanted="$build $tests" ;;
  *) echo "usage: packages.sh build|test" >&2; exit 2 ;;
esac
missing=""
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "== installing Debian packages:$missing"
if [ "$(id -u)" -ne 0 ]; then
  echo "these packages are missing; run as root:  apt-get install$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # a list of words is meant
apt-get install -y -qq --no-install-recommends $missing >/dev/null
