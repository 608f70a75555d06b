"""A server of the S3 protocol on this machine, which we did not write (moto), with one bucket."""

import atexit
import contextlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import requests

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "tests",
    "AWS_SECRET_ACCESS_KEY": "tests",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
}
_running: list["_Server"] = []
_idle: list["_Server"] = []  # to start one takes half a second
_PROGRAM = """
import logging, os, sys, threading
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, create_backend_app
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(f"http://127.0.0.1:{server.port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()  # until the process of the tests has ended
os._exit(0)
"""


class _Server:
    """A process that serves buckets, and its address."""

    def __init__(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([sys.executable, "-c", _PROGRAM], text=True, **pipes)
        self.address = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", self.address)
        atexit.register(self.end)

    def forget_all(self) -> None:
        assert requests.post(f"{self.address}/moto-api/reset", timeout=60).ok

    def end(self) -> None:
        with self.process:
            self.process.kill()


@contextlib.contextmanager
def serving(bucket: str) -> Iterator[dict[str, str]]:
    """The environment by which the bucket is reached.

    Its server is taken again, empty, when it is no longer needed.
    """
    server = _idle.pop() if _idle else _Server()
    _running.append(server)
    try:
        assert requests.put(
            f"{server.address}/{bucket}", headers={"Authorization": _AUTHORIZATION}, timeout=60
        ).ok
        yield CREDENTIALS | {"AWS_ENDPOINT_URL": server.address}
    finally:
        _running.remove(server)
        server.forget_all()
        _idle.append(server)


def pause(seconds: float) -> None:
    """Let the newest server answer nothing for so long."""
    server = _running[-1].process
    server.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    server.send_signal(signal.SIGCONT)


_AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=tests/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, "
    "Signature=0"
)
