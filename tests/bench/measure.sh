#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# measure.sh OUT [STEP...]: everything that docs/performance.md shows, each step into OUT/STEP.json; without steps all, about 20 minutes on
# a machine that has nothing else to do. Variables: MODEL (a Q4_1 file), FORMATS (a folder with the same model in other formats),
# PEER (llama.cpp's programs), DATA (Spec-Bench as JSONL), NXS, THREADS. What is not there leaves its step out, aloud.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:?usage: measure.sh OUT [STEP...]}
shift
MODEL=${MODEL:-$root/models/SmolLM2-135M-Instruct.Q4_1.gguf}
FORMATS=${FORMATS:-$root/models}
PEER=${PEER:-$root/build-peer/bin}
DATA=${DATA:-${NXS_TEST_DATA:-$root/../shared/data}/spec_bench_even.jsonl}
NXS=${NXS:-$root/build/tools/nxs}
THREADS=${THREADS:-2}
mkdir -p "$out"
common="--nxs $NXS --threads $THREADS --json"

# save STEP COMMAND...: only a whole result gets its name.
save() {
  step=$1
  shift
  start=$(date +%s)
  "$@" > "$out/$step.part"
  mv "$out/$step.part" "$out/$step.json"
  echo "$step: $(($(date +%s) - start)) s" >&2
}
missing() { echo "$1: left out, no $2" >&2; }

run_step() {
  case $1 in
    machine) save machine "$NXS" bench "$MODEL" -t "$THREADS" --keys 256,2048 --json ;;
    peer) save peer python3 "$here/compare.py" "$MODEL" --peer "$PEER" $common ;;
    long) save long python3 "$here/compare.py" "$MODEL" --what prefill --prefill 2048 --rounds 3 --peer "$PEER" $common ;;
    formats)
      set --
      for format in Q4_0 Q8_0 Q4_K_M F16 BF16 F32; do
        for file in "$FORMATS"/*[-.]"$format".gguf; do [ -f "$file" ] && set -- "$@" "$file"; done
      done
      [ $# -gt 0 ] || { missing formats "$FORMATS/*.gguf"; return; }
      save formats python3 "$here/compare.py" "$@" --what decode,prefill --peer "$PEER" $common ;;
    busy) save busy python3 "$here/busy_core.py" "$MODEL" --peer "$PEER" $common ;;
    spec)
      [ -f "$DATA" ] || { missing spec "$DATA"; return; }
      save spec python3 "$here/spec_bench.py" "$MODEL" "$DATA" $common ;;
    large)
      [ -f "$out/large.gguf" ] || python3 "$here/synthetic_model.py" "$out/large.gguf" --shape 1b
      save large "$NXS" bench "$out/large.gguf" bandwidth,decode,prefill,rows,batch -t "$THREADS" --rounds 3 --json
      save large-peer python3 "$here/compare.py" "$out/large.gguf" --what decode,prefill --rounds 3 --peer "$PEER" $common
      rm "$out/large.gguf" ;;
    *) echo "measure.sh: no step $1" >&2; exit 2 ;;
  esac
}

[ -x "$PEER/llama-bench" ] || { echo "measure.sh: no llama.cpp in $PEER (tests/bench/build_peer.sh)" >&2; exit 1; }
[ $# -gt 0 ] || set -- machine peer long formats busy spec large
for name in "$@"; do run_step "$name"; done
