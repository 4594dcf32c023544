#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# libnxs and libllama in one process.
#   tests/peer/together.sh MODEL [BUILD_DIR] [PEER_DIR]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
model=$1 build=${2:-$root/build} peer=${3:-$root/build-peer}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$peer/source/vendor/llama.cpp
g++ -std=c++20 -O2 -Wall -Wextra -I "$root/include_c" -I "$source/include" -I "$source/ggml/include" "$root/tests/peer/together.cpp" \
  -o "$work/together" -L "$peer/bin" -lllama -lggml -lggml-base -Wl,-rpath,"$peer/bin"
"$work/together" "$build/lib/libnxs.so.0" "$model"
