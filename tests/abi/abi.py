# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: abi.py check SOURCE COMPILER...   the C interface of nxs.h and nxs.map breaks no program of the stored one
       abi.py renew SOURCE COMPILER...   stores today's (after a release, or together with a new soname)
       abi.py library SOURCE LIBRARY     a library with debug information breaks no program of the stored interface

The stored interface is tests/abi/data/nxs.abi, written by abidw. What is compared is a stub: a library made of nxs.h
alone, each function empty, so that it has the debug information that a release build lacks, and no C++ behind handles.
The check `symbols` sees to it that the real library exports the same functions with the same versions."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "checks"))
from support import finish, must_accept, must_complain, skip, without_comments  # noqa: E402

GROWTH = re.compile(r"'struct nxs_(?:\w+_params|\w+_info|stats|event)' changed:\n"
                    r"  type size changed from (?P<size>\d+) to \d+ \(in bits\)\n"
                    r"  \d+ data member insertions?:(?P<fields>(?:\n    '[^\n]*', at offset \d+[^\n]*)+)")
SUMMARY = re.compile(r"Leaf changes summary:")
CHANGE = 4 | 8  # bits of abidiff's exit status: a change, an incompatible one; below: it failed itself
DECLARATION = re.compile(r"^NXS_API\b([^;{}]*?)(\w+)\s*(\([^;{}]*\))\s*;", re.M)


def stub_source(header):
    """C text that defines each function of the header, empty."""
    bodies = []
    for result, name, parameters in DECLARATION.findall(without_comments(header)):
        body = "" if result.split() == ["void"] else "return 0;"
        bodies.append(f"{' '.join(result.split())} {name}{' '.join(parameters.split())} {{ {body} }}")
    return '#include "nxs.h"\n' + "\n".join(bodies) + "\n"


class Stubs:
    """Builds stub libraries in a folder; always the same paths, so that equal interfaces give equal files."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler = Path(folder), compiler

    def build(self, header, script):
        (self.folder / "nxs.h").write_text(header)
        (self.folder / "stub.c").write_text(stub_source(header))
        (self.folder / "nxs.map").write_text(script)
        soname = "libnxs.so." + re.search(r"^#define NXS_SOVERSION (\d+)", header, re.M).group(1)
        subprocess.run([*self.compiler, "-std=c11", "-g", "-O0", "-shared", "-fPIC", "-Wl,--version-script=nxs.map",
                        "-Wl,-soname," + soname, "stub.c", "-o", "libnxs.so"], check=True, cwd=self.folder)
        return self.folder / "libnxs.so"

    def dump(self, target):
        """Writes the interface of the last stub to `target`, without paths of this machine."""
        subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", str(target),
                        "libnxs.so"], check=True, cwd=self.folder)


def is_growth(block):
    """Whether a changed struct begins with struct_size, and got new fields behind its old ones and nothing else."""
    found = GROWTH.fullmatch(block)
    if found is None:
        return False
    return all(int(offset) >= int(found["size"]) for offset in re.findall(r"at offset (\d+)", found["fields"]))


def complaints_about(stored, library, *options):
    """New functions and structs that grew at the end are no break; anything else that abidiff reports is."""
    command = ["abidiff", "--no-added-syms", "--leaf-changes-only", "--no-show-locs", *options]
    done = subprocess.run([*command, str(stored), str(library)], capture_output=True, text=True)
    if done.returncode & ~CHANGE:
        return [f"abidiff failed: {done.stdout}{done.stderr}"]
    blocks = [block for block in re.split(r"\n\n+", done.stdout.strip()) if block]
    bad = [block for block in blocks if not SUMMARY.match(block) and not is_growth(block)]
    return [line for block in bad for line in block.splitlines()]


def constants(header):
    """Enumerators with their values; the types of functions do not show them, so abidiff does not see them."""
    return dict(re.findall(r"\b(NXS_[A-Z0-9_]+)\s*=\s*(-?\d+)", without_comments(header)))


def constant_complaints(old, new):
    before, now = constants(old), constants(new)
    return [f"{name} was {value} and is {now.get(name, 'gone')}" for name, value in before.items()
            if now.get(name) != value]


def self_check(stubs, header, script):
    """Changes of today's header that break programs are found, those that do not are accepted."""
    stored = stubs.folder / "self.abi"
    stubs.build(header, script)
    stubs.dump(stored)
    must_accept("abi", complaints_about(stored, stubs.folder / "libnxs.so"))

    def change(old, new, script_old="", script_new=""):
        assert old in header and script_old in script, (old, script_old)
        library = stubs.build(header.replace(old, new, 1), script.replace(script_old, script_new, 1))
        return complaints_about(stored, library)

    last = "  uint32_t reserved;    /* 0 */\n} nxs_vote_params;"
    assert last in header
    must_accept("abi", change(last, last.replace("}", "  uint64_t more;\n}")))
    version = "NXS_API const char *nxs_version(void);"
    must_accept("abi", change(version, version + "\nNXS_API int32_t nxs_more(void);",
                              "nxs_version;", "nxs_version; nxs_more;"))
    must_complain("abi", change(version, "", "    nxs_version;\n"), "nxs_version")
    must_complain("abi", change("nxs_seq_fork(nxs_seq **out, nxs_seq *parent, int64_t length",
                                "nxs_seq_fork(nxs_seq **out, nxs_seq *parent, int32_t length"), "nxs_seq_fork")
    must_complain("abi", change("  int64_t seed;", "  double seed;"), "seed")
    must_complain("abi", change("int32_t status; char message[252];", "char message[252]; int32_t status;"),
                  "nxs_error")
    must_complain("abi", change("  uint32_t n_samples;", "  uint32_t n_new;\n  uint32_t n_samples;"), "nxs_vote_params")
    must_accept("abi", constant_complaints(header, header))
    changed = header.replace("NXS_ERR_RANGE = -18", "NXS_ERR_RANGE = -20")
    must_complain("abi", constant_complaints(header, changed), "NXS_ERR_RANGE was -18")


def main():
    verb, source, compiler = sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3:]
    if shutil.which("abidiff") is None:
        skip("abi", "abidiff is not installed (Debian: abigail-tools)")
    header, script = (source / "include_c/nxs.h").read_text(), (source / "lib/capi/nxs.map").read_text()
    stored, first = source / "tests/abi/data/nxs.abi", source / "tests/abi/data/nxs_0_1.h"
    if verb == "library":
        options = ("--headers-dir2", str(source / "include_c"), "--drop-private-types")
        finish("abi", complaints_about(stored, compiler[0], *options), len(DECLARATION.findall(header)))
    with tempfile.TemporaryDirectory() as folder:
        stubs = Stubs(folder, compiler)
        if verb == "renew":
            stubs.build(header, script)
            stubs.dump(stored)
            return
        self_check(stubs, header, script)
        library = stubs.build(header, script)
        complaints = complaints_about(stored, library) + constant_complaints(first.read_text(), header)
        finish("abi", complaints, stub_source(header).count("\n") - 1)


main()
