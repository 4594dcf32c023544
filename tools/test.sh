#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Builds and runs every test: checks, units, kernels, identity gates (short form), the C API; then the same under ASan + UBSan and
# under TSan, and clang-tidy. Options: --quick leaves the sanitizers and clang-tidy out.
set -euo pipefail
cd "$(dirname "$0")/.."
quick=0
[ "${1:-}" = --quick ] && quick=1

step() { printf '\n== %s (%s)\n' "$*" "$(date +%H:%M:%S)"; }
passed=0 failed=0 skipped=0

# run_suite BUILD_DIR [meson test arguments]: counts what ran; a failure is shown and does not hide the rest.
run_suite() {
  local dir=$1 log=$1/meson-logs/testlog.txt
  shift
  meson test -C "$dir" --print-errorlogs --no-rebuild "$@" || true
  local ok fail skip bad
  ok=$(grep -oP '^Ok:\s+\K\d+' "$log" || echo 0)
  fail=$(grep -oP '^Fail:\s+\K\d+' "$log" || echo 0)
  bad=$(grep -oP '^Timeout:\s+\K\d+' "$log" || echo 0)
  skip=$(grep -oP '^Skipped:\s+\K\d+' "$log" || echo 0)
  passed=$((passed + ok)) failed=$((failed + fail + bad)) skipped=$((skipped + skip))
  [ $((ok + fail + bad)) -gt 0 ] || { echo "no test ran in $dir" >&2; failed=$((failed + 1)); }
}

step "Debian packages"
sh tools/packages.sh test
step "the model"
NXS_TEST_MODEL=$(sh tools/fetch_model.sh)
export NXS_TEST_MODEL
echo "$NXS_TEST_MODEL"

step "building"
[ -f build/build.ninja ] || meson setup build >/dev/null
meson configure build -Dtests=true
ninja -C build
step "tests"
run_suite build --no-suite tidy

if [ $quick = 0 ]; then
  step "AddressSanitizer and UndefinedBehaviorSanitizer"
  [ -f build-asan/build.ninja ] ||
    meson setup build-asan -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
  ninja -C build-asan
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_suite build-asan --suite unit --suite capi --suite fuzz --suite kernels
  step "ThreadSanitizer"
  [ -f build-tsan/build.ninja ] ||
    meson setup build-tsan -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false >/dev/null
  ninja -C build-tsan
  run_suite build-tsan --suite unit --suite capi
  step "clang-tidy"
  run_suite build --suite tidy
fi

step "done"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
