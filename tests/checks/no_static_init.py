# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: no_static_init.py BUILD COMPILER... No object of the library runs code when it is loaded or unloaded, and
none has data that can be written: no constructors, no function-local statics, no thread_local."""
import re
import sys
import tempfile

from support import compile_object, elf_symbols, finish, lib_objects, must_accept, must_complain, output_of

# Relocated constants, and the pointer to the exception personality.
WRITABLE_AND_FINE = re.compile(r"^\.data\.rel\.ro|^\.data\.rel\.local\.DW\.ref")
RUNS_AT_LOAD = re.compile(r"^\.(init_array|fini_array|ctors|dtors|preinit_array)")
NAMES = {
    "__cxa_guard_acquire": "a static that is made at first use",
    "__cxa_atexit": "a destructor at exit",
    "__cxa_thread_atexit": "a thread_local with a destructor",
}


def sections(path):
    """(name, size, flags) of each section."""
    number = r"[0-9a-f]+"  # columns: [index] name type address offset size entry-size flags
    pattern = re.compile(rf"^\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+{number}\s+{number}\s+({number})\s+{number}\s*([A-Za-z]*)\s")
    for line in output_of("readelf", "-W", "-S", path).splitlines():
        match = pattern.match(line)
        if match:
            yield match.group(1), int(match.group(2), 16), match.group(3)


def complaints_about(path):
    complaints = []
    for name, size, flags in sections(path):
        if size and RUNS_AT_LOAD.match(name):
            complaints.append(f"{path}: code that runs at load or unload ({name})")
        elif size and "T" in flags:
            complaints.append(f"{path}: thread-local data ({name})")
        elif size and "W" in flags and "A" in flags and not WRITABLE_AND_FINE.match(name):
            complaints.append(f"{path}: {size} bytes that can be written ({name})")
    complaints += [f"{path}: {NAMES[n]} ({n})" for n, *_ in elf_symbols(path) if n in NAMES]
    return complaints


def self_check(compiler):
    make = "struct S { S(); ~S(); int i; }; "
    samples = {
        make + "S s;": "runs at load",
        "int counter = 3;": "can be written",
        "int counter;": "can be written",
        make + "int f() { static S s; return s.i; }": "made at first use",
        make + "int f() { thread_local S s; return s.i; }": "thread_local",
    }
    with tempfile.TemporaryDirectory() as folder:
        for text, about in samples.items():
            must_complain("no_static_init", complaints_about(compile_object(compiler, folder, text)), about)
        good = 'extern const char* const a[]; const char* const a[] = {"a"}; struct V { virtual ~V(); }; V::~V() {}'
        must_accept("no_static_init", complaints_about(compile_object(compiler, folder, good, "-fPIC")))


def main():
    self_check(sys.argv[2:])
    objects = lib_objects(sys.argv[1])
    finish("no_static_init", [c for o in objects for c in complaints_about(o)], len(objects))


main()
