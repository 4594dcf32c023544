# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: format.py SOURCE. C and C++ files are as clang-format leaves them; nxs.h is set by hand, as a manual."""
import shutil
import subprocess
import sys
from pathlib import Path

from support import finish, must_accept, must_complain, skip, source_files

FOLDERS = ("lib", "tools", "tests", "examples")


def complaints_about(arguments, **options):
    command = ["clang-format", "--dry-run", "-Werror", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    lines = [line for line in done.stderr.splitlines() if "error:" in line]
    return lines or ([done.stderr] if done.returncode else [])


def main():
    if shutil.which("clang-format") is None:
        skip("format", "clang-format is not installed")
    root = Path(sys.argv[1])
    style = [f"--style=file:{root / '.clang-format'}", "--assume-filename=sample.cpp"]
    must_complain("format", complaints_about(style, input="int  a ;\n"), "error:")
    must_accept("format", complaints_about(style, input="int a;\n"))
    files = [f for folder in FOLDERS for f in source_files(root, (".h", ".c", ".cpp"), folder)]
    finish("format", complaints_about([style[0], *map(str, files)]) if files else [], len(files))


main()
