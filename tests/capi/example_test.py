# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: example_test.py HEADER README MODEL LIBRARY COMPILER... The example in the header's first comment and the one
in the README compile without a warning as C99 and as C++, run, and report a bad path."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """#include <stdio.h>
#include "nxs.h"
int main(int argc, char **argv) {
  const char *path = argv[argc - 1];
%s
  return 0;
}
"""


def example(header):
    """The lines between "EXAMPLE" and the end of the comment."""
    text = header.split(" * EXAMPLE", 1)[1].split("*/", 1)[0]
    lines = [line.removeprefix(" *") for line in text.splitlines()[1:]]
    assert any("nxs_spec_decode" in line for line in lines)
    return "\n".join(lines)


def readme_example(readme):
    """The first C block."""
    return readme.split("```c\n", 1)[1].split("```", 1)[0]


def complaints(source, language, folder, header, arguments):
    model, library, *compiler = arguments
    program = Path(folder) / "example"
    flags = ["-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{Path(header).parent}"]
    subprocess.run([*compiler, *language, *flags, str(source), "-x", "none", library, "-o", str(program)], check=True)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(Path(library).parent))
    done = subprocess.run([str(program), model], env=environment, capture_output=True, timeout=60)
    bad = subprocess.run([str(program), "/no/such/file"], env=environment, capture_output=True, timeout=60)
    found = [] if done.returncode == 0 and done.stdout else [f"{language}: {done}"]
    return found + ([] if bad.returncode == 1 and b"/no/such/file" in bad.stderr else [f"{language}: {bad}"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "example.c"
        header, readme, *arguments = sys.argv[1:]
        found = []
        for text in (PROGRAM % example(Path(header).read_text()), readme_example(Path(readme).read_text())):
            source.write_text(text)
            for language in (["-x", "c", "-std=c99"], ["-x", "c++", "-std=c++17"]):
                found += complaints(source, language, folder, header, arguments)
    print(*found, sep="\n")
    return len(found)


sys.exit(main())
