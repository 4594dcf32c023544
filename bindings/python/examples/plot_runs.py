# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: plot_runs.py MODEL.gguf [-o runs.svg] [--prompts FILE.jsonl] [--questions FILE.jsonl]

Draws how much of the drafted text is accepted per category of prompts, and how the samples of questions vote.
FILE.jsonl has one object per line: {"category": ..., "prompt": ...} (or Spec-Bench's "turns"), and {"question": ...,
"answer": ...}. Without files it uses its own few."""

import argparse
import json
from collections import defaultdict

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

import libnxs  # noqa: E402

WINNER, OTHER, NONE, BAR = "#1f6f8b", "#a9c6d1", "#e3e3e3", "#1f6f8b"

PROMPTS = [
    (
        "quoting",
        "Repeat this text twice: The quick brown fox jumps over the lazy dog, which does not mind.",
    ),
    ("quoting", "Write the letters of the alphabet, one per line, then write them again."),
    (
        "editing",
        "Correct the spelling: 'The wether is nice today, and the wether will be nice.' Give the sentence.",
    ),
    (
        "editing",
        "Replace the name Anna by Eve: Anna has a cat. Anna feeds her cat. Anna and her cat live in Rome.",
    ),
    ("code", "Write a Python class Point with x, y, z and one method per coordinate that returns it."),
    ("code", "Write a C function that returns the largest of three integers, and a main that calls it."),
    ("story", "Write a short story about a lighthouse keeper."),
    ("story", "Describe a walk through a forest in autumn."),
    ("question", "What causes the tides?"),
    ("question", "Why is the sky blue?"),
]
QUESTIONS = [
    ("What is 7 + 5?", "12"),
    ("What is 10 - 4?", "6"),
    ("A box has 3 rows of 4 eggs. How many eggs are there?", "12"),
    ("Tom has 15 apples and gives away 6. How many are left?", "9"),
    ("What is 6 times 6?", "36"),
    ("How many days are in two weeks?", "14"),
]


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def read_prompts(path):
    if path is None:
        return PROMPTS
    return [(item["category"], item.get("prompt") or item["turns"][0]) for item in lines(path)]


def acceptance(session, prompts, max_new):
    """category -> (accepted share of drafted tokens, tokens per forward while decoding)."""
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for category, prompt in prompts:
        with session.sequence() as seq:
            stats = seq.spec_decode(session.model.chat(prompt), max_new=max_new).stats
        decode_rows = stats.n_rows - (stats.n_prompt - stats.n_reused)
        for i, n in enumerate((stats.n_accepted, stats.n_drafted, stats.n_emitted, decode_rows - stats.n_drafted)):
            sums[category][i] += n
    return {name: (a / max(d, 1), e / max(f, 1)) for name, (a, d, e, f) in sums.items()}


def votes(session, questions, samples, max_new):
    """(question, right answer, [(answer, votes)], samples without an answer) of each question."""
    found = []
    for question, answer in questions:
        with session.sequence() as seq:
            vote = seq.vote(
                session.model.chat(question), n_samples=samples, max_new=max_new, temperature=0.7, top_k=40
            )
        found.append((question, answer, vote.answers, len(vote) - sum(n for _, n in vote.answers)))
    return found


def draw_acceptance(axes, shares):
    names = sorted(shares, key=lambda name: shares[name][0])
    bars = axes.barh(names, [100 * shares[name][0] for name in names], color=BAR)
    axes.bar_label(
        bars, [f"{shares[n][0]:.0%}, {shares[n][1]:.2f} tokens per forward" for n in names], padding=4, fontsize=8
    )
    axes.set_xlim(0, 175)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel("drafted tokens that were accepted, %")
    axes.set_title("Prompt lookup by category", loc="left")


def draw_votes(axes, found):
    """One row per question: its answers side by side, the winner first and dark, samples without an answer last."""
    for row, (question, answer, answers, without) in enumerate(reversed(found)):
        left = 0
        for rank, (text, count) in enumerate([*answers, ("", without)]):
            color = NONE if rank == len(answers) else WINNER if rank == 0 else OTHER
            axes.barh(row, count, left=left, color=color, edgecolor="white")
            if text and count > 1:
                label = text if len(text) < 8 else text[:6] + "…"
                axes.text(
                    left + count / 2,
                    row,
                    label + (" ✓" if text == answer else ""),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if rank == 0 else "black",
                )
            left += count
    axes.set_yticks(range(len(found)), [q if len(q) < 45 else q[:43] + "…" for q, *_ in reversed(found)], fontsize=8)
    axes.set_xlabel("votes (dark: the winner, grey: no answer, ✓: right)")
    axes.set_title("Self-consistency by question", loc="left")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[2])
    parser.add_argument("model")
    parser.add_argument("-o", "--output", default="runs.svg")
    parser.add_argument("--prompts", help="JSON lines with category and prompt")
    parser.add_argument("--questions", help="JSON lines with question and answer")
    parser.add_argument("-n", "--max-new", type=int, default=96)
    parser.add_argument("--samples", type=int, default=16)
    options = parser.parse_args()
    questions = QUESTIONS
    if options.questions:
        questions = [(item["question"], str(item["answer"])) for item in lines(options.questions)]
    with libnxs.Model(options.model) as model, model.session() as session:
        shares = acceptance(session, read_prompts(options.prompts), options.max_new)
        found = votes(session, questions, options.samples, options.max_new)
    height = 1.4 + 0.32 * max(len(shares), len(found))
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, height), layout="constrained")
    draw_acceptance(left, shares)
    draw_votes(right, found)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(options.output, metadata={"Date": None})
    print(options.output)


if __name__ == "__main__":
    main()
