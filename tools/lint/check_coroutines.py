#!/usr/bin/env python3
"""Fails on statements with co_await that also create a capturing lambda or an aggregate, and on coroutines outside http/.

g++ 12 destroys such temporaries twice. Naming the object on the line before cures it.
"""

import pathlib
import re
import sys

STRINGS_AND_COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
CAPTURE = re.compile(r"\[[^\]\[]+\]\s*(?:\(|\{|mutable)")
AGGREGATE = re.compile(r"\b[A-Z][A-Za-z_:]*\s*\{")


def statements(text):
    """Yields (line, statement), cut at semicolons, blank of strings and comments."""
    blank = STRINGS_AND_COMMENTS.sub(lambda m: " " + "\n" * m.group().count("\n"), text)
    line = 1
    for statement in re.split(r"(?<=[;{}])\s*\n|(?<=;)", blank):
        yield line, statement
        line += statement.count("\n") + 1


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    found, seen = [], 0
    for path in sorted(root.rglob("*")):
        short = str(path.relative_to(root))
        if path.suffix not in (".h", ".cc") or short.startswith(("build/", "tests/")):
            continue
        text = path.read_text()
        if not re.search(r"\bco_(await|return|yield)\b", text):
            continue
        seen += 1
        if not short.startswith("http/"):
            found.append(f"{short}: coroutines live in http/ only")
        for line, statement in statements(text):
            if "co_await" in statement and (CAPTURE.search(statement) or AGGREGATE.search(statement.split("co_await", 1)[1])):
                found.append(f"{short}:{line}: a temporary lambda or aggregate beside co_await: name it first")
    print("\n".join(found) or f"coroutines: {seen} files, no temporaries beside co_await")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
