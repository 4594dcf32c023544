#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh BUILD MODEL: installs that build into a DESTDIR as distributions do (prefix /usr, libdir lib64 and lib/x86_64-linux-gnu), and
# builds through pkg-config from it: main.c as C and as C++17, with the static library as well, and the README's example, which runs MODEL.
set -eu
build=$(cd "$1" && pwd)
model=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say() { echo "consumer: $*"; exit 1; }
version=$(sh "$here/../../tools/version.sh" version)
soversion=$(sh "$here/../../tools/version.sh" soversion)
library=libnxs.so.$soversion.${version#*.}
strict="-Wall -Wextra -Wpedantic -Werror"

# What `meson install` would do with another libdir needs another configuration; its build is not needed for that: the files are there.
install_into() { # PREFIX LIBDIR KIND
  dest=$(mktemp -d "$scratch/dest-XXXXXX")
  plan=$(mktemp -d "$scratch/build-XXXXXX")
  meson setup "$plan" "$here/../.." --prefix "$1" --libdir "$2" -Dtests=false -Ddefault_library="$3" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; say "meson setup failed"; }
  mkdir -p "$plan/lib" "$plan/tools"
  cp "$build/lib/$library" "$build/lib/libnxs.a" "$plan/lib/"
  cp "$build/tools/nxs" "$plan/tools/"
  DESTDIR=$dest meson install -C "$plan" --no-rebuild >"$scratch/log" 2>&1 || { cat "$scratch/log"; say "meson install failed"; }
  lib=$dest$1/$2
  # A system root would go before the paths of other libraries as well, which lie outside of it.
  sed -i "s|^prefix=.*|prefix=$dest$1|" "$lib/pkgconfig/nxs.pc"
  PKG_CONFIG_PATH="$lib/pkgconfig"
  export PKG_CONFIG_PATH
}

# runs COMMAND...: it succeeds with the installed library and prints the version.
runs() {
  said=$(LD_LIBRARY_PATH="$lib" "$@") || say "$* failed"
  [ "$said" = "$version" ] || say "$* says '$said', not $version"
}

check_shared() {
  for file in "$dest/usr/include/nxs.h" "$lib/$library" "$lib/libnxs.so" "$lib/pkgconfig/nxs.pc" "$dest/usr/bin/nxs" \
    "$dest/usr/share/man/man1/nxs.1"; do
    [ -f "$file" ] || say "$file is not installed"
  done
  readelf -d "$lib/$library" | grep -q "SONAME.*\[libnxs.so.$soversion\]" || say "the soname is not libnxs.so.$soversion"
  [ "$(readlink "$lib/libnxs.so.$soversion")" = "$library" ] || say "libnxs.so.$soversion is no link to $library"
  [ "$(pkg-config --modversion nxs)" = "$version" ] || say "nxs.pc names another version than nxs.h"

  flags=$(pkg-config --cflags --libs nxs)
  sed -n '/^```c$/,/^```$/{//!p}' "$here/../../README.md" >"$scratch/example.c"
  # shellcheck disable=SC2086 # lists of words
  {
    ${CC:-cc} -std=c99 $strict "$here/main.c" -o "$scratch/c" $flags
    ${CXX:-c++} -std=c++17 $strict -x c++ "$here/main.c" -x none -o "$scratch/cxx" $flags
    ${CC:-cc} -std=c99 $strict "$scratch/example.c" -o "$scratch/example" $flags
  }
  runs "$scratch/c"
  runs "$scratch/cxx"
  LD_LIBRARY_PATH="$lib" "$scratch/example" "$model" | grep -q '^1:[0-9a-f]\{32\}$' || say "the README's example gives no receipt"
  LD_LIBRARY_PATH="$lib" "$dest/usr/bin/nxs" --version | grep -q "$version" || say "the installed command does not run"
  ! readelf -d "$dest/usr/bin/nxs" | grep -q 'R.*PATH' || say "the command of a distribution has a path to its library"
}

# Below another prefix the command finds its library without help, wherever the whole is moved to.
check_private() {
  mv "$dest/opt/nxs" "$scratch/moved"
  "$scratch/moved/bin/nxs" --version | grep -q "$version" || say "the command does not find its library beside itself"
}

# The archive alone, and with nothing shared at all.
check_static() {
  others=$(nm -g --defined-only "$lib/libnxs.a" | awk 'NF == 3 && $3 !~ /^nxs_/ { print $3 }')
  [ -z "$others" ] || say "libnxs.a shows more than the API: $others"
  [ "$(nm -g --defined-only "$lib/libnxs.a" | grep -c ' T nxs_')" = "$(grep -c '^ *nxs_.*;' "$here/../../lib/capi/nxs.map")" ] ||
    say "libnxs.a lacks functions"
  flags=$(pkg-config --static --cflags --libs nxs)
  # shellcheck disable=SC2086 # lists of words
  {
    ${CC:-cc} -std=c99 $strict "$here/main.c" -o "$scratch/part" $(echo "$flags" | sed 's/-lnxs/-l:libnxs.a/')
    ${CC:-cc} -std=c99 $strict -static "$scratch/example.c" -o "$scratch/whole" $flags
  }
  runs "$scratch/part"
  readelf -d "$scratch/part" | grep -q libnxs && say "a program of libnxs.a needs libnxs.so"
  "$scratch/whole" "$model" | grep -q '^1:[0-9a-f]\{32\}$' || say "the README's example, linked statically, gives no receipt"
}

install_into /usr lib64 shared
[ ! -e "$lib/libnxs.a" ] || say "libnxs.a is installed though nobody asked for it"
! grep -q private "$lib/pkgconfig/nxs.pc" || say "nxs.pc makes users of the shared library need other files"
check_shared
install_into /usr lib/x86_64-linux-gnu both
check_shared
check_static
install_into /opt/nxs lib shared
check_private
echo "consumer: three installs, nine programs"
