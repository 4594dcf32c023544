#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How often greedy decoding and votes are right, with 95 % intervals; nothing here can fail but a run.

    tests/bench/accuracy.py MODEL [GSM8K.jsonl] [--nxs build/tools/nxs] [--sums 200] [--max-new 256]

Two tasks: sums of two two-digit numbers from a fixed generator, and questions of a file with "question" and "answer"
in each line. One vote of 32 samples per question gives the vote of 8 too: sample i is the same in both.
"""

import argparse
import collections
import json
import math
import random
import subprocess
import sys

SAMPLES = (8, 32)


def two_digit_sums(count):
    draw = random.Random(20)
    pairs = [(draw.randint(10, 99), draw.randint(10, 99)) for _ in range(count)]
    return [(f"What is {a} + {b}? Reply with the number only.", str(a + b)) for a, b in pairs]


def questions_of(path):
    with open(path, encoding="utf-8") as lines:
        return [(q["question"], q["answer"]) for q in map(json.loads, lines)]


def run(command, prompt):
    done = subprocess.run(command + ["-"], input=prompt, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):  # 4: no sample gave an answer
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def winner(answers):
    """Most votes; among equals the one that came first, as a Counter keeps them."""
    counts = collections.Counter(a for a in answers if a is not None)
    return counts.most_common(1)[0][0] if counts else None


def interval(right, n):
    """Wilson's, in percent."""
    z, p = 1.96, right / n
    middle, half = (p + z * z / (2 * n)), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return [100 * (middle + s * half) / (1 + z * z / n) for s in (-1, 1)]


def measure(name, questions, args):
    right = collections.Counter()
    vote = [args.nxs, "vote", args.model, "--json", "-n", str(args.max_new)]
    for i, (question, answer) in enumerate(questions):
        greedy = run(vote + ["--samples", "1", "--temp", "0"], question)
        right["greedy"] += greedy["answer"] == answer
        samples = run(vote + ["--samples", str(max(SAMPLES)), "--seed", str(i)], question)["samples"]
        for n in SAMPLES:
            right[f"vote of {n}"] += winner([s["answer"] for s in samples[:n]]) == answer
        print(f"\r{name}: {i + 1} of {len(questions)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for what in ("greedy", *(f"vote of {n}" for n in SAMPLES)):
        low, high = interval(right[what], len(questions))
        percent = 100 * right[what] / len(questions)
        print(f"| {name} | {what} | {right[what]} of {len(questions)} | {percent:.1f} % ({low:.1f}–{high:.1f}) |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("questions", nargs="?")
    parser.add_argument("--nxs", default="build/tools/nxs")
    parser.add_argument("--sums", type=int, default=200)
    parser.add_argument("--max-new", type=int, default=256)
    args = parser.parse_args()
    print("| task | how | right | share (95 % interval) |\n| --- | --- | --- | --- |")
    if args.sums:
        measure("two-digit sums", two_digit_sums(args.sums), args)
    if args.questions:
        measure("questions", questions_of(args.questions), args)


if __name__ == "__main__":
    main()
