#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: header_filter.py nxs.h. Doxygen's input filter: prints the header with its plain comments as Doxygen's, so
that the header itself can stay a manual for people. The first comment becomes the main page, "---- title ----" a group;
a comment before declarations belongs to all of them up to the next blank line, one behind a declaration to that one."""
import re
import sys
from pathlib import Path

# What the header says once for all, in its conventions, or by a name alone: of functions, and of types.
USUAL_FUNCTIONS = {
    r"_close": "Closes the handle (conventions 3 and 4). NULL does nothing.",
    r"_params_init": "Fills `params` with the defaults; `struct_size` is sizeof *params (convention 7).",
    r"nxs_seq_new": "An empty sequence of this session; caller closes.",
    r"nxs_drafter_custom": "A drafter of the caller's own: `draft` proposes, `user` is passed to it.",
    r"nxs_result_stats": "Counts and times of the run; borrowed.",
    r"nxs_vote_answer_count": "How many samples gave the answer of this rank.",
}
USUAL_TYPES = {
    r"_params": "Parameters; NULL instead of them means the defaults (convention 7).",
    r"_info": "Facts about a handle.",
    r"nxs_stats": "Counts and times of a run.",
    r"nxs_status": "What a call that can fail returns: NXS_OK, or a negative NXS_ERR_*.",
}
FIELDS = {"struct_size": "sizeof the struct, as the side that filled it knows it (convention 7)"}
MACROS = {f"NXS_VERSION_{part}": "of this header" for part in ("MAJOR", "MINOR", "PATCH")}

SECTION = re.compile(r"/\* ---- (.*?) -+ \*/")
TOKEN = re.compile(r"/\*(?P<comment>.*?)\*/|(?P<macro>^#define[^\n]*?)(?=/\*|\n)|(?P<other>^#[^\n]*)"
                   r"|(?P<blank>\n[ \t]*(?=\n))|(?P<code>[^/\n]+|.|\n)", re.S | re.M)


def words(comment):
    """A comment's text without the stars at the beginnings of its lines."""
    return re.sub(r"\s*\n[ \t]*\*[ \t]?", "\n", comment).strip()


def escape(text, names):
    """For Doxygen without Markdown: nothing is a command, `code` is code, names of the header are links."""
    text = re.sub(r"([\\@&$#<>%])", r"\\\1", text)
    text = re.sub(r"`([^`]*)`", r"<tt>\1</tt>", text)
    return re.sub(r"\b(?:nxs|NXS)_\w+\b(?!\*)", lambda m: f'\\ref {m[0]} "{m[0]}"' if m[0] in names else m[0], text)


def main_page(comment, names):
    """The first comment: title, numbered conventions, example."""
    text = words(comment)
    title = re.search(r"^nxs\.h - (.*)$", text, re.M).group(1)
    conventions = text.split("CONVENTIONS\n", 1)[1].split("\nUnless ", 1)[0]
    unless = "Unless " + text.split("\nUnless ", 1)[1].split("\n\nEXAMPLE", 1)[0]
    example = text.split("\nEXAMPLE", 1)[1].strip("\n").split("\n", 1)[1].strip("\n")
    page = f"/** \\mainpage nxs.h\n{escape(title, names)}\n\\section conventions Conventions\n<ol>\n"
    for item in re.split(r"^ ?\d+ (?=[A-Z][a-z]+ )", conventions, flags=re.M)[1:]:
        name, _, rest = item.partition(" ")
        page += f"<li><b>{name}</b> {escape(' '.join(rest.split()), names)}</li>\n"
    page += f"</ol>\n{escape(' '.join(unless.split()), names)}\n"
    page += f"\\section example Example\n\\code{{.c}}\n{example}\n\\endcode\n*/\n"
    return page + "/** \\file\n\\brief The C interface of libnxs */\n"


def group(title, names, is_open):
    name, _, rest = title.partition(":")
    slug = re.sub(r"\W+", "_", name.lower())
    brief = f"{rest.strip()[:1].upper()}{rest.strip()[1:]}." if rest else f"{name}."
    opening = f"/** \\defgroup {slug} {escape(name, names)}\n{escape(brief, names)}\n@{{ */\n"
    return ("/** @} */\n" if is_open else "") + opening


