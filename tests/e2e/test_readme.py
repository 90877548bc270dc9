"""The snippets of the README run as they are printed; only the port is another one."""

import json
import os
import re
import subprocess
import sys

import pytest

from stack import ROOT, Stack

README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


def run(command, stack):
    environment = {**os.environ, "PYTHONUTF8": "1", "OPENAI_API_KEY": "EMPTY"}
    code = command[-1].replace("127.0.0.1:8000", f"127.0.0.1:{stack.port}")
    done = subprocess.run([*command[:-1], code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def named_stack():
    with Stack(worker_flags=["--served-model-name=autoglm-phone-9b,autoglm-phone-tiny"]) as running:
        yield running


def expected(name, wanted):
    """The reference's answer to the example that `wanted` picks."""
    rows = map(json.loads, (ROOT / "tests/golden/examples" / name).read_text().splitlines())
    return next(row["text"] for row in rows if wanted(row))


WHO = expected("demo.jsonl", lambda row: row["messages"] == [{"role": "user", "content": "你是谁？"}] and not row["enable_thinking"])
TAP = expected("examples.jsonl", lambda row: row["image"] == "screen_000.png")


def test_curl_streams_the_answer(named_stack):
    [command] = [b for b in blocks("sh") if b.startswith("curl")]
    events = [line[6:] for line in run(["sh", "-c", command], named_stack).splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    deltas = [json.loads(e)["choices"][0]["delta"].get("content", "") for e in events[:-1]]
    assert "".join(deltas) == WHO
    assert len(deltas) > 20, "bundled"


def test_openai_snippet_prints_the_answer(named_stack):
    [snippet] = [b for b in blocks("python") if "stream=True" in b]
    assert run([sys.executable, "-c", snippet], named_stack).strip() == WHO


def test_screenshot_snippet_taps_the_icon(named_stack):
    [snippet] = [b for b in blocks("python") if "screen_000" in b]
    assert run([sys.executable, "-c", snippet], named_stack).strip() == TAP


def test_langchain_snippet_streams(named_stack):
    [snippet] = [b for b in blocks("python") if "ChatOpenAI" in b]
    assert run([sys.executable, "-c", snippet], named_stack).strip()
