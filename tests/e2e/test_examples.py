"""Every example of the small model over HTTP: the ids are those of the reference implementation."""

import base64
import json
import pathlib

import pytest

from stack import ROOT

EXAMPLES = ROOT / "tests/golden/examples"
MARGIN = 0.02  # below this difference of the two best logits, either token is right and the comparison ends


def rows(name):
    return [json.loads(line) for line in (EXAMPLES / name).read_text().splitlines()]


def complete(stack, row):
    """The prompt as rendered text: for the rows with tools, which chat refuses until function calling is served whole."""
    body = {"model": "autoglm-phone-tiny", "prompt": row["prompt"], "temperature": 0, "max_tokens": len(row["output_ids"]) + 8,
            "return_token_ids": True, "add_special_tokens": False}
    status, reply = stack.post("/v1/completions", body)
    assert status == 200, reply
    return reply["choices"][0]["prompt_token_ids"], reply["choices"][0]["token_ids"]


def chat(stack, row):
    reply = ask(stack, row)
    return reply["prompt_token_ids"], reply["choices"][0]["token_ids"]


def ask(stack, row):
    messages = row.get("messages")
    if messages is None:
        image = base64.b64encode((EXAMPLES / row["image"]).read_bytes()).decode()
        app = json.dumps({"current_app": row["current_app"]}, ensure_ascii=False)
        messages = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}},
                                                 {"type": "text", "text": f"{row['task']}\n\n{app}"}]}]
    body = {"model": "autoglm-phone-tiny", "messages": messages, "temperature": 0, "max_tokens": len(row["output_ids"]) + 8,
            "chat_template_kwargs": {"enable_thinking": row["enable_thinking"]}, "return_token_ids": True}
    status, reply = stack.post("/v1/chat/completions", body)
    assert status == 200, reply
    return reply


def agreement(ours, row):
    """Steps compared before the first one that the reference itself was unsure of; fails at a wrong token."""
    for step, (wanted, margin) in enumerate(zip(row["output_ids"], row["margins"])):
        got = ours[step] if step < len(ours) else None
        # The end token stops the answer and is not part of it.
        if got is None and step == len(row["output_ids"]) - 1 and row["finish"] == "stop":
            return step + 1
        if got != wanted:
            assert margin <= MARGIN, f"{row['id']} step {step}: {got} instead of {wanted} (margin {margin})"
            return step
    return len(row["output_ids"])


@pytest.mark.parametrize("name", ["demo.jsonl", "examples.jsonl"])
def test_answers_are_the_references(stack, name):
    compared = total = 0
    for row in rows(name):
        prompt_ids, output_ids = (complete if row.get("tools") else chat)(stack, row)
        assert prompt_ids == row["input_ids"], row["id"]
        compared += agreement(output_ids, row)
        total += len(row["output_ids"])
    assert compared >= 0.95 * total, f"{compared} of {total} steps compared"


def test_taps_that_the_reference_gets_right_are_right(stack):
    for row in rows("examples.jsonl"):
        if not row["hit"]:
            continue
        text = ask(stack, row)["choices"][0]["message"]["content"]
        x, y = json.loads(text[text.index("element=") + 8 :].split(")")[0])
        left, top, right, bottom = row["target_box"]
        assert left <= x <= right and top <= y <= bottom, f"{row['id']}: {text}"
