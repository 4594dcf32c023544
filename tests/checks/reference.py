# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: reference.py SOURCE. Every function, type and macro of nxs.h has a description in the reference; where Doxygen
is installed, it makes the reference without a warning."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from support import finish, must_accept, must_complain
from version_script import declared


def undescribed(documented, header):
    found = list(documented(header))
    complaints = [f"{name} has no description" for _, name, described in found if not described]
    lost = set(declared(header)) - {name for _, name, _ in found}
    return complaints + [f"{name} is not in the reference" for name in sorted(lost)]


def doxygen_complaints(source, header, more=""):
    """What Doxygen says about a header with the project's settings, and `more`."""
    with tempfile.TemporaryDirectory() as folder:
        values = {"version": "0", "header": header, "header_folder": Path(header).parent, "output": folder,
                  "filter": source / "docs/header_filter.py"}
        text = (source / "docs/Doxyfile.in").read_text()
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        done = subprocess.run(["doxygen", "-"], input=text + more, capture_output=True, text=True)
        if done.returncode == 0 and not (Path(folder) / "html/index.html").exists():
            return ["Doxygen wrote nothing"]
    return done.stderr.splitlines() or ([f"Doxygen ended with {done.returncode}"] if done.returncode else [])


def self_check(source, header, documented):
    end = "#ifdef __cplusplus\n}"
    assert end in header
    mute = header.replace(end, f"\nNXS_API void nxs_new(void);\n{end}")
    must_complain("reference", undescribed(documented, mute), "nxs_new has no description")
    said = mute.replace("NXS_API void nxs_new", "/* New. */\nNXS_API void nxs_new")
    must_accept("reference", undescribed(documented, said))
    if shutil.which("doxygen"):
        with tempfile.TemporaryDirectory() as folder:
            bad = Path(folder) / "bad.h"
            bad.write_text("/** \\file */\n/** \\ref nowhere */\nint f(void);\n")
            must_complain("reference", doxygen_complaints(source, bad, "INPUT_FILTER =\n"), "nowhere")


def main():
    source = Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(source / "docs"))
    sys.dont_write_bytecode = True
    from header_filter import documented
    path = source / "include_c/nxs.h"
    header = path.read_text()
    self_check(source, header, documented)
    complaints = undescribed(documented, header)
    if shutil.which("doxygen"):
        complaints += doxygen_complaints(source, path)
    else:
        print("reference: Doxygen is not installed, so only the descriptions were looked at")
    finish("reference", complaints, len(declared(header)))


main()
