"""Starts the real binaries on this host, joined by Unix sockets in a directory of their own, and stops them again."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SWITCHBOARD_BIN", ROOT / "build/release/bin"))
MODEL = ROOT / "models/autoglm-phone-tiny"
# Sanitizer builds are slower; every wait below is a bound, not a pause.
PATIENCE = float(os.environ.get("SWITCHBOARD_PATIENCE", "30"))
# Where the logs of all stacks are; removed after a run without failures.
FOLDERS = []


def wait_until(condition, what, seconds=PATIENCE):
    """Polls until `condition()` is true and returns its value; fails with `what` after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s in vain for {what}")


class Process:
    """One of our binaries, with its log in a file."""

    def __init__(self, folder, name, *arguments):
        self.name, self.arguments = name, [str(a) for a in arguments]
        self.ready_file, self.log = folder / f"{name}.ready", folder / f"{name}.log"
        self.popen = None
        self.ports = {}

    def start(self):
        self.ready_file.unlink(missing_ok=True)
        binary = BIN / f"switchboard-{self.name.rstrip('0123456789')}"
        with self.log.open("ab") as log:
            self.popen = subprocess.Popen([binary, *self.arguments, f"--ready-file={self.ready_file}"], stderr=log, stdout=log)
        wait_until(lambda: self.ready_file.exists() or self.popen.poll() is not None, f"{self.name} to be ready")
        assert self.popen.poll() is None, f"{self.name} ended with {self.popen.returncode}: {self.text()[-2000:]}"
        self.ports = json.loads(self.ready_file.read_text())

    def kill(self):
        """As a machine dies."""
        self.popen.kill()
        self.popen.wait()

    def stop(self):
        """As an operator stops it; its exit code."""
        if self.popen is None or self.popen.poll() is not None:
            return self.popen and self.popen.returncode
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(PATIENCE)

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class Stack:
    """worker(s), router and gateway; use it in a `with` statement."""

    def __init__(self, workers=1, worker_flags=(), gateway_flags=(), router_flags=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sb-e2e-"))
        FOLDERS.append(self.folder)
        address = lambda name: f"unix:{self.folder}/{name}.sock"
        admin = "--admin-listen=127.0.0.1:0"
        self.workers = [Process(self.folder, f"worker{i}", f"--listen={address(f'worker{i}')}", f"--model={MODEL}", admin, *worker_flags)
                        for i in range(workers)]
        watched = ",".join(address(w.name) for w in self.workers)
        self.router = Process(self.folder, "router", f"--listen={address('router')}", f"--workers={watched}", admin, *router_flags)
        self.gateway = Process(self.folder, "gateway", f"--router={address('router')}", "--port=0", admin, *gateway_flags)

    def __enter__(self):
        try:
            for process in [*self.workers, self.router, self.gateway]:
                process.start()
            self.wait_healthy()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        for process in [self.gateway, self.router, *self.workers]:
            if process.popen is not None and process.popen.poll() is None:
                process.popen.terminate()
        for process in [self.gateway, self.router, *self.workers]:
            if process.popen is not None:
                try:
                    process.popen.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()

    @property
    def port(self):
        return self.gateway.ports["port"]

    @property
    def worker_ports(self):
        return [w.ports["admin_port"] for w in self.workers]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def get(self, path, port=None):
        """Status and body of a GET."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port or self.port}{path}", timeout=PATIENCE) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def post(self, path, body):
        """Status and parsed body of a POST."""
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=10 * PATIENCE) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def wait_healthy(self):
        wait_until(lambda: self.get("/health")[0] == 200, "/health to be 200")

    def gauge(self, name, port=None):
        """The value of a metric (the sum over its labels), from the gateway or another process's admin port."""
        lines = [line for line in self.get("/metrics", port)[1].splitlines() if line.startswith((name + " ", name + "{"))]
        assert lines, f"no metric {name}"
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def in_flight(self):
        """Requests running or waiting, as gateway and workers count them."""
        ports = [None, *self.worker_ports]
        return sum(self.gauge(f"vllm:num_requests_{kind}", port) for port in ports for kind in ("running", "waiting"))
