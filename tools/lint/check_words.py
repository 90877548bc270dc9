#!/usr/bin/env python3
"""Fails on references to anything outside the repository, and on marks of unfinished work."""

import pathlib
import re
import subprocess
import sys

SELF = "tools/lint/check_words.py"
BINARY = (".png", ".jpg", ".jpeg", ".safetensors", ".webp", ".gif", ".bmp", ".gz", ".bin")
DATA = ("tests/golden/", "tests/data/", "tests/fuzz/corpus/", "models/")
WORDS = {
    r"\.\./shared|(?<![\w.])/work/|/home/\w": "a path of one machine",
    r"\bpypi\.org|files\.pythonhosted|deb\.debian\.org|registry\.npmjs": "the host of a package registry",
    r"\b(TODO|FIXME|XXX|HACK)\b": "a mark of unfinished work",
}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")
    found = []
    for name in filter(None, listed):
        path = root / name
        if name == SELF or name.endswith(BINARY) or name.startswith(DATA) or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found += [f"{name}:{number}: {why}: {line.strip()[:80]}" for pattern, why in WORDS.items() if re.search(pattern, line)]
    print("\n".join(found) or f"words: {len(listed)} files refer to nothing outside")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
