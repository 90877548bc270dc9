"""A checkpoint of the true size: its headers are checked and its memory is planned at once, and what cannot fit is refused."""

import re
import resource
import subprocess
import sys
import time

import pytest

from stack import BIN, MODEL, PATIENCE, ROOT


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("size") / "autoglm-phone-9b"
    made = subprocess.run([sys.executable, ROOT / "tools/synthetic/make_checkpoint.py", out, "--like", MODEL], check=True,
                          capture_output=True, text=True)
    # What the index of the published checkpoint says.
    assert made.stderr.startswith("704 tensors, 10292777472 parameters, 20585554944 bytes")
    return out


@pytest.mark.parametrize("dtype,weights", [("float32", "38.3 GiB"), ("auto", "19.2 GiB")])
def test_a_model_too_large_is_refused_with_the_numbers(folder, tmp_path, dtype, weights):
    # A thousandth of the memory of any host is too little for either.
    began = time.monotonic()
    worker = subprocess.run([BIN / "switchboard-worker", f"--model={folder}", f"--listen=unix:{tmp_path}/w", f"--dtype={dtype}",
                             "--workers-on-host=1000"], capture_output=True, text=True, timeout=2 * PATIENCE)
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{dtype}: headers read and memory planned in {seconds:.2f} s, peak memory {peak / 1024:.0f} MiB")
    assert worker.returncode != 0
    last = worker.stderr.strip().splitlines()[-1]
    assert re.search(rf"weights \({weights}\).*do not fit into .*MiB.*--", last), worker.stderr
