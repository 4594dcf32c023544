#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Votes on one question in all three modes, several times, and prints times, the tally and the equality of receipts."""

import json
import subprocess
import sys

RUNS = 3
MODES = ("reset", "paged", "batched")
QUESTION = "Sara reads 10 pages each day for 5 days. How many pages does she read?"


def vote(nxs, model, mode):
    command = [nxs, "vote", model, QUESTION, "--mode", mode, "--samples", "8", "-n", "128", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def seconds(run):
    return run["stats"]["prefill_seconds"] + run["stats"]["decode_seconds"]


def main():
    nxs, model = sys.argv[1:]
    runs = {mode: [] for mode in MODES}
    for _ in range(RUNS):  # interleaved, so that a busy moment of the machine meets all
        for mode in MODES:
            runs[mode].append(vote(nxs, model, mode))
    best = {mode: min(runs[mode], key=seconds) for mode in MODES}
    one = best["batched"]
    print(QUESTION)
    stats = one["stats"]
    print(f"   {len(one['samples'])} samples, {stats['n_prompt']} prompt tokens, {stats['n_emitted']} new")
    for answer in one["answers"]:
        print(f"   {answer['votes']} x {answer['text']}")
    print(f"   answer      {one['answer']}{' (a tie)' if one['tie'] else ''}, {one['no_answer']} samples without one")
    for mode in MODES:
        stats = best[mode]["stats"]
        print(f"   {mode:11s} {seconds(best[mode]) * 1000:7.1f} ms, {stats['n_forwards']} forwards, "
              f"{best[mode]['kv_tokens_peak']} tokens of cache, {seconds(best['reset']) / seconds(best[mode]):.2f} x")
    receipts = {r["receipt"] for rs in runs.values() for r in rs}
    samples = {tuple(s["receipt"] for s in r["samples"]) for rs in runs.values() for r in rs}
    same = len(receipts) == 1 and len(samples) == 1
    print(f"   receipts    {'equal' if same else 'DIFFER'}: {', '.join(sorted(receipts))}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
