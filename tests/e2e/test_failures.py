"""A process dies, clients leave, a port is taken: the others say so and recover."""

import json
import socket
import subprocess
import threading
import time

import pytest

from stack import BIN, MODEL, Stack, wait_until

LONG = {"model": "autoglm-phone-tiny", "messages": [{"role": "user", "content": "Tell a long story."}], "temperature": 0,
        "max_tokens": 3000, "ignore_eos": True, "stream": True}
SHORT = {"model": "autoglm-phone-tiny", "messages": [{"role": "user", "content": "你是谁？"}], "temperature": 0, "max_tokens": 8}


class Stream:
    """A streaming chat request on a socket of its own."""

    def __init__(self, stack, body=LONG):
        data = json.dumps(body).encode()
        self.socket = socket.create_connection(("127.0.0.1", stack.port), 30)
        self.socket.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data) + data)
        self.received = b""

    def read_until(self, text, seconds=30):
        self.socket.settimeout(seconds)
        while text not in self.received:
            piece = self.socket.recv(65536)
            assert piece, f"the stream ended without {text!r}: {self.received[-300:]!r}"
            self.received += piece
        return self.received

    def close(self):
        self.socket.close()


def answers(stack):
    status, reply = stack.post("/v1/chat/completions", SHORT)
    return status == 200 and reply["choices"][0]["message"]["content"]


@pytest.mark.parametrize("victim", ["worker", "router", "gateway"])
def test_kill_minus_nine_of_a_process_is_said_and_survived(victim):
    with Stack() as stack:
        before = answers(stack)
        assert before
        stream = Stream(stack)
        stream.read_until(b'"content":"')
        process = {"worker": stack.workers[0], "router": stack.router, "gateway": stack.gateway}[victim]
        process.kill()
        if victim == "gateway":
            process.start()
        else:
            # The open stream ends with an error event, a new request with a 5xx, /health says what is missing.
            tail = stream.read_until(b"data: [DONE]")
            assert b'"error":{"message":' in tail
            wait_until(lambda: stack.get("/health")[0] == 503, "/health to be 503")
            assert json.loads(stack.get("/health")[1])["error"]["message"]
            status, reply = stack.post("/v1/chat/completions", SHORT)
            assert status in (502, 503) and reply["error"]["message"], reply
            process.start()
        stack.wait_healthy()
        assert wait_until(lambda: answers(stack), "an answer after the restart") == before
        stream.close()
        wait_until(lambda: stack.in_flight() == 0, "nothing to be in flight")


def test_two_hundred_clients_that_leave_free_everything(stack):
    assert answers(stack)
    streams = [Stream(stack) for _ in range(200)]
    wait_until(lambda: stack.gauge("vllm:num_requests_running", stack.worker_ports[0]) > 0, "the worker to run something")
    streams[0].read_until(b'"content":"')
    for stream in streams:
        stream.close()
    wait_until(lambda: stack.in_flight() == 0, "running and waiting to be 0", 10)
    assert answers(stack)


def test_one_worker_of_two_may_die():
    with Stack(workers=2) as stack:
        stack.workers[0].kill()
        wait_until(lambda: answers(stack), "the other worker to answer")
        stack.workers[0].start()
        assert answers(stack)


def test_sigterm_lets_a_running_answer_finish():
    with Stack() as stack:
        stream = Stream(stack, {**LONG, "max_tokens": 300})
        stream.read_until(b'"content":"')
        stopped = threading.Thread(target=stack.gateway.stop)
        stopped.start()
        assert b'"finish_reason":"length"' in stream.read_until(b"data: [DONE]")
        stopped.join()
        assert stack.gateway.popen.returncode == 0


def test_port_in_use_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = subprocess.run([BIN / "switchboard-gateway", f"--port={port}", "--router=unix:/nowhere.sock"], capture_output=True, text=True, timeout=30)
        assert run.returncode != 0
        errors = [line for line in run.stderr.splitlines() if line.startswith("[ERROR]")]
        assert len(errors) == 1 and str(port) in errors[0] and "in use" in errors[0], run.stderr


def test_broken_checkpoints_are_one_clear_line(tmp_path):
    def error_of(model, *flags):
        run = subprocess.run([BIN / "switchboard-worker", f"--listen=unix:{tmp_path}/w.sock", f"--model={model}", *flags], capture_output=True, text=True, timeout=60)
        assert run.returncode != 0, run.stderr
        errors = [line for line in run.stderr.splitlines() if line.startswith("[ERROR]")]
        assert len(errors) == 1, run.stderr
        return errors[0]

    assert "no/such/folder" in error_of("no/such/folder")
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        broken = tmp_path / f"broken-{name}"
        broken.mkdir()
        for file in MODEL.iterdir():
            (broken / file.name).write_bytes(file.read_bytes()[: 1000 if file.name == name else None])
        assert name in error_of(broken), name
    assert "--kv-cache-memory" in error_of(MODEL, "--kv-cache-memory=1000000000000000")
