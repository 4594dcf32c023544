# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the header declares and what the version script lists, for the checks that compare the two with something."""
import re

from support import without_comments

VERSION = re.compile(r"(NXS_[0-9.]+)\s*\{(.*?)\}\s*(NXS_[0-9.]+)?\s*;", re.S)


def declared(header):
    """Names behind NXS_API."""
    code = re.sub(r"^[ \t]*#[^\n]*$", "", without_comments(header), flags=re.M)
    return re.findall(r"\bNXS_API\b[^;(]*?(\w+)\s*\(", code)


def versions(script):
    """name -> version, from the version script."""
    table = {}
    for version, content, _ in VERSION.findall(re.sub(r"#[^\n]*|/\*.*?\*/", "", script, flags=re.S)):
        for name in content.replace("global:", "").replace("local:", ";").split(";"):
            if name.strip() and name.strip() != "*":
                table[name.strip()] = version
    return table
