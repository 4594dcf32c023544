# SPDX-License-Identifier: Apache-2.0 OR MIT
# Sourced by the test scripts. need COMMAND PACKAGE: installs a Debian package whose command is missing, as root; else says what is missing.
need() {
  command -v "$1" >/dev/null && return
  echo "== installing the Debian package $2"
  [ "$(id -u)" = 0 ] || { echo "$1 is missing; run as root:  apt-get install $2" >&2; return 1; }
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}
