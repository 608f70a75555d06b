"""Load: keeps connections busy for some seconds, from a process of its own,
and says what the answers took.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

_MARK = b"\x1e"  # ends a request in the file that the generators read


class Round(NamedTuple):
    """What came of one round. Latencies in milliseconds; ``refused``: answers of 400 and above."""

    requests: int
    refused: int
    per_second: float
    p50: float
    p99: float


def request(method: str, path: str, body: str = "", **headers: str) -> bytes:
    """The bytes of an HTTP request; header names are given with underscores."""
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        *(f"{name.replace('_', '-')}: {text}" for name, text in headers.items()),
    ]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join([*lines, "", body]).encode()


def generator() -> str:
    """What makes the load: wrk, or where it is not installed a few lines of Python
    over raw sockets.
    """
    return "wrk" if shutil.which("wrk") else "raw sockets"


def run(port: int, requests: list[bytes], connections: int, seconds: int) -> Round:
    """Ask for ``requests`` in turn over so many connections;
    every request that was sent is answered and counted.
    """
    with tempfile.NamedTemporaryFile(suffix=".requests") as file:
        file.write(b"".join(each + _MARK for each in requests))
        file.flush()
        if generator() == "wrk":
            script = Path(__file__).with_name("load.lua")
            command = [
                "wrk",
                "-t1",
                f"-c{connections}",
                f"-d{seconds + 1}s",
                "--timeout",
                "30s",
                "-s",
                str(script),
                f"http://127.0.0.1:{port}/",
                "--",
                file.name,
                str(seconds),
            ]
        else:
            command = [
                sys.executable,
                "-m",
                "tests.bench.sockets",
                str(port),
                file.name,
                str(connections),
                str(seconds),
            ]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    result = next(line for line in said.splitlines() if line.startswith("RESULT ")).split()[1:]
    count, refused, failed = map(int, result[:3])
    if failed:
        raise SystemExit(f"{failed} requests got no answer")
    return Round(count, refused, count / seconds, float(result[3]), float(result[4]))


def read(file: Path) -> list[bytes]:
    """The requests of a file that :func:`run` wrote."""
    return file.read_bytes().split(_MARK)[:-1]
