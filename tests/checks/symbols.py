# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: symbols.py SOURCE LIBRARY. The library exports the functions that nxs.h declares and nothing else, each under
the version that nxs.map gives it, and nothing in it keeps dlclose from unloading it."""
import sys
from pathlib import Path

from support import elf_symbols, finish, must_accept, must_complain
from version_script import declared, versions



def exported(symbols):
    """name -> version of each defined dynamic symbol, the version names themselves left out."""
    table = {}
    for name, bind, _, section in symbols:
        if section not in ("UND", "ABS") and bind != "LOCAL":
            table[name.split("@")[0]] = name.split("@")[-1] if "@" in name else "no version"
    return table


def complaints_about(header, script, symbols):
    names, listed, found = declared(header), versions(script), exported(symbols)
    complaints = [f"{n} is declared twice in nxs.h" for n in sorted(set(names)) if names.count(n) > 1]
    complaints += [f"{n} is declared in nxs.h and not exported" for n in sorted(set(names) - set(found))]
    complaints += [f"{n} is exported and not declared in nxs.h" for n in sorted(set(found) - set(names))]
    complaints += [f"{n} is declared in nxs.h and not in nxs.map" for n in sorted(set(names) - set(listed))]
    complaints += [f"{n} is in nxs.map and not declared in nxs.h" for n in sorted(set(listed) - set(names))]
    complaints += [f"{n} is exported as {found[n]}, nxs.map says {listed[n]}" for n in sorted(set(found) & set(listed))
                   if found[n] != listed[n]]
    complaints += [f"{n} is STB_GNU_UNIQUE: dlclose would not unload" for n, bind, _, _ in symbols if bind == "UNIQUE"]
    if "local: *" not in " ".join(script.split()):
        complaints.append("nxs.map lets everything else out: no 'local: *'")
    return complaints


def self_check():
    header = ("#define NXS_API x\nNXS_API int nxs_a(void); /* NXS_API int nxs_no(void); */\n"
              "NXS_API const char *nxs_b(\n int);\n")
    script = "NXS_0.1 {\n global: nxs_a;\n local: *;\n};\nNXS_0.2 { global: nxs_b; } NXS_0.1;\n"
    good = [("nxs_a@@NXS_0.1", "GLOBAL", "FUNC", "12"), ("nxs_b@@NXS_0.2", "GLOBAL", "FUNC", "12"),
            ("NXS_0.1", "GLOBAL", "OBJECT", "ABS"), ("malloc@GLIBC_2.2.5", "GLOBAL", "FUNC", "UND")]
    must_accept("symbols", complaints_about(header, script, good))
    bad = [
        (header, script, good[1:], "nxs_a is declared in nxs.h and not exported"),
        (header, script, good + [("XXH3", "WEAK", "FUNC", "12")], "XXH3 is exported and not declared"),
        (header, script, good + [("u", "UNIQUE", "OBJECT", "12")], "STB_GNU_UNIQUE"),
        (header, script.replace("nxs_b;", ""), good, "nxs_b is declared in nxs.h and not in nxs.map"),
        (header, script.replace("0.2", "0.3"), good, "nxs_b is exported as NXS_0.2, nxs.map says NXS_0.3"),
        (header, script.replace("local: *;", ""), good, "local: *"),
        (header + header.replace("#define", "//"), script, good, "nxs_a is declared twice"),
    ]
    for *sample, about in bad:
        must_complain("symbols", complaints_about(*sample), about)


def main():
    self_check()
    root = Path(sys.argv[1])
    header = (root / "include_c/nxs.h").read_text()
    script = (root / "lib/capi/nxs.map").read_text()
    finish("symbols", complaints_about(header, script, elf_symbols(sys.argv[2], dynamic=True)), len(declared(header)))


main()
