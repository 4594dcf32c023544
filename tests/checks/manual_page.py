# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: manual_page.py SOURCE NXS. tools/nxs.1 is what tools/manual_page.py writes for this command: no option and no
subcommand is missing, none is left over."""
import difflib
import sys
from pathlib import Path

from support import finish, must_accept, must_complain


def complaints_about(kept, fresh):
    names = ("tools/nxs.1", "nxs --help")
    lines = list(difflib.unified_diff(kept.splitlines(), fresh.splitlines(), *names, lineterm="", n=0))
    return lines + ["renew it: tools/manual_page.py build/tools/nxs > tools/nxs.1"] if lines else []


def main():
    source, command = Path(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, str(source / "tools"))
    sys.dont_write_bytecode = True
    import manual_page
    option = "-t,--threads UINT=0"
    must_complain("manual page", complaints_about("", manual_page.item(option, "Threads")), "\\-\\-threads")
    must_complain("manual page", complaints_about(manual_page.item(option, "Threads"), ""), "\\-\\-threads")
    must_accept("manual page", complaints_about("same\n", "same\n"))
    fresh = manual_page.page(command)
    finish("manual page", complaints_about((source / "tools/nxs.1").read_text(), fresh), fresh.count(".TP"))


main()
