#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""nxs beside llama.cpp on the same file, interleaved: prefill, decode, speculative against plain on echoes.

    tests/bench/compare.py MODEL [--nxs build/tools/nxs] [--peer build-peer/bin] [--threads 2] [--rounds 5] [--json]

Each round runs every measure once, one after the other, so that a busy moment of the machine meets all; medians and
ranges are printed.
Without --peer the peer's rows are left out. `tests/bench/build_peer.sh` builds it.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

PROMPTS = pathlib.Path(__file__).resolve().parent.parent / "data" / "prompts"
PREFILL = 256  # tokens
DECODE = 64


def nxs_run(args, prompt_args, *extra):
    command = [args.nxs, "run", args.model, *prompt_args, "-t", str(args.threads), "--json", *extra]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def nxs_prefill(args):
    # 256 tokens: a word that is one token, repeated; checked below.
    record = nxs_run(args, [" the" * PREFILL, "--raw"], "-n", "1", "--mode", "plain")
    stats = record["stats"]
    assert stats["n_prompt"] == PREFILL, stats
    return PREFILL / stats["prefill_seconds"]


def nxs_decode(args):
    stats = nxs_run(args, [" the", "--raw"], "-n", str(DECODE + 1), "--mode", "plain", "--ignore-stop")["stats"]
    # The first token comes out of the prefill's row.
    return (stats["n_emitted"] - 1) / stats["decode_seconds"]


def peer_bench(args, *which):
    program = os.path.join(args.peer, "llama-bench")
    command = [program, "-m", args.model, "-t", str(args.threads), "-r", "1", "-o", "json", *which]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)[0]["avg_ts"]


def nxs_echo(args, mode):
    total_tokens = total_seconds = 0
    receipts = []
    for prompt in sorted(PROMPTS.glob("echo_*.txt")):
        record = nxs_run(args, ["-f", str(prompt)], "-n", "128", "--mode", mode)
        total_tokens += record["stats"]["n_emitted"]
        total_seconds += record["stats"]["decode_seconds"]
        receipts.append(record["receipt"])
    nxs_echo.receipts.setdefault("all", receipts)
    assert nxs_echo.receipts["all"] == receipts, "receipts differ between modes or rounds"
    return total_tokens / total_seconds


nxs_echo.receipts = {}


def measures(args):
    rows = {
        "nxs prefill 256": lambda: nxs_prefill(args),
        "nxs decode": lambda: nxs_decode(args),
        "nxs echo, plain": lambda: nxs_echo(args, "plain"),
        "nxs echo, speculative": lambda: nxs_echo(args, "spec"),
    }
    if args.peer:
        rows["llama.cpp prefill 256"] = lambda: peer_bench(args, "-p", str(PREFILL), "-n", "0")
        rows["llama.cpp decode"] = lambda: peer_bench(args, "-p", "0", "-n", str(DECODE))
    return rows


RATIOS = {
    "prefill 256, nxs / llama.cpp": ("nxs prefill 256", "llama.cpp prefill 256"),
    "decode, nxs / llama.cpp": ("nxs decode", "llama.cpp decode"),
    "echo, speculative / plain": ("nxs echo, speculative", "nxs echo, plain"),
}


def progress(text):
    if sys.stderr.isatty():
        print(text, end="\r", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--nxs", default="build/tools/nxs")
    parser.add_argument("--peer")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = measures(args)
    rates = {name: [] for name in rows}
    for round_number in range(args.rounds):
        for name, measure in rows.items():
            progress(f"round {round_number + 1} of {args.rounds}: {name:24}")
            rates[name].append(measure())
    progress(" " * 60)
    ratios = {}
    for name, (a, b) in RATIOS.items():
        if a in rates and b in rates:
            ratios[name] = [x / y for x, y in zip(rates[a], rates[b])]
    if args.json:
        print(json.dumps({"schema": "nxs.compare/1", "model": args.model, "threads": args.threads, "rates": rates,
                          "ratios": ratios}))
        return
    print(f"{'tokens per second':32} {'median':>9} {'least':>9} {'most':>9}")
    for name, values in rates.items():
        print(f"{name:32} {statistics.median(values):9.1f} {min(values):9.1f} {max(values):9.1f}")
    print(f"\n{'ratio, pair by pair':32} {'median':>9} {'least':>9} {'most':>9}")
    for name, values in ratios.items():
        print(f"{name:32} {statistics.median(values):9.2f} {min(values):9.2f} {max(values):9.2f}")


if __name__ == "__main__":
    main()
