#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# The engine beside llama.cpp and the double-precision oracle on the same file, 96 tokens of text.
#   tests/peer/compare_logits.sh MODEL [BUILD_DIR] [PEER_DIR]
# makes an F32 version of MODEL with the peer's llama-quantize and compares both files; with F32 weights and F32 keys and values the
# difference to the peer must stay below 0.02 and that to the oracle below 0.001.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
with_peer peer_logits
"$build/tools/nxs" tokens "$model" -f "$root/tests/data/prompts/echo_letter.txt" | cut -d' ' -f1-96 >"$work/tokens"
rows=$(wc -w <"$work/tokens")
"$peer/bin/llama-quantize" --allow-requantize "$model" "$work/f32.gguf" F32 >"$work/log" 2>&1

compare() {  # FILE KV MOST_PEER
  "$work/peer_logits" "$1" "$2" "$work/tokens" "$work/peer"
  "$build/tests/peer/nxs_logits" "$1" "$2" "$work/tokens" "$work/nxs"
  python3 "$root/tests/peer/difference.py" "$work/nxs" "$work/peer" "$rows" $3
}
echo "== $(basename "$model"), F16 keys and values, nxs and llama.cpp"
compare "$model" f16 ""
echo "== F32 weights, F32 keys and values, nxs and llama.cpp"
compare "$work/f32.gguf" f32 0.02
echo "== F32 weights, F32 keys and values, nxs and the double-precision oracle"
"$build/tests/peer/oracle_logits" "$work/f32.gguf" "$work/tokens" "$work/oracle"
python3 "$root/tests/peer/difference.py" "$work/nxs" "$work/oracle" "$rows" 0.001
