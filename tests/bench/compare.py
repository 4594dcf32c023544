#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""nxs beside llama.cpp on the same files, interleaved: medians, ranges, and ratios within a round.

    tests/bench/compare.py MODEL... --peer build-peer/bin [--what decode,prefill,batch,echo,load] [--rounds 5] [--json]

decode   64 tokens after one (llama-bench -n 64)
prefill  of --prefill tokens (llama-bench -p); several as in 256,2048
batch    8 and 32 sequences that share a prompt of 128 tokens (llama-batched-bench -pps, with one KV buffer for all
         sequences and with one each; the better of both counts)
echo     the prompts that ask for a repetition, 128 tokens: plain, speculative (llama-lookup, drafts of 3, which is
         its default, and of 6, which is ours; the better of both counts)
load     a process that opens the model and emits one token (llama-completion); the ratio is of times, above 1 when nxs
         is faster

Without --peer its rows are left out. `tests/bench/build_peer.sh` builds it.
"""

import argparse
import json
import tempfile
from pathlib import Path

from programs import PROMPTS, Nxs, Peer, add_arguments
from rounds import print_table, run_rounds, summaries

WHAT = ("decode", "prefill", "batch", "echo", "load")
DECODE = 64  # tokens
SEQUENCES = (8, 32)
BATCH_NEW = 32  # tokens a sequence
DRAFTS = (3, 6)
KV_BUFFERS = {"llama.cpp, one buffer": ["-kvu"], "llama.cpp": []}


def measure_echo(nxs, receipts):
    rates = {}
    for mode in ("plain", "spec"):
        rates[f"echo {mode}, nxs"], found = nxs.echo(mode)
        if receipts.setdefault("all", found) != found:
            raise RuntimeError("receipts differ between modes or rounds")
    return rates


def rendered_prompts(nxs, folder):
    """The echo prompts as files; llama-lookup takes a newline off the end of one."""
    files = []
    for prompt in sorted(PROMPTS.glob("echo_*.txt")):
        files.append(Path(folder) / f"{Path(nxs.model).stem}.{prompt.name}")
        files[-1].write_text(nxs.rendered(prompt) + "\n", encoding="utf-8")
    return files


def nxs_measures(nxs, args):
    """Label -> function that returns {name: rate}."""
    def prefill():
        found = nxs.bench("prefill", "--keys", ",".join(map(str, args.prefill)))
        return {f"prefill {n}, nxs": found[f"prefill/{n}"] for n in args.prefill}

    def batch():
        found = nxs.bench("batch", "--sequences", ",".join(map(str, SEQUENCES)), "-n", BATCH_NEW)
        return {f"batch {n}, nxs": found[f"batch/{n}"] for n in SEQUENCES}

    receipts = {}
    return {
        "decode": lambda: {"decode, nxs": nxs.bench("decode", "--keys", DECODE, "-n", DECODE)[f"decode/{DECODE}"]},
        "prefill": prefill,
        "batch": batch,
        "echo": lambda: measure_echo(nxs, receipts),
        "load": lambda: {"process with one token, nxs": 1 / nxs.first_token_seconds()},
    }


def peer_measures(peer, args, prompts):
    def batch():
        rates = {}
        for name, arguments in KV_BUFFERS.items():
            found = peer.batched(SEQUENCES, BATCH_NEW, *arguments)
            rates.update({f"batch {n}, {name}": rate for n, rate in found.items()})
        return rates

    return {
        "decode": lambda: {"decode, llama.cpp": peer.bench("-p", 0, "-n", DECODE)},
        "prefill": lambda: {f"prefill {n}, llama.cpp": peer.bench("-p", n, "-n", 0) for n in args.prefill},
        "batch": batch,
        "echo": lambda: {f"echo, llama-lookup {n}": peer.lookup(prompts, n) for n in DRAFTS},
        "load": lambda: {"process with one token, llama.cpp": 1 / peer.first_token_seconds()},
    }


def wanted_ratios(args):
    wanted = {"decode": ("decode, nxs", ["decode, llama.cpp"])}
    wanted.update({f"prefill {n}": (f"prefill {n}, nxs", [f"prefill {n}, llama.cpp"]) for n in args.prefill})
    wanted.update({f"batch {n}": (f"batch {n}, nxs", [f"batch {n}, {k}" for k in KV_BUFFERS]) for n in SEQUENCES})
    wanted["echo, speculative / own plain"] = ("echo spec, nxs", ["echo plain, nxs"])
    wanted["echo, speculative / llama-lookup"] = ("echo spec, nxs", [f"echo, llama-lookup {n}" for n in DRAFTS])
    wanted["load"] = ("process with one token, nxs", ["process with one token, llama.cpp"])
    return wanted


def numbers(text):
    return [int(n) for n in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--what", default=",".join(WHAT))
    parser.add_argument("--prefill", type=numbers, default=[256])
    add_arguments(parser, rounds=5)
    args = parser.parse_args()
    what = args.what.split(",")
    if not set(what) <= set(WHAT):
        parser.error(f"--what knows {', '.join(WHAT)}")
    measures = {}
    with tempfile.TemporaryDirectory() as folder:
        for model in args.models:
            nxs = Nxs(args.nxs, model, args.threads)
            sides = [nxs_measures(nxs, args)]
            if args.peer:
                prompts = rendered_prompts(nxs, folder) if "echo" in what else []
                sides.append(peer_measures(Peer(args.peer, model, args.threads), args, prompts))
            for group in what:
                measures.update({f"{Path(model).stem}:{group} {i}": side[group] for i, side in enumerate(sides)})
        series = run_rounds(args.rounds, measures)
    ratios = {model: s.ratios(wanted_ratios(args)) for model, s in series.items()}
    if args.json:
        models = {m: {"rates": summaries(s.values), "ratios": summaries(ratios[m])} for m, s in series.items()}
        print(json.dumps({"schema": "nxs.compare/2", "threads": args.threads, "rounds": args.rounds, "models": models}))
        return
    for model, s in series.items():
        print_table(f"{model}: a second", s.values, 1)
        print_table(f"{model}: nxs / llama.cpp", ratios[model], 2)


if __name__ == "__main__":
    main()
