#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: static_library.sh MAP OUTPUT AR OBJCOPY INPUT... -- COMPILER...: links objects and archives into one object, makes every symbol local that
# the version script MAP does not list as global, and puts the object into the archive OUTPUT.
set -eu
map=$1 output=$2 ar=$3 objcopy=$4
shift 4
inputs=
while [ "$1" != -- ]; do
  inputs="$inputs $1"
  shift
done
shift
object=$output.o
trap 'rm -f "$object" "$object.names"' EXIT
sed -n 's/^ *\(nxs_[a-z0-9_]*\);$/\1/p' "$map" >"$object.names"
# Groups are resolved here: a local symbol in a group that the program has as well would lose its section to the program's.
# shellcheck disable=SC2086 # a list of words without blanks
"$@" -r -nostdlib -Wl,--force-group-allocation -Wl,--whole-archive $inputs -Wl,--no-whole-archive -o "$object"
"$objcopy" --keep-global-symbols="$object.names" "$object"
rm -f "$output"
"$ar" rcsD "$output" "$object"
