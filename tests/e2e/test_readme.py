"""The snippets of the README run as they are printed; only the port is another one."""

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


WHO = "我是AutoGLM-Phone-tiny，Switchboard自带的小型演示模型，会看手机截图并给出操作。"


def test_curl_streams_the_answer(named_stack):
    import json

    [command] = [b for b in blocks("sh") if b.startswith("curl")]
    events = [line[6:] for line in run(["sh", "-c", command], named_stack).splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    deltas = [json.loads(e)["choices"][0]["delta"].get("content", "") for e in events[:-1]]
    assert "".join(deltas) == WHO and len(deltas) > 20


def test_openai_snippet_prints_the_answer(named_stack):
    [snippet] = [b for b in blocks("python") if "stream=True" in b]
    assert run([sys.executable, "-c", snippet], named_stack).strip() == WHO


def test_screenshot_snippet_taps_the_icon(named_stack):
    [snippet] = [b for b in blocks("python") if "screen_000" in b]
    assert run([sys.executable, "-c", snippet], named_stack).strip() == 'do(action="Tap", element=[833,856])'


def test_langchain_snippet_streams(named_stack):
    [snippet] = [b for b in blocks("python") if "ChatOpenAI" in b]
    assert run([sys.executable, "-c", snippet], named_stack).strip()
