# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: no_weak_in_kernels.py BUILD OPTIMIZATION COMPILER... No object that is compiled for an instruction set
defines a weak symbol: the linker keeps one copy of those for everybody, and it may be the one that the CPU at hand
cannot run."""
import sys
import tempfile

from support import compile_object, elf_symbols, finish, lib_objects, must_accept, must_complain, skip

# Data without code: the pointer to the exception personality.
HARMLESS = {"DW.ref.__gxx_personality_v0"}


def complaints_about(path):
    return [f"{path}: weak {name}" for name, bind, _, section in elf_symbols(path)
            if bind in ("WEAK", "UNIQUE") and section != "UND" and name not in HARMLESS]


def self_check(compiler):
    with tempfile.TemporaryDirectory() as folder:
        weak = "inline __attribute__((noinline)) int f(int a) { return a + 1; } int g(int a) { return f(a); }"
        must_complain("no_weak_in_kernels", complaints_about(compile_object(compiler, folder, weak)), "weak _Z1fi")
        strong = "static int f(int a) { return a + 1; } int g(int a) { return f(a); }"
        must_accept("no_weak_in_kernels", complaints_about(compile_object(compiler, folder, strong)))


def main():
    build, optimization, compiler = sys.argv[1], sys.argv[2], sys.argv[3:]
    self_check(compiler)
    if optimization in ("0", "g"):
        skip("no_weak_in_kernels", "without optimisation inline functions are weak; no such build is handed out")
    objects = [o for o in lib_objects(build, "lib/kernels") if o.parent.name.startswith("libnxs_kernels_")]
    finish("no_weak_in_kernels", [c for o in objects for c in complaints_about(o)], len(objects))


main()
