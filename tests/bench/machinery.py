"""``python -m tests.bench.machinery``: what each part of our own machinery buys, beside the same
server with the plain way.

All servers run at the same time; the one with everything and one without a part are asked in pairs,
over eight connections. A part stays if it buys 10 % of the requests a second, or of the processor
time of a request, of a status read or a trigger; or an exactness that the specification asks for.
``docs/architecture.md`` has the figures.

Two parts buy something else. The wake FIFO is measured by the time from a commit to the receiver's
first byte, and the arbiter by the requests that fail, and how long the slowest waits, at a reload.

    --seconds 2 --rounds 7      of each measurement
    --part "group commit"       only this part, or these
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from svc.base import clock, settings
from svc.domain import master_keys
from svc.store import database, wake
from svc.store.database import db
from tests.bench import latency, load, partners
from tests.bench.api import PARTNERS, machine
from tests.bench.serve_without import PARTS
from tests.bench.servers import OURS, Server, serving

CONNECTIONS = 8
BUYS = 1.10  # times the plain way
KINDS = ("status read", "trigger")
RELOAD, WAKE = "arbiter", "wake FIFO"
_EVENT_SECONDS = 5
_CALM_SECONDS = 1.0  # before a reload
_RELOAD_SECONDS = 60.0  # until the old worker has ended
_PAUSE = 0.01  # between two requests during a reload


class Asked(NamedTuple):
    """A server, and the requests of its partners by what is asked."""

    server: Server
    requests: dict[str, list[bytes]]


class Round(NamedTuple):
    """One measurement. ``cpu``: processor time of the worker for a request, in ms."""

    per_second: float
    p99: float
    cpu: float


# by the server with everything, and by the one without a part; None: requests got no answer
Pairs = list[tuple[Round | None, Round | None]]


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--seconds", type=int, default=2, help="of each measurement")
    asked.add_argument("--rounds", type=int, default=7)
    asked.add_argument("--part", action="append", choices=[*PARTS, WAKE], help="only this one")
    given = asked.parse_args()
    parts = given.part or [*PARTS, WAKE]
    print(machine())
    loaded = [name for name in parts if name not in (RELOAD, WAKE)]
    if loaded:
        with tempfile.TemporaryDirectory(prefix="machinery.") as folder, ExitStack() as stack:
            askers = _make(Path(folder), PARTNERS)
            servers = {
                name: Asked(stack.enter_context(_serving(Path(folder), name)), _requests(askers))
                for name in ("everything", *loaded)
            }
            _print(_measure(servers, given.seconds, given.rounds))
    for part, measure in ((RELOAD, _print_reloads), (WAKE, _print_wake)):
        if part in parts:
            with tempfile.TemporaryDirectory(prefix="machinery.") as folder:
                measure(Path(folder))


def _make(folder: Path, number: int) -> list[partners.Asker]:
    """Make a data directory with so many partners, of which each server gets a copy."""
    chosen = settings.read({}, data_dir=folder / "made")
    database.open_database(chosen.database)
    master_keys.open_ring(chosen.secret, clock.now())
    askers = partners.make(number)
    db.close()
    return askers


def _serving(folder: Path, name: str) -> AbstractContextManager[Server]:
    shutil.copytree(folder / "made", folder / name)
    command = OURS if name == "everything" else ["-m", "tests.bench.serve_without", name]
    return serving(command, folder / name)


def _requests(askers: list[partners.Asker]) -> dict[str, list[bytes]]:
    requests = ([each.status() for each in askers], [each.trigger() for each in askers])
    return dict(zip(KINDS, requests, strict=True))


def _measure(servers: dict[str, Asked], seconds: int, rounds: int) -> dict[tuple[str, str], Pairs]:
    """Ask the server with everything and one without a part, one right after the other, so that
    whatever else the machine does falls on both; in turn, which one is first.
    """
    measured = defaultdict(list)
    whole = servers.pop("everything")
    for number in range(rounds):
        for kind in KINDS:
            for name, plain in servers.items():
                pair = (whole, plain) if number % 2 == 0 else (plain, whole)
                done = [_load(asked, kind, seconds) for asked in pair]
                measured[name, kind].append(tuple(done if number % 2 == 0 else reversed(done)))
        print(f"round {number + 1} of {rounds}", end="\r", flush=True)
    return measured


def _load(asked: Asked, kind: str, seconds: int) -> Round | None:
    before = asked.server.cpu_seconds()
    try:
        done = load.run(asked.server.port, asked.requests[kind], CONNECTIONS, seconds)
    except (SystemExit, subprocess.CalledProcessError):
        return None
    used = asked.server.cpu_seconds() - before
    return Round(done.per_second, done.p99, 1000 * used / done.requests)


def _print(measured: dict[tuple[str, str], Pairs]) -> None:
    """A line for each part, of medians; what it buys is the median of the pairs' ratios."""
    print(
        f"{'without':24}{'':12}{'requests/s':>11}{'p99 ms':>9}{'cpu ms':>8}{'with, times':>13}"
        f"{'cpu, times':>12}"
    )
    for (name, kind), pairs in measured.items():
        answered = [(whole, plain) for whole, plain in pairs if whole and plain]
        if len(answered) < len(pairs):
            lost = len(pairs) - len(answered)
            print(f"{name:24}{kind:12}requests got no answer in {lost} of {len(pairs)} rounds")
            continue
        speed = statistics.median(whole.per_second / plain.per_second for whole, plain in answered)
        work = statistics.median(plain.cpu / whole.cpu for whole, plain in answered)
        columns = zip(*(plain for _, plain in answered), strict=True)
        per_second, p99, cpu = map(statistics.median, columns)
        verdict = "kept for speed" if max(speed, work) >= BUYS else "not kept for speed"
        print(
            f"{name:24}{kind:12}{per_second:11.0f}{p99:9.2f}{cpu:8.3f}{speed:13.2f}{work:12.2f}"
            f"  {verdict}"
        )


