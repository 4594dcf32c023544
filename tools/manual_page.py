#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: manual_page.py NXS > tools/nxs.1: the manual page nxs(1), from what the command NXS says about itself (--help)
and the texts here. The page is kept in the tree, so that building needs no run of the command; a check compares."""
import re
import subprocess
import sys

DESCRIPTION = [
    "nxs decodes with language models of the Llama class in GGUF files, on the CPU, with libnxs. Speculative decoding "
    "and votes over several samples give exactly the tokens of plain decoding; results do not depend on the number of "
    "threads, the instruction set, the batch or the page size.",
    "Results go to standard output, everything else to standard error. With --json a result is one JSON object on one "
    "line, with the key schema; keys are only ever added. Objects of run and vote hold what check needs to compute "
    "them again.",
    "Terminals alone see colours and progress that is drawn over itself; TERM=dumb turns both off, NO_COLOR the "
    "colours.",
]
EXAMPLES = [
    ("Continue a prompt", 'nxs run model.gguf "Write a haiku about the sea."'),
    ("Sixteen samples and a vote", 'nxs vote model.gguf "What is 17 + 25?" --samples 16'),
    ("Record a run, and compute it again with other settings",
     "nxs run model.gguf -f prompt.txt --json > record.jsonl\nnxs check model.gguf record.jsonl --isa avx2 -t 1"),
    ("See whether this processor and this build keep the promise", "nxs selftest --level 1"),
]
STATUS = re.compile(r"^Exit status: (.*)\.$", re.M)
LEFT = re.compile(
    r"(?P<names>\S+)"
    r"(?: (?P<type>[A-Z]+)\b(?::(?P<choices>\{[^}]*\}|[A-Z]+ in \[[^\]]*\]|[A-Z]+))?"
    r"(?:=(?P<default>\[[^\]]*\]|[^\s=]+))?)?"
    r"(?P<required> REQUIRED)?(?P<many> \.\.\.)?(?: (?P<relation>Excludes|Needs): (?P<others>.*))?$")
VALUES = {"UINT": "N", "INT": "N", "FLOAT": "X"}


def help_of(command, *words):
    return subprocess.run([command, *words, "--help"], check=True, capture_output=True, text=True).stdout


def entries(text):
    """(section, left, description) of each positional, option and subcommand in a help text."""
    section, found = "", []
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            section = line[:-1]
        elif re.match(r"  \S", line):
            left, _, right = line.strip().partition("  ")
            found.append([section, left, right.strip()])
        elif line.startswith("   ") and found:
            found[-1][2] = f"{found[-1][2]} {line.strip()}".strip()
    return [tuple(entry) for entry in found if entry[1] != "-h,--help"]


def escape(text):
    """Plain text as roff: nothing in it is a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def sentence(text):
    return escape(text[:1].upper() + text[1:] + ("" if text.endswith(".") else "."))


def item(left, description, note=""):
    """One .TP paragraph for an option or a positional as CLI11 writes it: "-t,--threads UINT=0" and its description."""
    parts = LEFT.match(left)
    if parts is None:
        raise ValueError(f"no option: {left}")
    names = ", ".join(f"\\fB{escape(name)}\\fR" if name.startswith("-") else f"\\fI{name}\\fR"
                      for name in parts["names"].split(","))
    value, remarks = parts["type"], []
    if value and left.startswith("-"):
        choices = (parts["choices"] or "")
        shown = escape(choices[1:-1].replace(",", "|")) if choices.startswith("{") else VALUES.get(value, value)
        names += f" \\fI{shown}\\fR" if shown == escape(VALUES.get(value, value)) else f" {shown}"
        if " in " in choices:
            remarks.append(choices.split(" in ")[1].strip("[]").replace(" - ", " to "))
    if value and not left.startswith("-") and (parts["choices"] or "").startswith("{"):
        remarks.append("one of " + parts["choices"][1:-1].replace(",", ", "))
    if parts["default"]:
        remarks.append("default " + parts["default"].strip("[]"))
    if parts["relation"]:
        others = ", ".join(parts["others"].split())
        remarks.append(("not with " if parts["relation"] == "Excludes" else "only with ") + others)
    if note:
        remarks.append(note)
    many = " ..." if parts["many"] else ""
    tail = f"\n{sentence('; '.join(remarks))}" if remarks else ""
    return f".TP\n{names}{many}\n{sentence(description)}{tail}\n"


def synopsis(name, options):
    positionals = [(left.split()[0], " REQUIRED" in left) for section, left, _ in options if section == "Positionals"]
    words = " ".join(f"\\fI{word}\\fR" if required else f"[\\fI{word}\\fR]" for word, required in positionals)
    return f".br\n.B nxs {name}\n[\\fIoptions\\fR] {words}".rstrip() + "\n"


def page(command):
    top = help_of(command)
    version = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    subcommands = [(left, right) for section, left, right in entries(top) if section == "Subcommands"]
    options = {name: entries(help_of(command, name)) for name, _ in subcommands}
    users = {}  # entry -> the subcommands that have it, to the letter
    for name, found in options.items():
        for entry in found:
            users.setdefault(entry, []).append(name)
    shared = [entry for entry, names in users.items() if len(names) > 1 and entry[0] == "Options"]

    text = '.\\" SPDX-License-Identifier: Apache-2.0 OR MIT\n.\\" Written by tools/manual_page.py.\n'
    text += f'.TH NXS 1 "" "nxs {version}" "User Commands"\n'
    text += ".SH NAME\nnxs \\- exact decoding with Llama\\-class models on CPUs\n.SH SYNOPSIS\n"
    text += "".join(synopsis(name, options[name]) for name, _ in subcommands).removeprefix(".br\n")
    text += ".br\n.B nxs help\n[\\fISUBCOMMAND\\fR]\n.br\n.B nxs \\-\\-version\n"
    text += ".SH DESCRIPTION\n" + ".PP\n".join(escape(paragraph) + "\n" for paragraph in DESCRIPTION)
    text += ".SH SUBCOMMANDS\n"
    for name, description in subcommands:
        text += f".SS {name}\n{sentence(description)}\n"
        text += "".join(item(*entry[1:]) for entry in options[name] if entry not in shared)
    text += ".SH OPTIONS OF SEVERAL SUBCOMMANDS\n"
    text += "".join(item(*entry[1:], "of " + ", ".join(users[entry])) for entry in shared)
    text += ".SH EXIT STATUS\n"
    for part in STATUS.search(top).group(1).split(", "):
        number, _, meaning = part.partition(" ")
        text += f".TP\n{number}\n{sentence(meaning)}\n"
    text += ".SH EXAMPLES\n"
    text += "".join(f".TP\n{escape(about)}:\n.nf\n{escape(lines)}\n.fi\n" for about, lines in EXAMPLES)
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(page(sys.argv[1]))
