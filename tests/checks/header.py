# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: header.py HEADER STANDARD COMPILER... The public header compiles alone, as this standard, pedantic and
without padding."""
import subprocess
import sys
import tempfile
from pathlib import Path

from support import finish, must_accept, must_complain

WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-Wpadded", "-Wundef"]
C_WARNINGS = ["-Wstrict-prototypes", "-Wc++-compat"]


def complaints_about(header, standard, compiler):
    language = "c++" if "++" in standard else "c"
    flags = WARNINGS + ([] if language == "c++" else C_WARNINGS)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / ("alone.cpp" if language == "c++" else "alone.c")
        source.write_text(f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n')
        done = subprocess.run([*compiler, "-x", language, f"-std={standard}", "-fsyntax-only", *flags, str(source)],
                              capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if "error" in line] or ([done.stderr] if done.returncode else [])


def self_check(standard, compiler):
    samples = {
        "#pragma once\ntypedef struct p { char a; int b; } p;\n": "pad",
        "int twice = 1;\n": "redefinition",
        "#pragma once\nstatic size_t n;\n": "size_t",
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.h"
        for text, about in samples.items():
            path.write_text(text)
            must_complain("header", complaints_about(path, standard, compiler), about)
        path.write_text("#pragma once\n#include <stdint.h>\ntypedef struct p { int32_t a; int32_t b; } p;\n")
        must_accept("header", complaints_about(path, standard, compiler))


def main():
    header, standard, compiler = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]
    self_check(standard, compiler)
    finish("header", complaints_about(header, standard, compiler), 1)


main()
