# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the checks share. Each check is a script with a function that returns complaints; before it looks at the
project it proves on a bad sample that it can complain at all."""
import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77  # Meson's exit code for a test that could not run
LEFT_OUT = {".git", "__pycache__", "node_modules", "target", "data", "corpus"}


def finish(name, complaints, n_checked):
    """Prints the complaints and ends the script; a check that looked at nothing has failed too."""
    for line in complaints:
        print(f"{name}: {line}")
    if n_checked == 0:
        print(f"{name}: found nothing to check")
    print(f"{name}: {n_checked} checked, {len(complaints)} complaints")
    sys.exit(1 if complaints or n_checked == 0 else 0)


def skip(name, why):
    """Ends the script as skipped, aloud; in CI nothing may be skipped."""
    print(f"{name}: SKIPPED: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)


def must_complain(name, complaints, about):
    """The self-check: a bad sample must give a complaint that contains `about`."""
    if not any(about in line for line in complaints):
        print(f"{name}: the self-check failed: no complaint about {about!r} in {complaints!r}")
        sys.exit(1)


def must_accept(name, complaints):
    """The other half of the self-check: a good sample gives none."""
    if complaints:
        print(f"{name}: the self-check failed: a good sample gave {complaints!r}")
        sys.exit(1)


def source_files(root, suffixes, below=""):
    """Files of the tree with one of these suffixes, builds and generated folders left out, in a fixed order."""
    found = []
    for folder, folders, names in os.walk(Path(root) / below):
        folders[:] = sorted(d for d in folders if d not in LEFT_OUT and not d.startswith("build")
                            and not (Path(folder) / d / "meson-private").exists())
        found += [Path(folder) / n for n in sorted(names) if n.endswith(tuple(suffixes))]
    return found


def without_comments(text, keep_strings=False):
    """C or C++ text with comments (and what is in quotes) blanked out; lines stay where they are."""
    string = r'R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    character = r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # not the separator in 1'000
    pattern = re.compile(rf"//[^\n]*|/\*.*?\*/|{string}|{character}", re.S)

    def blank(match):
        whole = match.group(0)
        if keep_strings and whole[0] != "/":
            return whole
        return '""' + "\n" * whole.count("\n") if whole[0] != "/" else " " + "\n" * whole.count("\n")

    return pattern.sub(blank, text)


def output_of(*command):
    """What a program prints; its failure is ours."""
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def lib_objects(build, below="lib"):
    """Object files of the library in a build folder."""
    return sorted((Path(build) / below).rglob("*.o"))


def compile_object(compiler, folder, text, *flags):
    """Compiles a sample for a self-check and returns the object's path."""
    source = Path(folder) / "sample.cpp"
    source.write_text(text)
    target = Path(folder) / "sample.o"
    subprocess.run([*compiler, "-std=c++20", "-c", *flags, str(source), "-o", str(target)], check=True)
    return target


def elf_symbols(path, dynamic=False):
    """(name, bind, type, section) of each symbol, as readelf prints them."""
    rows = []
    for line in output_of("readelf", "-W", "--dyn-syms" if dynamic else "--syms", path).splitlines():
        cells = line.split()
        if len(cells) >= 8 and cells[0].rstrip(":").isdigit():
            rows.append((cells[7], cells[4], cells[3], cells[6]))
    return rows