class Declaration:
    """What ends with ';' outside braces, with the comment before it and the one behind it."""

    def __init__(self, code, before, behind):
        self.code, self.before, self.behind = code, before, behind
        self.opaque = re.fullmatch(r"\s*typedef struct (\w+) \w+;\s*", code)
        called = re.search(r"\(\s*\*(\w+)\)|(\w+)\s*\(", code) if "{" not in code else None
        named = re.search(r"\}\s*(\w+)\s*;\s*$", code) or self.opaque
        self.name = (called.group(1) or called.group(2)) if called else named.group(1) if named else ""

    def text(self, title, is_first):
        table = USUAL_FUNCTIONS if "(" in self.code and "{" not in self.code else USUAL_TYPES
        usual = [text for pattern, text in table.items() if re.search(pattern + "$", self.name)]
        if usual and self.behind == "" and not (self.before and is_first):
            return usual[0]
        if self.opaque:
            return f"{self.before} Opaque handle." if self.before else f"Opaque handle. {title}."
        return "\n\n".join(part for part in (self.before, self.behind) if part)


def fields(code, names):
    """Comments inside braces: behind a field or an enumerator; what has none is explained where all of its kind are."""
    def behind(match):
        return f"/**< {escape(words(match[1]), names)} */"
    code = re.sub(r"/\*(.*?)\*/", behind, code, flags=re.S)
    for name, text in FIELDS.items():
        code = re.sub(rf"(\b{name};)(?!\s*/\*)", rf"\1 /**< {text} */", code)
    return code


def split(header):
    """("comment" | "section" | "macro" | "blank" | "declaration", text, comment behind it) in order."""
    found, code, depth = [], "", 0

    def is_behind():
        """Whether a comment here stands on the last line of a macro or declaration."""
        return found and found[-1][0] in ("declaration", "macro") and not code.strip() and "\n" not in code

    for token in TOKEN.finditer(header):
        kind, text = token.lastgroup, token[0]
        if kind == "other":
            continue
        if kind == "macro":
            code = ""
            found.append(["macro", text, ""])
        elif kind == "comment" and depth > 0:
            code += text
        elif kind == "comment" and is_behind():
            found[-1][2] = words(token["comment"])
        elif kind == "comment" and SECTION.fullmatch(text):
            found.append(["section", SECTION.fullmatch(text)[1], ""])
        elif kind == "comment":
            found.append(["comment", words(token["comment"]), ""])
        elif kind == "blank" and depth == 0:
            found.append(["blank", "", ""])
        else:
            for character in text:
                code += character
                depth += (character == "{") - (character == "}")
                if character == ";" and depth == 0:
                    found.append(["declaration", code.strip(), ""])
                    code = ""
            if not code.strip() and "\n" in code and found and found[-1][0] in ("declaration", "macro"):
                code = "\n"
    return found


def inner_head(code):
    """A struct or enum whose own comment stands behind its opening brace: (code without it, comment)."""
    match = re.match(r"([^{]*\{)[ \t]*/\*([^*]*)\*/[ \t]*\n", code)
    return (match[1] + "\n" + code[match.end():], words(match[2])) if match else (code, "")


def linkable(header):
    """Functions, types and constants of the header."""
    names = r"\bnxs_\w+(?=\s*\()|(?<=\s)nxs_\w+(?=;)|(?<=\(\*)nxs_\w+(?=\))|\bNXS_\w+(?= = -?\d)"
    return set(re.findall(names, header))


def documented(header):
    """Yields (text for Doxygen, name, whether it has a description) for everything behind the first comment."""
    body = header[header.index("#define NXS_VERSION_MAJOR"):header.rindex("#ifdef __cplusplus")]
    body = re.sub(r"#if defined\(__GNUC__\).*?#endif\n", "", body, flags=re.S).replace("NXS_API ", "")
    body = body.replace('extern "C" {\n', "")
    names = linkable(header)
    before, is_first, title, is_open = "", True, "", False
    for kind, text, behind in split(body):
        if kind == "section":
            yield group(text, names, is_open), "", True
            before, title, is_open = "", text.partition(":")[2].strip() or text, True
        elif kind == "comment":
            before, is_first = text, True
        elif kind == "blank":
            before = ""
        elif kind == "macro":
            said = behind or MACROS.get(text.split()[1], "")
            yield f"/** {escape(said, names)} */\n{text}\n", text.split()[1], said != ""
        else:
            code, inside = inner_head(text)
            outside = before if is_first or behind == "" else ""
            item = Declaration(code, "\n\n".join(part for part in (outside, inside) if part), behind)
            said = item.text(title[:1].upper() + title[1:], is_first or inside != "")
            before, is_first = before if behind == "" else "", False
            yield f"/** {escape(said, names)} */\n{fields(code, names)}\n", item.name, said != "" or item.name == ""
    if is_open:
        yield "/** @} */\n", "", True


def main():
    header = Path(sys.argv[1]).read_text()
    sys.stdout.write(main_page(header[header.index("/*") + 2:header.index("*/")], linkable(header)))
    for text, _, _ in documented(header):
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
