# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: packaging.py SOURCE. debian/ says what the tree says: the symbols file lists the functions of nxs.map, each
since the release that added it, and names, versions and the soname are those of nxs.h."""
import re
import sys
from pathlib import Path

from support import finish, must_accept, must_complain
from version_script import versions


def release_of(version):
    """NXS_0.2 came with release 0.2.0."""
    return version.removeprefix("NXS_") + ".0"


def symbol_complaints(script, symbols, soversion):
    listed = versions(script)
    wanted = {f"{name}@{version}": release_of(version) for name, version in listed.items()}
    wanted |= {f"{version}@{version}": release_of(version) for version in listed.values()}
    head, *lines = [line for line in symbols.splitlines() if line.strip()]
    found = dict(line.split() for line in lines if line.startswith(" "))
    is_soname = head.startswith(f"libnxs.so.{soversion} libnxs{soversion} ")
    complaints = [] if is_soname else [f"'{head}' is not soname {soversion}"]
    complaints += [f"{name} is in nxs.map and not in the symbols file" for name in sorted(set(wanted) - set(found))]
    complaints += [f"{name} is in the symbols file and not in nxs.map" for name in sorted(set(found) - set(wanted))]
    both = sorted(set(wanted) & set(found))
    return complaints + [f"{name} is there since {wanted[name]}, not {found[name]}" for name in both
                         if wanted[name] != found[name]]


def version_complaints(header, changelog, control):
    number = {name: value for name, value in re.findall(r"^#define NXS_(\w+) (\d+)", header, re.M)}
    version = ".".join(number[f"VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH"))
    latest = re.match(r"nxs \(([^)~+-]*)", changelog)
    complaints = [] if latest and latest.group(1) == version else [f"debian/changelog is not at {version}"]
    package = f"libnxs{number['SOVERSION']}"
    has_package = f"\nPackage: {package}\n" in control
    return complaints + ([] if has_package else [f"debian/control has no package {package}"])


def self_check():
    script = "NXS_0.1 {\n global: nxs_a;\n local: *;\n};\nNXS_0.2 { global: nxs_b; } NXS_0.1;\n"
    symbols = ("libnxs.so.0 libnxs0 #MINVER#\n* Build-Depends-Package: libnxs-dev\n NXS_0.1@NXS_0.1 0.1.0\n"
               " NXS_0.2@NXS_0.2 0.2.0\n nxs_a@NXS_0.1 0.1.0\n nxs_b@NXS_0.2 0.2.0\n")
    must_accept("packaging", symbol_complaints(script, symbols, "0"))
    must_complain("packaging", symbol_complaints(script, symbols, "1"), "soname 1")
    renamed, older = symbols.replace("nxs_b@", "nxs_c@"), symbols.replace(" 0.2.0", " 0.1.0")
    must_complain("packaging", symbol_complaints(script, renamed, "0"), "nxs_b@NXS_0.2 is in nxs.map")
    must_complain("packaging", symbol_complaints(script, older, "0"), "since 0.2.0, not 0.1.0")
    numbers = ("VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH", "SOVERSION")
    header = "".join(f"#define NXS_{name} 1\n" for name in numbers)
    must_accept("packaging", version_complaints(header, "nxs (1.1.1) x", "\nPackage: libnxs1\n"))
    must_complain("packaging", version_complaints(header, "nxs (1.1.0) x", "\nPackage: libnxs1\n"), "not at 1.1.1")
    older = version_complaints(header, "nxs (1.1.1) x", "\nPackage: libnxs0\n")
    must_complain("packaging", older, "no package libnxs1")


def main():
    self_check()
    root = Path(sys.argv[1])
    header, script = (root / "include_c/nxs.h").read_text(), (root / "lib/capi/nxs.map").read_text()
    soversion = re.search(r"^#define NXS_SOVERSION (\d+)", header, re.M).group(1)
    symbols = (root / f"debian/libnxs{soversion}.symbols").read_text()
    complaints = symbol_complaints(script, symbols, soversion)
    changelog, control = ((root / "debian" / name).read_text() for name in ("changelog", "control"))
    complaints += version_complaints(header, changelog, control)
    finish("packaging", complaints, len(versions(script)))


main()
