# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The programs that are measured: `nxs`, and the tools of llama.cpp that build_peer.sh builds."""

import json
import re
import subprocess
import time
from pathlib import Path

PROMPTS = Path(__file__).resolve().parent.parent / "data" / "prompts"
ATTEMPTS = 5
SHARED_PROMPT = 128  # tokens; `nxs bench batch` has the same


def output_of(command, **options):
    command = [str(c) for c in command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace",
                          **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-500:]}")
    return done


def wall_seconds(command):
    start = time.monotonic()
    output_of(command)
    return time.monotonic() - start


def add_arguments(parser, rounds):
    parser.add_argument("--nxs", default="build/tools/nxs")
    parser.add_argument("--peer", help="llama.cpp's programs (build_peer.sh)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


class Nxs:
    def __init__(self, program, model, threads):
        self.program, self.model, self.threads = program, model, threads

    def bench(self, what, *arguments, rounds=1):
        """name -> median of `nxs bench`."""
        options = ["-t", self.threads, "--rounds", rounds, "--json", *arguments]
        measures = json.loads(output_of([self.program, "bench", self.model, what, *options]).stdout)["measures"]
        return {name: m["median"] for name, m in measures.items()}

    def run(self, *arguments):
        command = [self.program, "run", self.model, "-t", self.threads, "--json", *arguments]
        return json.loads(output_of(command).stdout)

    def echo(self, mode):
        """Tokens a second over the prompts that ask for a repetition, and their receipts."""
        records = [self.run("-f", p, "-n", 128, "--mode", mode) for p in sorted(PROMPTS.glob("echo_*.txt"))]
        seconds = sum(r["stats"]["decode_seconds"] for r in records)
        return sum(r["stats"]["n_emitted"] for r in records) / seconds, [r["receipt"] for r in records]

    def rendered(self, prompt):
        """A prompt file in the model's chat format, as text with its control tokens."""
        ids = self.run("-f", prompt, "-n", 0)["prompt_tokens"]
        command = [self.program, "tokens", self.model, "--special", "--decode", " ".join(map(str, ids))]
        return output_of(command).stdout

    def first_token_seconds(self):
        """Of a whole process that opens the model and emits one token."""
        return wall_seconds([self.program, "run", self.model, "Hello", "--raw", "-n", 1, "-t", self.threads, "--json"])


class Peer:
    def __init__(self, folder, model, threads):
        self.folder, self.model, self.threads = Path(folder).resolve(), Path(model).resolve(), threads

    def command(self, program, *arguments):
        return [self.folder / program, "-m", self.model, "-t", self.threads, *arguments]

    def bench(self, *what):
        """Tokens a second; llama-bench warms up by a run of its own."""
        done = output_of(self.command("llama-bench", "-r", 1, "-o", "json", *what))
        return json.loads(done.stdout)[0]["avg_ts"]

    def told(self, command, said, **options):
        """said(output, errors) of a run. Now and then a program ends before its log is written (said gives None), so it
        is asked again."""
        for _ in range(ATTEMPTS):
            done = output_of(command, **options)
            found = said(done.stdout, done.stderr)
            if found is not None:
                return found
        raise RuntimeError(f"{command[0]} does not say its speed: {done.stderr[-500:]}")

    def batched(self, sequences, n_new, *arguments):
        """Number of sequences -> tokens a second in decoding."""
        def said(output, _):
            rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
            found = {row["pl"]: row["speed_tg"] for row in rows}
            return found if sorted(found) == sorted(sequences) else None

        context = max(sequences) * (SHARED_PROMPT + n_new)
        counts = ",".join(map(str, sequences))
        command = self.command("llama-batched-bench", "-npp", SHARED_PROMPT, "-ntg", n_new, "-npl", counts, "-pps",
                               "-c", context, "--output-format", "jsonl", *arguments)
        return self.told(command, said)

    def lookup(self, prompt_files, draft):
        """Tokens a second of llama-lookup over prompts that are rendered already."""
        def said(output, errors):
            found = re.search(r"decoded +(\d+) tokens in +([0-9.]+) seconds", output + errors)
            return found and (int(found.group(1)), float(found.group(2)))

        measured = []
        for prompt in prompt_files:
            command = self.command("llama-lookup", "-f", prompt, "-n", 128, "--temp", 0, "--spec-draft-n-max", draft)
            measured.append(self.told(command, said, cwd=Path(prompt).parent))
        return sum(tokens for tokens, _ in measured) / sum(seconds for _, seconds in measured)

    def first_token_seconds(self):
        return wall_seconds(self.command("llama-completion", "-p", "Hello", "-n", 1, "-no-cnv", "--no-warmup", "--temp",
                                         0))
