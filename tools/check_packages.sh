#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Builds the Debian packages without a network or a home, twice in different folders, looks at them with lintian, installs them into a fresh
# Debian of the same release, and runs debian/tests there. Needs root. Options: --quick builds once; --keep FOLDER leaves the packages there.
# The last line has the counts; the exit status is 0 only when something was tried and nothing failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
quick=0 keep=
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 ;;
    --keep) keep=$(mkdir -p "$2" && cd "$2" && pwd); shift ;;
    *) echo "usage: check_packages.sh [--quick] [--keep FOLDER]" >&2; exit 2 ;;
  esac
  shift
done
passed=0 failed=0 skipped=0
work=$(mktemp -d)
finish() {
  local status=$?
  [ $status = 0 ] || [ $failed -gt 0 ] || failed=1
  rm -rf "$work"
  echo "packages: $passed passed, $failed failed, $skipped skipped"
  [ $failed = 0 ] && [ $passed -gt 0 ] || exit 1
}
trap finish EXIT
step() { printf '\n== %s (%s, %d s)\n' "$*" "$(date +%H:%M:%S)" $SECONDS; }
# try NAME COMMAND...: counts it, and shows what it printed where it fails.
try() {
  local name=$1 log=$work/log
  shift
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1)) && echo "ok: $name"
  else
    failed=$((failed + 1)) && tail -n 80 "$log" && echo "FAILED: $name"
    return 1
  fi
}
skip() { skipped=$((skipped + 1)) && echo "SKIPPED: $*"; }

copy_tree() { # FOLDER
  mkdir -p "$1"
  git -C "$root" ls-files -z --cached --others --exclude-standard |
    tar -C "$root" --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -C "$1" -xf -
}

# build FOLDER [NAME=VALUE...]: with nothing of this environment but these, and no network.
build() {
  local folder=$1
  shift
  (cd "$folder" && unshare --net env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent LC_ALL=C.UTF-8 \
    DEB_BUILD_OPTIONS="parallel=$(nproc)" "$@" dpkg-buildpackage -us -uc -b)
}

sums() { (cd "$1" && sha256sum ./*.deb); }
same_bytes() { diff <(sums "$work/one") <(sums "$work/another/folder"); }

# in_fresh "[UNSHARE OPTIONS]" COMMAND...: in the fresh system, with processes of its own.
in_fresh() {
  local options=$1
  shift
  # shellcheck disable=SC2086 # a list of words
  unshare --mount --pid --fork --mount-proc="$fresh/proc" $options chroot "$fresh" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

make_fresh() {
  # shellcheck source=/dev/null
  (. /etc/os-release && debootstrap --variant=minbase "$VERSION_CODENAME" "$fresh")
}

# The packages, and what their tests need besides.
install_fresh() {
  local wanted
  mkdir -p "$fresh/packages"
  cp "$work"/one/*.deb "$fresh/packages/"
  rm -f "$fresh"/packages/*-dbgsym_*.deb
  copy_tree "$fresh/source"
  wanted=$(sed -n 's/^Depends: //p' "$root/debian/tests/control" | tr ',' '\n' | tr -d ' ' | sort -u |
    grep -vxF "$(our_packages)")
  in_fresh "" apt-get update
  # shellcheck disable=SC2086 # a list of words
  in_fresh "" sh -c 'apt-get install -y --no-install-recommends /packages/*.deb "$@"' sh $wanted
}
our_packages() { sed -n 's/^Package: //p' "$root/debian/control"; }

nothing_left() {
  # shellcheck disable=SC2046 # a list of words
  in_fresh --net dpkg --purge $(our_packages)
  ! find "$fresh/usr" "$fresh/etc" "$fresh/var/lib" -path '*/dpkg/*' -prune -o -name '*nxs*' -print | grep .
}

step "tools and build dependencies"
need() { for tool in dpkg-buildpackage dh lintian debootstrap abidiff; do command -v $tool || return 1; done; }
if ! need >/dev/null || ! (cd "$root" && dpkg-checkbuilddeps 2>/dev/null); then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends dpkg-dev debhelper lintian debootstrap abigail-tools >/dev/null
  apt-get build-dep -y -qq --no-install-recommends "$root" >/dev/null
fi

step "building"
copy_tree "$work/one/nxs"
try "the packages build, and their tests pass" build "$work/one/nxs" ${CCACHE_DIR:+CCACHE_DIR="$CCACHE_DIR"}
grep -E '^(Ok|Fail|Skipped|Timeout):' "$work/log" || true
ls -l "$work"/one/*.deb
[ -z "$keep" ] || cp "$work"/one/*.deb "$work"/one/*.changes "$keep/"

step "interface"
try "the built library has the stored interface" python3 "$work/one/nxs/tests/abi/abi.py" library "$work/one/nxs" \
  "$work"/one/nxs/build-deb/lib/libnxs.so.*.*.* || true

step "lintian"
try "lintian has nothing to say" lintian --allow-root --display-info --fail-on error,warning,info "$work"/one/*.changes || true

if [ $quick = 0 ]; then
  step "building once more, elsewhere"
  copy_tree "$work/another/folder/of-nxs"
  if try "the second build" build "$work/another/folder/of-nxs" CCACHE_DISABLE=1 DEB_BUILD_OPTIONS="parallel=$(nproc) nocheck"; then
    try "both builds have the same bytes" same_bytes || true
  fi
fi

step "a fresh system"
fresh=$work/fresh
if ! make_fresh >"$work/log" 2>&1; then
  tail -n 5 "$work/log"
  skip "debootstrap made no fresh system here"
elif try "the packages install into a fresh system" install_fresh; then
  for test in $(sed -n 's/^Tests: //p' "$root/debian/tests/control"); do
    try "debian/tests/$test" in_fresh --net sh -c "cd /source && debian/tests/$test" || true
  done
  try "purging leaves nothing behind" nothing_left || true
fi
step "done"
