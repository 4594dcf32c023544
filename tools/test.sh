#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Builds and runs every test: checks, units, kernels, identity gates (short form), the C API, packaging; then units, API, kernels and
# fuzzers under ASan + UBSan, units and API under TSan, and clang-tidy. Options: --quick leaves the sanitizers and clang-tidy out. The last
# line has the counts; the exit status is 0 only when tests ran and none failed.
set -euo pipefail
cd "$(dirname "$0")/.."
quick=0
[ "${1:-}" = --quick ] && quick=1
passed=0 failed=0 skipped=0

# Also when a step before the tests fails: that counts as one failure.
finish() {
  local status=$?
  [ $status = 0 ] || [ $failed -gt 0 ] || failed=1
  [ $((passed + failed)) -gt 0 ] || failed=1
  step "done"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed = 0 ] || exit 1
}
step() { printf '\n== %s (%s, %d s)\n' "$*" "$(date +%H:%M:%S)" $SECONDS; }
trap finish EXIT

# run_suite BUILD_DIR [meson test arguments]: builds what these tests need and counts what ran; a failure is shown and does not hide the rest.
run_suite() {
  local dir=$1 log=$1/meson-logs/testlog.txt
  shift
  rm -f "$log"
  meson test -C "$dir" --print-errorlogs "$@" || true
  count() { grep -oP "^$1:\\s+\\K\\d+" "$log" 2>/dev/null || echo 0; }
  local ok fail skip bad
  ok=$(count Ok) fail=$(count Fail) bad=$(count Timeout) skip=$(count Skipped)
  passed=$((passed + ok)) failed=$((failed + fail + bad)) skipped=$((skipped + skip))
  [ $((ok + fail + bad)) -gt 0 ] || { echo "no test ran in $dir" >&2; failed=$((failed + 1)); }
}

# sanitized KIND NAME [suites]: level 1, since the compiler takes minutes over instrumented kernels above it, and without the command.
sanitized() {
  local dir=build-$2
  [ -f "$dir/build.ninja" ] ||
    meson setup "$dir" -Dbuildtype=debugoptimized -Doptimization=1 -Db_sanitize="$1" -Db_lundef=false -Dtools=false >/dev/null
  shift 2
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_suite "$dir" --timeout-multiplier 5 "${@/#/--suite=}"
}

step "Debian packages"
sh tools/packages.sh test
step "the model"
NXS_TEST_MODEL=$(sh tools/fetch_model.sh)
export NXS_TEST_MODEL
echo "$NXS_TEST_MODEL"
step "the tokenizer that ours is compared with"
peer=$PWD/build-tokenizers package=tokenizers==0.21.4
[ -d "$peer/tokenizers" ] ||
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$peer" $package ||
  echo "$package cannot be had: its test skips, or fails with CI=true" >&2
export PYTHONPATH=$peer${PYTHONPATH:+:$PYTHONPATH}

step "building"
[ -f build/build.ninja ] || meson setup build >/dev/null
meson configure build -Dtests=true
ninja -C build
step "tests"
run_suite build --no-suite tidy

if [ $quick = 0 ]; then
  step "AddressSanitizer and UndefinedBehaviorSanitizer"
  sanitized address,undefined asan unit capi fuzz kernels
  step "ThreadSanitizer"
  sanitized thread tsan unit capi
  step "clang-tidy"
  run_suite build --suite tidy
fi
