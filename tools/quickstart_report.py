#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs each prompt plain and speculatively and prints times, the equality of receipts and the speed-up."""

import json
import pathlib
import subprocess
import sys

RUNS = 3


def run(nxs, model, prompt, mode):
    command = [nxs, "run", model, "-f", str(prompt), "--mode", mode, "-n", "128", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def best(runs):
    return min(runs, key=lambda r: r["stats"]["decode_seconds"])


def main():
    nxs, model, *prompts = sys.argv[1:]
    failed = False
    for prompt in map(pathlib.Path, prompts):
        runs = {"plain": [], "spec": []}
        for _ in range(RUNS):  # interleaved, so that a busy moment of the machine meets both
            for mode in runs:
                if sys.stderr.isatty():
                    print(f"   {prompt.name} {mode} ...   ", end="\r", file=sys.stderr, flush=True)
                runs[mode].append(run(nxs, model, prompt, mode))
        plain, spec = best(runs["plain"]), best(runs["spec"])
        receipts = {r["receipt"] for rs in runs.values() for r in rs}
        same = len(receipts) == 1 and plain["tokens"] == spec["tokens"]
        failed |= not same
        seconds = {m: r["stats"]["decode_seconds"] for m, r in (("plain", plain), ("spec", spec))}
        print(f"{prompt.name}: {plain['stats']['n_prompt']} prompt tokens, {plain['stats']['n_emitted']} new")
        print(f"   text        {' '.join(plain['text'].split())[:90]} ...")
        print(f"   plain       {seconds['plain'] * 1000:7.1f} ms, {plain['stats']['n_forwards']} forwards")
        print(f"   speculative {seconds['spec'] * 1000:7.1f} ms, {spec['stats']['n_forwards']} forwards, "
              f"{spec['stats']['n_accepted']} of {spec['stats']['n_drafted']} drafted tokens accepted")
        print(f"   receipts    {'equal' if same else 'DIFFER'}: {', '.join(sorted(receipts))}")
        print(f"   speed-up    {seconds['plain'] / seconds['spec']:.2f} x")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
