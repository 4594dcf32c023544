#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Speculative against plain decoding over the prompts of Spec-Bench: the mean of all, by category, and the worst.

    tests/bench/spec_bench.py MODEL spec_bench.jsonl [--prompts N] [--worst 12] [--nxs build/tools/nxs] [--json]

Each prompt's first turn is decoded both ways, one after the other in one process, at most 128 tokens. A ratio of one
pair is noisy, so the --worst lowest prompts are measured again in --rounds pairs each, and their median counts. Beside
it stands what counting gives: tokens a forward, divided by what a forward of that many rows (the mean) costs on this
machine against one row. `nxs bench rows` measures that cost in the same run.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from programs import Nxs, add_arguments
from rounds import print_table, progress

CURVE_KEYS = 256


def read_prompts(path, wanted):
    """wanted prompts, evenly spread; 0 = all."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    step = max(1, len(rows) // wanted) if wanted else 1
    return [{"id": r["question_id"], "category": r["category"], "text": r["turns"][0]} for r in rows[::step]]


def cost_curve(nxs):
    """Cost of k rows against one, k = 1..16."""
    found = nxs.bench("rows", "--keys", CURVE_KEYS, rounds=5)
    return [1.0] + [found[f"rows/{CURVE_KEYS}/{k}/ratio"] for k in range(2, 17)]


def cost_at(curve, rows):
    """Between two numbers of rows: on the line."""
    below = min(int(rows), len(curve) - 1)
    return curve[below - 1] + (curve[below] - curve[below - 1]) * (rows - below)


def measure(nxs, prompt, folder, rounds=1):
    """None when the model's reply is empty."""
    file = Path(folder) / "prompt.txt"
    file.write_text(prompt["text"], encoding="utf-8")
    try:
        return nxs.bench("spec", "-f", file, rounds=rounds)
    except RuntimeError as failed:
        if "reply to the prompt is empty" in str(failed):
            return None
        raise


def measure_all(nxs, prompts, args):
    """The prompts with a reply, each with its measures; the worst ones measured again, with "pairs"."""
    curve = cost_curve(nxs)
    with tempfile.TemporaryDirectory() as folder:
        for i, prompt in enumerate(prompts):
            progress(f"prompt {i + 1} of {len(prompts)}")
            found = measure(nxs, prompt, folder)
            if found is None:
                continue
            prompt.update(ratio=found["spec/ratio"], tokens=found["spec/tokens"], rows=found["spec/rows"])
            prompt["counted"] = prompt["tokens"] / cost_at(curve, prompt["rows"])
        measured = [p for p in prompts if "ratio" in p]
        worst = sorted(measured, key=lambda p: p["ratio"])[:args.worst]
        for i, prompt in enumerate(worst):
            progress(f"worst {i + 1} of {len(worst)}")
            prompt["pair"] = prompt["ratio"]
            prompt["ratio"] = measure(nxs, prompt, folder, args.rounds)["spec/ratio"]
    progress("")
    return curve, measured, sorted(worst, key=lambda p: p["ratio"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--prompts", type=int, default=0, help="how many, evenly spread; 0 = all")
    parser.add_argument("--worst", type=int, default=12)
    add_arguments(parser, rounds=5)
    args = parser.parse_args()
    nxs = Nxs(args.nxs, args.model, args.threads)
    prompts = read_prompts(args.data, args.prompts)
    curve, measured, worst = measure_all(nxs, prompts, args)
    categories = {}
    for p in measured:
        categories.setdefault(p["category"], []).append(p["ratio"])
    ratios = [p["ratio"] for p in measured]
    counted = statistics.mean(p["counted"] for p in measured)
    if args.json:
        rows = [{k: v for k, v in p.items() if k != "text"} for p in measured]
        print(json.dumps({"schema": "nxs.spec_bench/1", "model": Path(args.model).stem, "threads": args.threads,
                          "prompts": len(prompts), "mean": statistics.mean(ratios), "cost": curve,
                          "counted_mean": counted,
                          "worst": [p["id"] for p in worst], "measured": rows}))
        return
    print(f"{len(measured)} of {len(prompts)} prompts have a reply\n"
          f"speculative / plain: mean {statistics.mean(ratios):.3f}, by counts {counted:.3f}\n")
    print_table("speculative / plain, by category", {k: v for k, v in sorted(categories.items())}, 2)
    print(f"the worst, each in {args.rounds} pairs")
    for p in worst[:5]:
        print(f"  {p['id']:>6} {p['category']:18} {p['ratio']:.3f}   by counts {p['counted']:.3f}")


if __name__ == "__main__":
    main()
