# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: sizes.py SOURCE. Files and functions stay short, and text is plain: licence line, no tabs, no trailing
blanks, a newline at the end, nothing invisible."""
import ast
import re
import sys
import unicodedata
from pathlib import Path

from support import finish, must_accept, must_complain, source_files, without_comments

CODE = (".h", ".c", ".cpp", ".py")
TEXT = CODE + (".sh", ".md", ".build", ".map", ".i", ".rs", ".java", ".toml", ".yml", ".txt")
LICENSED = CODE + (".sh", ".build", ".i", ".rs", ".java")
LINES_PER_FILE = 400
LINE_LENGTH = 120
PUBLIC_LINE_LENGTH = 170  # nxs.h: tables with the meaning beside each declaration
LINES_PER_FUNCTION = 60
INVISIBLE = ("Cc", "Cf", "Co", "Zl", "Zp")
ODD_BLANKS = "\u00a0\u2007\u202f"
LINES_PER_ISA_FUNCTION = 100
ISA_FOLDER = re.compile(r"^lib/kernels/[^/]+/")
OUTER = re.compile(r"(^|[\s;>])(namespace|extern|class|struct|union|enum)\b")
PREPROCESSOR = re.compile(r"^[ \t]*#[^\n]*(\\\n[^\n]*)*", re.M)


def kind_of_scope(head):
    """What a brace opens outside functions, by the text before it: "outer" (namespace, type), "function" or "data"."""
    if head.strip() == "" or re.match(r"\s*(class|struct|union)\s+alignas", head):
        return "outer"
    ends_like_function = re.search(r"\)\s*(const|noexcept|override|\s)*$", head)
    if OUTER.search(head.split("(")[0]) and not ends_like_function:
        return "outer"
    return "function" if "(" in head and not head.rstrip().endswith("=") else "data"


def functions(text):
    """(first line, lines) of each outermost function body in C or C++ text."""
    code = PREPROCESSOR.sub(lambda m: "\n" * m.group(0).count("\n"), without_comments(text))
    scopes, head, start, line, found = [], "", 1, 1, []
    for at, c in enumerate(code):
        line += c == "\n"
        if c == "{":
            inner = bool(scopes) and scopes[-1][0] != "outer"
            scopes.append(("inner" if inner else kind_of_scope(head), start, head))
            head, start = "", line
        elif c == "}" and scopes:
            kind, first, old = scopes.pop()
            following = code[at + 1:].lstrip()[:1]
            if kind in ("function", "data") and following in (",", "{"):  # an initialiser before a constructor's body
                head, start = old + "()", first
                continue
            if kind == "function":
                found.append((first, line - first + 1))
            head, start = "", line
        elif c == ";":
            head, start = "", line
        else:
            if head.strip() == "":
                start = line
            head += c
    return found


def python_functions(text):
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(n.lineno, n.end_lineno - n.lineno + 1) for n in ast.walk(ast.parse(text)) if isinstance(n, nodes)]


def text_complaints(path, text):
    complaints = []
    tabs_belong = path.endswith((".go", "Makefile")) or path == "debian/rules"
    lines = text.split("\n")
    if text and not text.endswith("\n"):
        complaints.append(f"{path}: no newline at the end")
    if path.endswith(LICENSED) and not any("SPDX-License-Identifier: Apache-2.0 OR MIT" in s for s in lines[:3]):
        complaints.append(f"{path}:1: no SPDX line")
    limit = PUBLIC_LINE_LENGTH if path == "include_c/nxs.h" else LINE_LENGTH
    for number, s in enumerate(lines, 1):
        if "\t" in s and not tabs_belong:
            complaints.append(f"{path}:{number}: a tab")
        if s != s.rstrip():
            complaints.append(f"{path}:{number}: trailing blanks")
        if path.endswith(CODE) and len(s) > limit:
            complaints.append(f"{path}:{number}: {len(s)} characters")
        hidden = [c for c in s if c != "\t" and (unicodedata.category(c) in INVISIBLE or c in ODD_BLANKS)]
        if hidden:
            complaints.append(f"{path}:{number}: invisible character U+{ord(hidden[0]):04X}")
    return complaints


def size_complaints(path, text):
    complaints = []
    if not path.endswith(CODE) or path.endswith("_tables.cpp"):
        return complaints
    n = text.count("\n")
    if n > LINES_PER_FILE:
        complaints.append(f"{path}: {n} lines")
    limit = LINES_PER_ISA_FUNCTION if ISA_FOLDER.match(path) else LINES_PER_FUNCTION
    for first, length in python_functions(text) if path.endswith(".py") else functions(text):
        if length > limit:
            complaints.append(f"{path}:{first}: a function of {length} lines")
    return complaints


def complaints_about(path, text):
    return text_complaints(path, text) + size_complaints(path, text)


def body(n):
    return "  f();\n" * n


def self_check():
    spdx = "// SPDX-License-Identifier: Apache-2.0 OR MIT\n"
    too_long = body(59) + "}\n"
    bad = [
        ("lib/a.cpp", "int a;\n", "no SPDX"),
        ("lib/a.cpp", spdx + "\tint a;\n", "a tab"),
        ("lib/a.cpp", spdx + "int a; \n", "trailing blanks"),
        ("lib/a.cpp", spdx + "int a;", "no newline"),
        ("lib/a.cpp", spdx + "int a;\u200b\n", "U+200B"),
        ("lib/a.cpp", spdx + "//" + "x" * 119 + "\n", "121 characters"),
        ("lib/a.cpp", spdx + "int a;\n" * 400, "401 lines"),
        ("lib/a.cpp", spdx + "namespace n {\nvoid g() {\n" + too_long + "}\n", ":3: a function of 61 lines"),
        ("lib/a.cpp", spdx + "struct S {\n  S() : a{1}, b{2} {\n" + too_long + "};\n", ":3: a function of 61 lines"),
        ("lib/a.cpp", spdx + "struct S* g(int a) {\n" + too_long, "a function of 61 lines"),
        ("lib/a.cpp", spdx + "template <typename T>\nauto g(T a) -> int {\n" + body(58) + "}\n", "of 61 lines"),
        ("lib/kernels/avx2/a.cpp", spdx + "void g() {\n" + body(99) + "}\n", "a function of 101 lines"),
        ("tests/a.py", "# " + spdx + "def f():\n" + "    f()\n" * 60, "a function of 61 lines"),
    ]
    for path, text, about in bad:
        must_complain("sizes", complaints_about(path, text), about)
    table = "const int t[] = {\n" + "  1,\n" * 100 + "};\nenum E {\n" + "  kA,\n" * 100 + "};\n"
    function = "namespace n {\nvoid g() {\n" + body(58) + "}\n}\n"
    must_accept("sizes", complaints_about("lib/a.cpp", spdx + function + table))
    must_accept("sizes", complaints_about("lib/kernels/ref/a.cpp", spdx + "void g() {\n" + body(98) + "}\n"))
    must_accept("sizes", complaints_about("lib/base/a_tables.cpp", spdx + "int a;\n" * 1000))


def main():
    self_check()
    root = Path(sys.argv[1])
    files = source_files(root, TEXT)
    complaints = []
    for file in files:
        complaints += complaints_about(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
    finish("sizes", complaints, len(files))


main()
