"""PeerTube's upload engine with the routes around it, as its documented REST API has them."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import requests
from support.places import Counterpart, _running

from tests.torture.victim import free_port

_PROGRAM = Path(__file__).with_name("peertube.cjs")


@contextlib.contextmanager
def peertube(folder: Path, npm_folder: Path) -> Iterator[Counterpart]:
    """A server. ``fetch`` takes what follows ``/api/v1/``, or a path that begins with ``/``."""
    folder.mkdir(exist_ok=True)
    port = free_port()
    url, environment = (
        f"http://127.0.0.1:{port}",
        {**os.environ, "NODE_PATH": str(npm_folder / "node_modules")},
    )

    def fetch(path: str) -> bytes | None:
        address = url + path if path.startswith("/") else f"{url}/api/v1/{path}"
        answer = requests.get(address, headers={"Authorization": "Bearer token"}, timeout=30)
        return answer.content if answer.ok else None

    with _running(["node", str(_PROGRAM), str(port), str(folder)], port, folder, environment):
        yield Counterpart(
            "PeerTube", {"url": url, "user": "ada", "password": "kettle", "channel": "films"}, fetch
        )
