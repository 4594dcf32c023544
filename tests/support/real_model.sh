#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# real_model.sh PROGRAM [--data FILE] [ARGUMENT...]: runs PROGRAM MODEL [DATA] ARGUMENT... with the real model of the tests: $NXS_TEST_MODEL,
# or models/ of the source tree (tools/fetch_model.sh puts it there). FILE is looked for in $NXS_TEST_DATA, or ../shared/data beside
# the source tree. What is missing skips aloud (77); a missing model fails where CI=true.
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
if [ "${1:-}" = --data ]; then
  data=${NXS_TEST_DATA:-$root/../shared/data}/$2
  shift 2
  [ -f "$data" ] || { echo "SKIPPED: no $data (set NXS_TEST_DATA to its folder)"; exit 77; }
  exec "$program" "$model" "$data" "$@"
fi
exec "$program" "$model" "$@"
