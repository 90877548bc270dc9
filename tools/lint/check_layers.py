#!/usr/bin/env python3
"""Fails when an include points upward, or when third-party code is used outside the folders that may use it."""

import pathlib
import re
import sys

# folder -> the project's folders it may include besides itself. The order is the order of the layers.
ALLOWED = {
    "base": set(),
    "proto": set(),
    "media": {"base"},
    "text": {"base"},
    "worker/backend": {"base"},
    "worker/model": {"base", "worker/backend"},
    "worker/engine": {"base", "worker/model"},
    "router/core": {"base"},
    "gateway/openai": {"base"},
    "rpc": {"base"},
    "http": {"base"},
    "router/service": {"base", "rpc", "router/core", "router"},
    "worker/service": {"base", "rpc", "text", "media", "worker/engine", "worker/model", "worker"},
    "gateway/models": {"base", "text", "media", "gateway/openai"},
    "gateway/upstream": {"base", "rpc", "gateway/openai", "gateway/models", "gateway"},
    "gateway/handlers": {"base", "http", "text", "media", "gateway/openai", "gateway/models", "gateway"},
    "router": {"base", "http", "rpc", "router/core", "router/service"},
    "worker": {"base", "http", "rpc", "media", "worker/backend", "worker/engine", "worker/model", "worker/service"},
    "gateway": {"base", "http", "rpc", "text", "media", "gateway/openai", "gateway/models", "gateway/upstream", "gateway/handlers"},
    "tools": {"base", "text", "media", "http", "worker/backend", "worker/model", "worker/engine"},
}
# Third-party headers: pattern -> where they may be included (path prefixes).
EDGES = {
    r"^(grpc|grpcpp)/": ("rpc/", "router/service/", "worker/service/", "gateway/upstream/"),
    r"^(google/protobuf/|switchboard/v1/)": ("rpc/", "router/service/", "worker/service/", "gateway/upstream/"),
    r"^boost/(asio|beast)": ("http/",),
    r"^boost/json": ("base/json.",),
    r"^boost/(?!asio|beast|json)": ("http/",),
    r"^hiredis": ("cache/redis/",),
    r"^(png|jpeglib|turbojpeg|jerror)\.h$": ("media/",),
    r"^openssl/": ("base/digest.", "base/secret."),
    r"^unicode/": ("text/",),
    r"^pcre2\.h$": ("text/tokenizer/",),
    r"^zlib\.h$": ("tools/golden/",),
    r"^prometheus/": ("http/", "router/", "worker/", "gateway/"),
    r"^absl/synchronization/": (),
    r"^(immintrin|cpuid|nmmintrin|x86intrin)\.h$": ("worker/backend/",),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def folder_of(path):
    """The longest listed folder that `path` lies in, or None."""
    return next((f for f in sorted(ALLOWED, key=len, reverse=True) if path.startswith(f + "/")), None)


def problems(path, text):
    own = folder_of(path)
    if own is None:
        return [f"{path}: lies in no folder of the layer table"]
    found = []
    for _, name in INCLUDE.findall(text):
        other = folder_of(name)
        if other and other != own and other not in ALLOWED[own]:
            found.append(f"{path}: {own} may not include {name}")
        for pattern, places in EDGES.items():
            if re.search(pattern, name) and not path.startswith(places or "\0"):
                found.append(f"{path}: {name} may be included only in {', '.join(places) or 'no file'}")
    return found


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    files = [p for top in {f.split("/")[0] for f in ALLOWED} for p in (root / top).rglob("*") if p.suffix in (".h", ".cc", ".cu", ".cuh")]
    found = [line for p in sorted(files) for line in problems(str(p.relative_to(root)), p.read_text())]
    print("\n".join(found) or f"layers: {len(files)} files, every include points downward")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
