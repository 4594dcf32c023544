#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh [PREFIX]: formats, lints and tests the Rust crates against the library installed in PREFIX (see ../prefix.sh), compares the
# committed bindings with fresh ones, runs the examples, and uses the crate from a package outside this tree. bindgen is taken from
# BINDGEN_ROOT/bin, or built there (default: build/bindgen). The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../prefix.sh"
use_prefix "$@"
cd "$here"
built=${BUILD:-$root/build}
[ -d "$built" ] || built=$scratch
export CARGO_TARGET_DIR=$built/cargo RUST_BACKTRACE=1
BINDGEN_ROOT=${BINDGEN_ROOT:-$built/bindgen}

bindings() {
  local wanted
  wanted=$(sed -n 's/^wanted=//p' libnxs-sys/bindgen.sh)
  if [ "$("$BINDGEN_ROOT/bin/bindgen" --version 2>/dev/null)" != "bindgen $wanted" ]; then
    CARGO_TARGET_DIR=$scratch/bindgen cargo install bindgen-cli --version "$wanted" --locked --debug --root "$BINDGEN_ROOT" ||
      { echo "bindgen $wanted cannot be had"; exit 77; }
  fi
  PATH=$BINDGEN_ROOT/bin:$PATH libnxs-sys/bindgen.sh "$(pkg-config --variable=includedir nxs)/nxs.h" >"$scratch/bindings.rs"
  diff -u libnxs-sys/src/bindings.rs "$scratch/bindings.rs"
}

# Each example on the tiny model, and on a file that is not there.
example() {
  [ -n "${NXS_TINY_MODEL:-}" ] || { echo "there is no tiny model"; exit 77; }
  cargo run -q --example "$1" -- "$NXS_TINY_MODEL" "What is 17 + 25?" </dev/null | tee "$scratch/out"
  [ -s "$scratch/out" ]
  if cargo run -q --example "$1" -- /no/such/file </dev/null 2>"$scratch/err"; then return 1; fi
  grep -q /no/such/file "$scratch/err"
}

# A new user's package, in an empty folder: the example of docs/bindings.md.
consumer() {
  cargo new -q --vcs none "$scratch/consumer"
  sed -n '/^```rust$/,/^```$/{/^```/!p}' "$root/docs/bindings.md" >"$scratch/consumer/src/main.rs"
  (
    cd "$scratch/consumer"
    cargo add -q --path "$here/libnxs"
    CARGO_TARGET_DIR=$scratch/consumer/target cargo build -q
    [ -z "${NXS_TINY_MODEL:-}" ] || target/debug/consumer "$NXS_TINY_MODEL"
  )
}

# Counts the tests one by one.
tests() {
  local status=0
  cargo test --no-fail-fast "$@" >"$scratch/log" 2>&1 || status=$?
  count() { grep -oP "^test result: .*\\b\\K\\d+(?= $1)" "$scratch/log" | paste -sd+ | sed 's/^$/0/' | xargs -I{} sh -c 'echo $(({}))'; }
  local ok bad
  ok=$(count passed) bad=$(count failed)
  passed=$((passed + ok)) failed=$((failed + bad))
  echo "cargo test $*: $ok passed, $bad failed"
  [ $status = 0 ] && return
  [ "$bad" -gt 0 ] || failed=$((failed + 1)) # it did not build, or crashed
  cat "$scratch/log"
}

real_model() {
  [ -n "${NXS_TEST_MODEL:-}" ] || { echo "NXS_TEST_MODEL names no model; the tests ran on the tiny one"; exit 77; }
}

step "cargo fmt" cargo fmt --all --check
step "cargo clippy" cargo clippy --workspace --all-targets --locked -- -D warnings
step "cargo doc" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
step "bindings.rs is what bindgen makes" bindings
step "the real model" real_model
tests --workspace --locked
step "optimised, threads and identity" env -u NXS_TEST_MODEL cargo test --release --locked --test threads --test equivalence
for name in decode stream vote; do step "example $name" example $name; done
step "the documented example, a package outside" consumer
report rust $passed $failed $skipped
