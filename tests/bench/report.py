#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Markdown tables and SVG plots from what the measuring programs print with --json.

    tests/bench/report.py RESULT.json... [--plots FOLDER] > tables.md

Knows the objects of `nxs bench`, compare.py, busy_core.py and spec_bench.py. A plot is named after its result's file.
"""

import argparse
import json
import re
import statistics
from pathlib import Path

import svg


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 10 else f"{value:.2f}"


def table(head, rows):
    """rows: cells; the first column is text."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "\n"


def cells(name, measured, *more):
    return [name, figure(measured["median"]), f"{figure(measured['least'])}–{figure(measured['most'])}", *more]


def bar(name, measured):
    return name, measured["median"], measured["least"], measured["most"]


def report_compare(result):
    rows, ratio_bars = [], []
    for model, found in result["models"].items():
        for name, measured in found["rates"].items():
            rows.append(cells(f"{model}: {name}", measured))
        for name, measured in found["ratios"].items():
            ratio_bars.append(bar(f"{model}: {name}" if len(result["models"]) > 1 else name, measured))
    ratios = [[name, figure(median), f"{figure(least)}–{figure(most)}"] for name, median, least, most in ratio_bars]
    title = f"nxs against llama.cpp, {result['threads']} threads: times as fast (median and range)"
    return (table(["ratio", "median", "range"], ratios) + table(["a second", "median", "range"], rows),
            {"": svg.bars(title, ratio_bars, mark=1.0)} if ratio_bars else {})


def report_bench(result):
    measures = result["measures"]
    rows = [cells(name, m, m["unit"]) for name, m in measures.items()]
    plots, curves = {}, {}
    for name, m in measures.items():
        found = re.fullmatch(r"rows/(\d+)/(\d+)/ratio", name)
        if found:
            curves.setdefault(f"{found[1]} keys", [(1, 1.0)]).append((int(found[2]), m["median"]))
    if curves:
        plots["-rows"] = svg.lines("cost of a forward against one row", curves, "rows in the forward")
    for group, title in (("vote", "votes: times as fast as computing the prompt for each sample"),
                         ("batch", "sequences in lockstep: times the rate of one")):
        bars = [bar(name.removesuffix("/ratio"), m) for name, m in measures.items()
                if name.startswith(group + "/") and name.endswith("/ratio")]
        if bars:
            plots[f"-{group}"] = svg.bars(title, bars, mark=1.0)
    return table(["measure", "median", "range", "unit"], rows), plots


def report_busy(result):
    rows = [cells(name, m) for part in ("rates", "ratios") for name, m in result[part].items()]
    return table(["decoding, tokens a second", "median", "range"], rows), {}


def report_spec(result):
    categories = {}
    for prompt in result["measured"]:
        categories.setdefault(prompt["category"], []).append(prompt)
    rows, bars = [], []
    for name, prompts in [*sorted(categories.items()), ("all", result["measured"])]:
        ratios = [p["ratio"] for p in prompts]
        mean, counted = statistics.mean(ratios), statistics.mean(p["counted"] for p in prompts)
        spread = f"{figure(min(ratios))}–{figure(max(ratios))}"
        rows.append([name, str(len(prompts)), figure(mean), figure(counted), spread])
        bars.append((name, mean, min(ratios), max(ratios)))
    by_id = {p["id"]: p for p in result["measured"]}
    worst = [[str(i), by_id[i]["category"], figure(by_id[i]["ratio"]), figure(by_id[i]["counted"])]
             for i in result["worst"][:5]]
    return (table(["category", "prompts", "mean", "by counts", "range"], rows) +
            table(["worst prompt", "category", "median of pairs", "by counts"], worst),
            {"": svg.bars("speculative against plain decoding: mean, least and most of the prompts", bars, mark=1.0)})


REPORTS = {"nxs.compare/2": report_compare, "nxs.bench/1": report_bench, "nxs.busy_core/1": report_busy,
           "nxs.spec_bench/1": report_spec}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT")
    parser.add_argument("--plots", type=Path)
    args = parser.parse_args()
    for path in args.results:
        result = json.loads(path.read_text())
        tables, plots = REPORTS[result["schema"]](result)
        print(f"### {path.stem}\n\n{tables}", end="")
        if args.plots:
            args.plots.mkdir(parents=True, exist_ok=True)
            for suffix, plot in plots.items():
                (args.plots / f"{path.stem}{suffix}.svg").write_text(plot)
                print(f"![{path.stem}{suffix}]({args.plots.name}/{path.stem}{suffix}.svg)\n")


if __name__ == "__main__":
    main()
