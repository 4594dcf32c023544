# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: scripts_test.py NXS MODEL. The measuring scripts work on a tiny model without a peer, and the report reads
what they print. How fast anything is is not looked at."""
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent


def script(name, *arguments):
    command = [sys.executable, HERE / name, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done
    return done.stdout


def bench(nxs, model, *arguments):
    command = [nxs, "bench", model, "--json", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    nxs, model = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        common = ["--nxs", nxs, "--rounds", 1]
        prompts = folder / "prompts.jsonl"
        lines = [{"question_id": i, "category": "c", "turns": ["the hen and the hen and the hen " * i]} for i in (1, 2)]
        prompts.write_text("".join(json.dumps(line) + "\n" for line in lines))
        synthetic = folder / "synthetic.gguf"
        script("synthetic_model.py", synthetic, "--shape", "tiny")
        first = synthetic.read_bytes()
        script("synthetic_model.py", synthetic, "--shape", "tiny")
        assert synthetic.read_bytes() == first, "one seed, one file"
        results = {
            "compare": script("compare.py", model, synthetic, "--what", "decode,prefill,load", *common, "--json"),
            "echo": script("compare.py", model, "--what", "echo", *common, "--json"),
            "busy": script("busy_core.py", model, *common, "--json"),
            "spec": script("spec_bench.py", model, prompts, "--worst", 1, *common, "--json"),
            "bench": bench(nxs, synthetic, "decode,rows,batch,vote", "--rounds", "1", "--keys", "32", "-n", "4"),
        }
        for key, text in results.items():
            (folder / f"{key}.json").write_text(text)
        report = script("report.py", *(folder / f"{key}.json" for key in results), "--plots", folder / "plots")
        assert all(f"### {key}" in report for key in results), report
        plots = sorted((folder / "plots").iterdir())
        names = ["bench-batch.svg", "bench-rows.svg", "bench-vote.svg", "echo.svg", "spec.svg"]
        assert [p.name for p in plots] == names, plots
        for plot in plots:
            xml.etree.ElementTree.parse(plot)


main()
