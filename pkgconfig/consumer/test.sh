#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh BUILD: installs that build into a DESTDIR as distributions do (prefix /usr, libdir lib64 and lib/x86_64-linux-gnu), and builds
# main.c through pkg-config from it, as C and as C++17, and runs it.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say() { echo "consumer: $*"; exit 1; }
version=$(sh "$here/../../tools/version.sh" version)
soversion=$(sh "$here/../../tools/version.sh" soversion)
library=libnxs.so.$soversion.${version#*.}

# What `meson install` would do with another libdir needs another configuration; its build is not needed for that: the files are there.
check_install() { # LIBDIR
  dest=$scratch/$1
  plan=$scratch/build-$(echo "$1" | tr / -)
  meson setup "$plan" "$here/../.." --prefix /usr --libdir "$1" -Dtests=false >"$scratch/log" 2>&1 || { cat "$scratch/log"; say "meson setup failed"; }
  mkdir -p "$plan/lib" "$plan/tools"
  cp "$build/lib/$library" "$plan/lib/"
  cp "$build/tools/nxs" "$plan/tools/"
  DESTDIR=$dest meson install -C "$plan" --no-rebuild >"$scratch/log" 2>&1 || { cat "$scratch/log"; say "meson install failed"; }

  lib=$dest/usr/$1
  for file in "$dest/usr/include/nxs.h" "$lib/$library" "$lib/libnxs.so" "$lib/pkgconfig/nxs.pc" "$dest/usr/bin/nxs"; do
    [ -f "$file" ] || say "$file is not installed"
  done
  readelf -d "$lib/$library" | grep -q "SONAME.*\[libnxs.so.$soversion\]" || say "the soname is not libnxs.so.$soversion"
  [ "$(readlink "$lib/libnxs.so.$soversion")" = "$library" ] || say "libnxs.so.$soversion is no link to $library"

  export PKG_CONFIG_SYSROOT_DIR="$dest" PKG_CONFIG_PATH="$lib/pkgconfig"
  [ "$(pkg-config --modversion nxs)" = "$version" ] || say "nxs.pc names another version than nxs.h"
  flags=$(pkg-config --cflags --libs nxs)
  # shellcheck disable=SC2086 -- flags is a list of words
  {
    ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror "$here/main.c" -o "$scratch/c" $flags
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror -x c++ "$here/main.c" -x none -o "$scratch/cxx" $flags
  }
  for program in "$scratch/c" "$scratch/cxx"; do
    said=$(LD_LIBRARY_PATH="$lib" "$program") || say "$program failed"
    [ "$said" = "$version" ] || say "$program says '$said', not $version"
  done
  LD_LIBRARY_PATH="$lib" "$dest/usr/bin/nxs" --version | grep -q "$version" || say "the installed command does not run"
}

check_install lib64
check_install lib/x86_64-linux-gnu
echo "consumer: two installs, four programs"
