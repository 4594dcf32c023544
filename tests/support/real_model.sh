#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# real_model.sh PROGRAM [ARGUMENT...]: runs PROGRAM MODEL ARGUMENT... with the real model of the tests: $NXS_TEST_MODEL, or models/ of the
# source tree (tools/fetch_model.sh puts it there). A missing model skips aloud (77) and fails where CI=true.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$1
shift
model=${NXS_TEST_MODEL:-$root/models/SmolLM2-135M-Instruct.Q4_1.gguf}
if [ ! -f "$model" ]; then
  echo "SKIPPED: no model at $model (run tools/fetch_model.sh)"
  [ "${CI:-}" != true ] || { echo "a skipped real-model test is a failure with CI=true"; exit 1; }
  exit 77
fi
exec "$program" "$model" "$@"
