#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: tidy.sh SOURCE BUILD [FILE...]: clang-tidy over lib and tools (or these files) with the compile commands of a build. Slow: run it with
# `meson test --suite tidy`.
set -eu
source=$1
build=$2
shift 2
if ! command -v clang-tidy > /dev/null; then
  echo "tidy: SKIPPED: clang-tidy is not installed"
  [ "${CI:-}" = true ] && exit 1
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# It must be able to complain at all.
printf 'int f(int a) {\n  if (a > 0)\n    ;\n  return a;\n}\n' > "$scratch/sample.cpp"
if clang-tidy --quiet --config-file="$source/.clang-tidy" "$scratch/sample.cpp" -- -std=c++20 > /dev/null 2>&1; then
  echo "tidy: the self-check failed: an empty if went through"
  exit 1
fi

# clang knows no GCC-only flags; they decide bits and never what is reported here.
mkdir "$scratch/build"
sed -e 's/-fno-gnu-unique//g' -e 's/-Wno-maybe-uninitialized//g' -e 's/-Wno-restrict//g' "$build/compile_commands.json" > "$scratch/build/compile_commands.json"
[ $# -gt 0 ] || set -- $(find "$source/lib" "$source/tools" -name '*.cpp' | sort)
echo "tidy: $# files"
# Each file by its nearest .clang-tidy. Lines on warnings in system headers, which it then leaves out, would hide what it found.
status=0
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$scratch/build" > "$scratch/log" 2>&1 || status=$?
grep -vE '^[0-9]+ warnings? (generated|treated as error)' "$scratch/log" || true
exit $status
