# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: layers.py SOURCE. Every #include between the folders of lib is an edge that the table allows."""
import re
import sys
from pathlib import Path

from support import finish, must_accept, must_complain, source_files, without_comments

BELOW_MODEL = {"kv", "text", "gguf", "kernels", "tensor", "base"}
ALLOWED = {  # folder -> folders it may include, besides itself
    "base": set(),
    "tensor": {"base"},
    "kernels": {"tensor", "base"},
    "gguf": {"tensor", "base"},
    "text": {"gguf", "tensor", "base"},
    "kv": {"tensor", "base"},
    "model": BELOW_MODEL,
    "decode": BELOW_MODEL | {"model"},
    "selftest": BELOW_MODEL | {"model", "decode"},
    "capi": BELOW_MODEL | {"model", "decode", "selftest"},
}
SINGLE_FILES = {("kv", "kernels/kernels.h")}  # the tile layout of pages is the kernels'
PUBLIC = {"nxs.h"}  # seen by capi alone
# What an ISA file may see, directly or through headers: no template whose weak copy could be kept for every CPU.
ISA_FOLDERS = ("kernels/ref/", "kernels/avx2/", "kernels/avx512/", "kernels/neon/")
ISA_SYSTEM = {"immintrin.h", "arm_neon.h", "stddef.h", "stdint.h", "math.h", "string.h",
              "cstddef", "cstdint", "cstring", "cmath"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def includes_of(text):
    return INCLUDE.findall(without_comments(text, keep_strings=True))


def edge_complaints(files):
    """files: path from lib/ -> text."""
    complaints = []
    for path, text in files.items():
        folder = path.split("/")[0]
        if folder not in ALLOWED:
            complaints.append(f"lib/{path}: the folder {folder} is not in the table")
            continue
        for kind, target in includes_of(text):
            if target in PUBLIC:
                if folder != "capi":
                    complaints.append(f"lib/{path}: only capi includes {target}")
            elif kind == '"' and "/" not in target and folder != "capi":
                complaints.append(f'lib/{path}: "{target}" is not written from lib/')
            elif kind == '"':
                other = target.split("/")[0]
                allowed = other not in ALLOWED or other == folder or other in ALLOWED[folder]
                if not allowed and (folder, target) not in SINGLE_FILES:
                    complaints.append(f"lib/{path}: {folder} may not include {target}")
    return complaints


def isa_complaints(files):
    """Follows quoted includes from each ISA file and complains about system headers outside the list."""
    complaints = []
    for start in (p for p in files if p.startswith(ISA_FOLDERS)):
        waiting, seen = [start], set()
        while waiting:
            path = waiting.pop()
            if path in seen or path not in files:
                continue
            seen.add(path)
            for kind, target in includes_of(files[path]):
                if kind == '"':
                    waiting.append(target)
                elif target not in ISA_SYSTEM:
                    complaints.append(f"lib/{start}: sees <{target}>" + (f" through {path}" if path != start else ""))
    return complaints


def complaints_about(files):
    return edge_complaints(files) + isa_complaints(files)


def self_check():
    bad = [
        ({"base/a.cpp": '#include "tensor/x.h"'}, "base may not include tensor/x.h"),
        ({"kv/a.cpp": '#include "kernels/dispatch.h"'}, "kv may not include kernels/dispatch.h"),
        ({"kv/a.cpp": '  #  include "text/b.h"'}, "kv may not include text/b.h"),
        ({"model/a.h": '#include "nxs.h"'}, "only capi includes nxs.h"),
        ({"model/a.h": '#include "config.h"'}, "not written from lib/"),
        ({"extra/a.h": ""}, "not in the table"),
        ({"kernels/avx2/a.cpp": "#include <vector>"}, "sees <vector>"),
        ({"kernels/ref/a.cpp": '#include "tensor/t.h"', "tensor/t.h": "#include <algorithm>"},
         "sees <algorithm> through tensor/t.h"),
    ]
    for files, about in bad:
        must_complain("layers", complaints_about(files), about)
    must_accept("layers", complaints_about({
        "kv/a.cpp": '#include "kernels/kernels.h"\n#include <vector>',
        "capi/a.cpp": '#include "nxs.h"',
        "base/a.cpp": '// #include "tensor/x.h"',
    }))


def main():
    self_check()
    lib = Path(sys.argv[1]) / "lib"
    files = {p.relative_to(lib).as_posix(): p.read_text() for p in source_files(lib, (".h", ".cpp"))}
    finish("layers", complaints_about(files), len(files))


main()
