#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# From a fresh checkout to a result: installs the Debian packages, builds, fetches a model, decodes two prompts both ways, and votes.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

step "Debian packages"
sh tools/packages.sh build

step "building build/lib/libnxs.so and build/tools/nxs (takes some minutes)"
[ -f build/build.ninja ] || meson setup build -Dtests=false >/dev/null
[ -t 1 ] && quiet="" || quiet=--quiet
ninja -C build $quiet tools/nxs

step "the model"
model=$(sh tools/fetch_model.sh)
echo "$model"
build/tools/nxs info "$model"

step "plain and speculative decoding, the same prompts (128 new tokens, best of 3 runs each)"
python3 tools/quickstart_report.py build/tools/nxs "$model" tests/data/prompts/echo_list.txt tests/data/prompts/free_story.txt

step "one question, 8 samples and a vote: the prompt computed for each (reset), once (paged), all samples together (batched); best of 3 runs"
python3 tools/quickstart_vote.py build/tools/nxs "$model"

step "try your own"
echo "build/tools/nxs run $model 'Write a short letter to a friend.'"
echo "build/tools/nxs vote $model 'What is 12 + 13?'"
