#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh [LANGUAGE...]: builds and tests these bindings, or all that have a test.sh, each with its own toolchain. PREFIX, where the
# library is installed, and BUILD may be set (prefix.sh). The last line has the counts of all.
set -uo pipefail
cd "$(dirname "$0")"
if [ $# = 0 ]; then
  for script in */test.sh; do set -- "$@" "$(dirname "$script")"; done
fi
passed=0 failed=0 skipped=0
for language in "$@"; do
  echo "== bindings: $language"
  # Not `tee /dev/stderr`, which would empty a log file that stderr is.
  last=$(bash "$language/test.sh" ${PREFIX:+"$PREFIX"} | tee >(cat >&2) | tail -n 1)
  if [[ $last =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
  else
    failed=$((failed + 1)) # it did not get to its tests
  fi
done
echo "bindings: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
