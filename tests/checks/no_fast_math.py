# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: no_fast_math.py BUILD. Each file of the library is compiled with the flags that keep its bits, whatever a
packager added, and for a CPU that was named and not for the one that happened to build it."""
import json
import shlex
import sys
from pathlib import Path

from support import finish, must_accept, must_complain

FORBIDDEN = {
    "-Ofast", "-ffast-math", "-funsafe-math-optimizations", "-fassociative-math", "-freciprocal-math",
    "-ffinite-math-only", "-fno-signed-zeros",
    "-fno-trapping-math", "-fcx-limited-range", "-frounding-math", "-fexcess-precision=fast",
    "-march=native", "-mtune=native", "-mcpu=native", "-mfpmath=387", "-mdaz-ftz",
}


def last(flags, prefixes):
    """The last flag that begins with one of these: the one that counts."""
    return ([f for f in flags if f.startswith(prefixes)] or ["none"])[-1]


def complaints_about(file, flags):
    complaints = [f"{file}: {flag}" for flag in flags if flag in FORBIDDEN]
    if last(flags, "-ffp-contract=") != "-ffp-contract=off":
        complaints.append(f"{file}: contraction is not off ({last(flags, '-ffp-contract=')})")
    if last(flags, ("-ffast-math", "-fno-fast-math", "-Ofast")) != "-fno-fast-math":
        complaints.append(f"{file}: -fno-fast-math is not the last word")
    return complaints


def self_check():
    good = ["c++", "-O3", "-ffp-contract=fast", "-ffp-contract=off", "-fno-fast-math", "-mavx2"]
    must_accept("no_fast_math", complaints_about("a.cpp", good))
    must_complain("no_fast_math", complaints_about("a.cpp", good + ["-march=native"]), "-march=native")
    must_complain("no_fast_math", complaints_about("a.cpp", good + ["-ffast-math"]), "not the last word")
    must_complain("no_fast_math", complaints_about("a.cpp", good + ["-ffp-contract=fast"]), "contraction is not off")
    must_complain("no_fast_math", complaints_about("a.cpp", ["c++", "-O2"]), "contraction is not off (none)")


def main():
    self_check()
    build = Path(sys.argv[1])
    complaints, n = [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if not entry["output"].startswith("lib/"):
            continue
        n += 1
        complaints += complaints_about(entry["file"], shlex.split(entry["command"]))
    finish("no_fast_math", complaints, n)


main()
