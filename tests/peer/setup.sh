# SPDX-License-Identifier: Apache-2.0 OR MIT
# Sourced by the scripts of this folder with their arguments MODEL [BUILD_DIR] [PEER_DIR]: names what they work with.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
model=$1 build=${2:-$root/build} peer=${3:-$root/build-peer}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# with_peer NAME: builds NAME.cpp of this folder into $work against the peer and nxs.h.
with_peer() {
  local source=$peer/source/vendor/llama.cpp
  g++ -std=c++20 -O2 -Wall -Wextra -I "$root/include_c" -I "$source/include" -I "$source/ggml/include" "$root/tests/peer/$1.cpp" \
    -o "$work/$1" -L "$peer/bin" -lllama -lggml -lggml-base -Wl,-rpath,"$peer/bin"
}
