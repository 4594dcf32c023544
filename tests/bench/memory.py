#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Peak memory of `nxs run` beside the model file and the KV pages that the run fills.

    tests/bench/memory.py MODEL [--nxs build/tools/nxs] [--threads 2] [--most RATIO]

Prints, for a short and a long prompt, the peak resident set, the file, the pages (64 tokens each, F16), and
(peak - pages) / file. With --most it fails when that is larger.
"""

import argparse
import json
import os
import subprocess
import sys

PAGE_TOKENS = 64
RUNS = {"short prompt": ("Hello", 32), "256 tokens": (" the" * 256, 32)}


def peak_of(command):
    """The JSON that a command prints, and its peak resident bytes."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} failed: {process.returncode}")
    return output.decode(), usage.ru_maxrss * 1024


def kv_bytes_per_token(nxs, model):
    lines = subprocess.run([nxs, "info", model], check=True, capture_output=True, text=True).stdout.splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("kv_bytes_per_token"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--nxs", default="build/tools/nxs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--most", type=float, help="fail above this ratio")
    args = parser.parse_args()
    file_bytes = os.path.getsize(args.model)
    per_page = PAGE_TOKENS * kv_bytes_per_token(args.nxs, args.model)
    worst = 0.0
    print(f"{'MB':14} {'peak':>8} {'file':>8} {'pages':>8} {'(peak - pages) / file':>22}")
    for name, (prompt, n) in RUNS.items():
        command = [args.nxs, "run", args.model, prompt, "--raw", "--json", "-n", str(n), "-t", str(args.threads),
                   "--page", str(PAGE_TOKENS)]
        text, peak = peak_of(command)
        record = json.loads(text)
        tokens = len(record["prompt_tokens"]) + len(record["tokens"])
        pages = -(-tokens // PAGE_TOKENS) * per_page
        ratio = (peak - pages) / file_bytes
        worst = max(worst, ratio)
        print(f"{name:14} {peak / 1e6:8.1f} {file_bytes / 1e6:8.1f} {pages / 1e6:8.1f} {ratio:22.3f}")
    if args.most and worst > args.most:
        sys.exit(f"memory: {worst:.3f} times the file, at most {args.most} are allowed")


main()
