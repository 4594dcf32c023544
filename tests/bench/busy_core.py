#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decoding while another process keeps one core busy, against decoding on a quiet machine, in alternation.

    tests/bench/busy_core.py MODEL [--nxs build/tools/nxs] [--peer build-peer/bin] [--threads 2] [--rounds 5] [--json]

Prints how many times slower it is: two threads on two cores of which one is shared cannot be below 4/3.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

from programs import Nxs, Peer, add_arguments
from rounds import print_table, run_rounds, summaries

DECODE = 64  # tokens


@contextlib.contextmanager
def busy_core():
    """A process that spins on the first core that this one may use."""
    core = min(os.sched_getaffinity(0))
    program = f"import os\nos.sched_setaffinity(0, [{core}])\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measures_of(name, rate):
    def busy():
        with busy_core():
            return {f"{name}, one core busy": rate()}

    return {f"all:{name} quiet": lambda: {f"{name}, quiet": rate()}, f"all:{name} busy": busy}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    add_arguments(parser, rounds=5)
    args = parser.parse_args()
    nxs = Nxs(args.nxs, args.model, args.threads)
    name = f"decode/{DECODE}"
    programs = {"nxs": lambda: nxs.bench("decode", "--keys", DECODE, "-n", DECODE)[name]}
    if args.peer:
        peer = Peer(args.peer, args.model, args.threads)
        programs["llama.cpp"] = lambda: peer.bench("-p", 0, "-n", DECODE)
    measures = {}
    for program, rate in programs.items():
        measures.update(measures_of(program, rate))
    series = run_rounds(args.rounds, measures)["all"]
    slower = series.ratios({f"{p}, times slower": (f"{p}, quiet", [f"{p}, one core busy"]) for p in programs})
    if args.json:
        print(json.dumps({"schema": "nxs.busy_core/1", "model": Path(args.model).stem, "threads": args.threads,
                          "rates": summaries(series.values), "ratios": summaries(slower)}))
        return
    print_table("tokens a second", series.values, 1)
    print_table("within a round", slower, 2)


if __name__ == "__main__":
    main()
