# SPDX-License-Identifier: Apache-2.0 OR MIT
# What the bindings' test scripts share; sourced by them, with bash. After `use_prefix [PREFIX]` pkg-config and the loader find the
# library that is installed in PREFIX, or without one the build (BUILD, default build/) that is installed into a temporary folder for this.
# Sets and exports PKG_CONFIG_PATH, LD_LIBRARY_PATH, NXS_TINY_MODEL (a tiny model's file) and NXS_TEST_MODEL (the real one, where there is one).
# $scratch is a folder that goes at the end.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# quietly COMMAND...: runs it, and shows what it said when it fails.
quietly() {
  "$@" >"$scratch/quiet.log" 2>&1 || { cat "$scratch/quiet.log" >&2; return 1; }
}

has_tests() { grep -qs tests/support/write_tiny_model "$1/build.ninja"; }

# configure BUILD: a build of this tree with what the tests need; that of tools/quickstart.sh has no tests until then.
configure() {
  local again=
  has_tests "$1" && return
  [ ! -f "$1/build.ninja" ] || again=--reconfigure
  quietly meson setup $again "$1" "$root" -Dtests=true ||
    { echo "the tests of the bindings need what this installs: tools/packages.sh test" >&2; return 1; }
}

use_prefix() {
  local prefix=${1:-} build=${BUILD:-$root/build} pc
  if [ -z "$prefix" ]; then
    configure "$build"
    quietly meson install -C "$build" --destdir "$scratch/dest"
    pc=$(find "$scratch/dest" -name nxs.pc)
    prefix=$scratch/dest$(sed -n 's/^prefix=//p' "$pc")
    sed -i "s|^prefix=.*|prefix=$prefix|" "$pc"
  else
    pc=$(find "$prefix" -name nxs.pc | head -n 1)
    [ -n "$pc" ] || { echo "no nxs.pc below $prefix" >&2; return 1; }
  fi
  export PKG_CONFIG_PATH="$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
  export LD_LIBRARY_PATH="$(pkg-config --variable=libdir nxs)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  find_models built
  echo "libnxs $(pkg-config --modversion nxs) in $prefix, real model: ${NXS_TEST_MODEL:-none}"
}

# find_models [built]: finds, or writes, the models alone: for bindings that build the library themselves. `built`: only with what is built.
find_models() {
  local build=${BUILD:-$root/build} real=$root/models/SmolLM2-135M-Instruct.Q4_1.gguf
  if [ -z "${NXS_TINY_MODEL:-}" ] && { [ "${1:-}" != built ] || has_tests "$build"; }; then
    configure "$build"
    quietly ninja -C "$build" tests/support/write_tiny_model
    "$build/tests/support/write_tiny_model" "$scratch/tiny.gguf"
    export NXS_TINY_MODEL=$scratch/tiny.gguf
  fi
  if [ -z "${NXS_TEST_MODEL:-}" ] && [ -f "$real" ]; then
    export NXS_TEST_MODEL=$real
  fi
}

passed=0 failed=0 skipped=0

# step NAME COMMAND...: counts one test; its output is shown when it fails. 77 is a skip, and a failure in CI.
step() {
  local name=$1 status
  shift
  set +e # a function that is called in a condition would go on after a failure
  (set -e; "$@") >"$scratch/log" 2>&1
  status=$?
  set -e
  if [ $status = 0 ]; then
    passed=$((passed + 1))
    echo "ok   $name"
  elif [ $status = 77 ] && [ "${CI:-}" != true ]; then
    skipped=$((skipped + 1))
    echo "SKIPPED $name: $(tail -n 1 "$scratch/log")"
  else
    failed=$((failed + 1))
    echo "FAIL $name"
    cat "$scratch/log"
  fi
}

# report LANGUAGE PASSED FAILED SKIPPED: the last line of a test script, and its exit status.
report() {
  echo "$1: $2 passed, $3 failed, $4 skipped"
  [ "$2" -gt 0 ] && [ "$3" = 0 ]
}
