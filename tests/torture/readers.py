"""Clients that read from a server at a steady pace, in a process of their own, which notes how long
each answer took.
"""

import gc
import http.client
import itertools
import multiprocessing
import sys
import threading
import time
from typing import NamedTuple
from urllib.parse import urlsplit

_TIMEOUT = 120.0  # seconds
_SWITCH_SECONDS = 0.0005  # for which one reader's thread keeps the interpreter from another one's
_MOST_STRANGE = 5  # answers of each reader that are told


class Reader(NamedTuple):
    """One client: the headers that it sends, and the paths that it asks for by turns."""

    headers: dict[str, str]
    paths: list[str]


class Answer(NamedTuple):
    """``due``: when it was to be asked for, in monotonic seconds. ``seconds``: from then until it
    was read. A slow reader is not asked more rarely for being slow: what it missed counts.
    """

    due: float
    seconds: float


class ReadersProcess:
    """Each reader has a thread and a connection; the process has nothing else to do, so that no
    answer waits in it for the interpreter's lock; a context manager.
    """

    def __init__(self, address: str, readers: list[Reader], every: float):
        """``every``: seconds from one request of a reader to its next one."""
        spawn = multiprocessing.get_context("spawn")
        self._stopping, self._results = spawn.Event(), spawn.SimpleQueue()
        self._process = spawn.Process(
            target=_read_all,
            args=(address, readers, every, self._stopping, self._results),
            daemon=True,
        )
        self._answers: list[Answer] = []
        # descriptions of answers that no reader should have
        self.strange: list[str] = []

    def __enter__(self) -> "ReadersProcess":
        self._process.start()
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.join()

    def stop(self) -> None:
        """Let each reader have its last answer."""
        self._stopping.set()
        self._answers, self.strange = self._results.get()
        self._process.join()

    def list_seconds(self, since: float, until: float) -> list[float]:
        """Return how long the answers took that were due in this time, once it has stopped."""
        return [each.seconds for each in self._answers if since <= each.due < until]


def _read_all(address: str, readers: list[Reader], every: float, stopping, results) -> None:
    gc.disable()
    sys.setswitchinterval(_SWITCH_SECONDS)
    answers: list[Answer] = []
    strange: list[str] = []
    ended = threading.Event()
    begin = time.monotonic() + every
    threads = [
        threading.Thread(
            target=_read,
            args=(
                address,
                reader,
                (begin + number * every / len(readers), every),
                ended,
                (answers, strange),
            ),
        )
        for number, reader in enumerate(readers)
    ]
    for each in threads:
        each.start()
    stopping.wait()
    ended.set()
    for each in threads:
        each.join()
    results.put((answers, strange))


def _read(
    address: str,
    reader: Reader,
    pace: tuple[float, float],
    ended: threading.Event,
    found: tuple[list[Answer], list[str]],
) -> None:
    answers, strange = found
    begin, every = pace
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=_TIMEOUT)
    left = _MOST_STRANGE
    for turn in itertools.count():
        due = begin + turn * every
        if ended.wait(max(0.0, due - time.monotonic())):
            return
        path = reader.paths[turn % len(reader.paths)]
        try:
            connection.request("GET", path, headers=reader.headers)
            response = connection.getresponse()
            status, body = response.status, response.read()
        except (OSError, http.client.HTTPException) as failed:
            status, body = 0, repr(failed).encode()
            connection.close()
        answers.append(Answer(due, time.monotonic() - due))
        if status not in (200, 429) and left:
            left -= 1
            strange.append(f"GET {path}: {status} {body[:200].decode(errors='replace')}")
