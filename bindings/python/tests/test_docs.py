# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples that people copy: those of docs/bindings.md run as they stand, and the one that plots."""
import pathlib
import re
import runpy
import sys

import pytest

from conftest import PATHS

ROOT = pathlib.Path(__file__).parents[3]


def test_documented_example(monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/bindings.md").read_text(), re.S)
    assert blocks
    monkeypatch.setattr(sys, "argv", ["example", PATHS["tiny"]])
    for block in blocks:
        exec(compile(block, "docs/bindings.md", "exec"), {})
    assert "1:" in capsys.readouterr().out


def test_plot(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    svg = tmp_path / "runs.svg"
    arguments = ["plot_runs.py", PATHS["tiny"], "-o", str(svg), "-n", "20", "--samples", "4"]
    monkeypatch.setattr(sys, "argv", arguments)
    runpy.run_path(str(ROOT / "bindings/python/examples/plot_runs.py"), run_name="__main__")
    assert svg.read_text().count("Self-consistency") >= 1
