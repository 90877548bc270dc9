"""run_autoglm_server.sh: starts everything, restarts what dies, stops cleanly, says what is wrong in one line."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.request

import pytest

from stack import PATIENCE, ROOT, wait_until

SCRIPT = ROOT / "run_autoglm_server.sh"
BODY = {"model": "tiny", "messages": [{"role": "user", "content": "你是谁？"}], "temperature": 0, "max_tokens": 8}


class Server:
    """The script as a person starts it, with its output in a file."""

    def __init__(self, folder, *arguments, command=("sh", str(SCRIPT))):
        self.output = folder / "output"
        with self.output.open("wb") as out:
            self.popen = subprocess.Popen([*command, *arguments], stdout=out, stderr=out, cwd=folder, start_new_session=True)

    def text(self):
        return self.output.read_text(errors="replace")

    def url(self):
        found = wait_until(lambda: re.search(r"ready: (http://\S+)/v1 serves (\S+)", self.text()) or self.popen.poll() is not None, "the ready line", 10 * PATIENCE)
        assert found is not True, self.text()
        return found[1]

    def stop(self, number=signal.SIGTERM):
        self.popen.send_signal(number)
        return self.popen.wait(PATIENCE)

    def children(self):
        """Process ids of our binaries below the script, by name."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue  # it has ended meanwhile
            if self.run_folder() in " ".join(words) and "/switchboard-" in words[0]:
                found[words[0].rsplit("-", 1)[1]] = int(folder.name)
        return found

    def run_folder(self):
        return re.search(r"worker ready on unix:(\S+)/worker0.sock", self.text())[1]


def answer(url):
    request = urllib.request.Request(url + "/v1/chat/completions", json.dumps(BODY).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]
    except OSError:
        return None


@pytest.fixture
def server(tmp_path):
    started = []

    def start(*arguments, **kwargs):
        started.append(Server(tmp_path, *arguments, **kwargs))
        return started[-1]

    yield start
    for one in started:
        if one.popen.poll() is None:
            one.stop()


def test_serves_through_a_symlink_and_stops_on_sigterm(server, tmp_path):
    link = tmp_path / "a link to it.sh"
    link.symlink_to(SCRIPT)
    running = server("--port", "0", "--served-model-name=tiny", command=("sh", str(link)))
    url = running.url()
    assert answer(url)
    folder = running.run_folder()
    assert running.stop() == 0
    assert not os.path.exists(folder) and not running.children()


def test_two_servers_do_not_clash(server, tmp_path):
    (tmp_path / "second").mkdir()
    first = server("--port=0", "--served-model-name=tiny").url()
    began = time.monotonic()
    other = Server(tmp_path / "second", "--port=0", "--served-model-name=tiny")
    try:
        second = other.url()
        print(f"second start ready after {time.monotonic() - began:.2f} s")
        assert first != second and answer(first) and answer(first) == answer(second)
    finally:
        other.stop()


@pytest.mark.parametrize("victim", ["worker", "router", "gateway"])
def test_starts_a_dead_child_again(server, victim):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = server(f"--port={port}", "--served-model-name=tiny")
    url = running.url()
    before = running.children()[victim]
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: running.children().get(victim, before) != before, f"a new {victim}")
    assert wait_until(lambda: answer(url), "an answer from the restarted server")


def test_help_lists_what_the_script_takes(server):
    shown = server("--help")
    assert shown.popen.wait(PATIENCE) == 0
    listed = set(re.findall(r"^    --([a-z-]+)", shown.text(), re.MULTILINE))
    assert {"num-workers", "model", "kv-cache-memory", "port", "queue-timeout", "drain-timeout"} <= listed
    assert not {"listen", "router", "workers", "workers-on-host", "ready-file"} & listed


def test_says_in_one_line_what_is_wrong(server, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for arguments, wanted in ((["--port", str(port)], "the gateway did not start: .*in use"), (["--no-such-flag=1"], "--no-such-flag"), (["--max-num-seqs=x"], "max-num-seqs|max_num_seqs"),
                                  (["--model=/no/such/folder", "--port=0"], "the worker0 did not start: .*/no/such/folder"), (["rubbish"], "rubbish"), (["--num-workers=0"], "num-workers")):
            running = server(*arguments)
            assert running.popen.wait(2 * PATIENCE) != 0
            last = running.text().strip().splitlines()[-1]
            assert last.startswith("[ERROR]") and re.search(wanted, last), running.text()
