# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the measuring scripts share: rounds that go through all measures one after the other, so that a busy moment of
the machine meets all of them; ratios within a round; medians with ranges."""

import statistics
import sys


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


class Series:
    """Values by name, one a round."""

    def __init__(self):
        self.values = {}

    def add(self, measured):
        for name, value in measured.items():
            self.values.setdefault(name, []).append(value)

    def ratios(self, wanted):
        """wanted: ratio -> (name above, names below). Of several below the largest counts: a peer at its best."""
        found = {}
        for ratio, (above, below) in wanted.items():
            known = [name for name in below if name in self.values]
            if above in self.values and known:
                rows = zip(self.values[above], *(self.values[name] for name in known))
                found[ratio] = [first / max(rest) for first, *rest in rows]
        return found


def run_rounds(n_rounds, measures):
    """measures: label -> function that measures once and returns {name: value}. The Series of each label's prefix
    before ':' (a model), in order."""
    series = {}
    for number in range(1, n_rounds + 1):
        for label, measure in measures.items():
            progress(f"round {number} of {n_rounds}: {label}")
            series.setdefault(label.split(":")[0], Series()).add(measure())
    progress("")
    return series


def summary(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values), "rounds": values}


def summaries(values):
    return {name: summary(v) for name, v in values.items()}


def print_table(title, values, digits):
    print(f"{title:40} {'median':>9} {'least':>9} {'most':>9}")
    for name, v in values.items():
        print(f"{name:40} {statistics.median(v):9.{digits}f} {min(v):9.{digits}f} {max(v):9.{digits}f}")
    print()