def _print_reloads(folder: Path) -> None:
    _make(folder, 1)
    for name in ("everything", RELOAD):
        with _serving(folder, name) as server:
            number, failed, slowest = _reload(server)
        print(
            f"reload {'with' if name == 'everything' else 'without'} our arbiter: {failed} of "
            f"{number} requests failed, the slowest took {slowest:.2f} s"
        )


def _reload(server: Server) -> tuple[int, int, float]:
    """Reload while requests come one after the other; how many there were, how many of them failed,
    and how many seconds the slowest took.
    """
    taken, failed, ended = [], [], threading.Event()

    def ask() -> None:
        while not ended.wait(_PAUSE):
            began = time.perf_counter()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{server.port}/healthz", timeout=60).read()
            except (OSError, urllib.error.URLError) as failure:
                failed.append(failure)
            taken.append(time.perf_counter() - began)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        time.sleep(_CALM_SECONDS)
        old = Path(f"/proc/{server.worker}")
        server.reload()
        until = time.monotonic() + _RELOAD_SECONDS
        while old.exists() and time.monotonic() < until:
            time.sleep(_PAUSE)
        time.sleep(_CALM_SECONDS)
    finally:
        ended.set()
        asking.join()
    return len(taken), len(failed), max(taken)


def _print_wake(folder: Path) -> None:
    woken = latency.run(folder / "woken", _EVENT_SECONDS, 0)
    with mock.patch.object(wake, "wake_engine", lambda: None):
        polled = latency.run(folder / "polled", _EVENT_SECONDS, 0)
    print(
        f"wake FIFO: commit to the receiver's first byte p50 {woken.p50:.1f} ms; without it "
        f"{polled.p50:.0f} ms"
    )


if __name__ == "__main__":
    main()
