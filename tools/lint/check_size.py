#!/usr/bin/env python3
"""Fails when a file or a function is too long to be read in one go (needs universal-ctags)."""

import json
import pathlib
import subprocess
import sys

# Wanted are 150 and 400 lines, and 40 for a function; these are what fails.
MAX_HEADER, MAX_FILE, MAX_FUNCTION, MAX_FOLDER_README = 200, 500, 80, 40
# file:function -> why it may be longer.
LONGER = {}


def functions(files):
    """Yields (file, name, lines) of every function definition."""
    command = ["ctags", "--languages=C++", "--kinds-C++=f", "--fields=+ne", "--output-format=json", "-f", "-", *map(str, files)]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        tag = json.loads(line)
        if "end" in tag:
            yield tag["path"], tag["name"], tag["end"] - tag["line"] + 1


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")
    files = [root / f for f in listed if f.endswith((".h", ".cc", ".cu", ".cuh")) and (root / f).exists()]
    found = []
    for path in files:
        lines = len(path.read_text().splitlines())
        limit = MAX_HEADER if path.suffix in (".h", ".cuh") else MAX_FILE
        if lines > limit:
            found.append(f"{path.relative_to(root)}: {lines} lines, more than {limit}")
    for path, name, lines in functions(files):
        short = str(pathlib.Path(path).relative_to(root))
        if lines > MAX_FUNCTION and f"{short}:{name}" not in LONGER:
            found.append(f"{short}: {name} has {lines} lines, more than {MAX_FUNCTION}")
    for path in root.glob("*/README.md"):
        if len(path.read_text().splitlines()) > MAX_FOLDER_README:
            found.append(f"{path.relative_to(root)}: more than {MAX_FOLDER_README} lines")
    print("\n".join(found) or f"sizes: {len(files)} files, none too long")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
