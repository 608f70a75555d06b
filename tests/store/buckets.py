"""A server of the S3 protocol on this machine, which we did not write (moto), with one bucket."""

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
_running: list[subprocess.Popen[str]] = []
_PROGRAM = """
import logging
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, create_backend_app
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(f"http://127.0.0.1:{server.port}", flush=True)
server.serve_forever()
"""


@contextlib.contextmanager
def serving(bucket: str) -> Iterator[dict[str, str]]:
    """The environment by which the bucket is reached."""
    command = [sys.executable, "-c", _PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        _running.append(server)
        try:
            address = server.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
            assert requests.put(f"{address}/{bucket}", headers={"Authorization": _AUTHORIZATION}, timeout=20).ok
            yield CREDENTIALS | {"AWS_ENDPOINT_URL": address}
        finally:
            _running.remove(server)
            server.kill()


def pause(seconds: float) -> None:
    """Let the newest server answer nothing for so long."""
    server = _running[-1]
    server.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    server.send_signal(signal.SIGCONT)


_AUTHORIZATION = "AWS4-HMAC-SHA256 Credential=tests/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
