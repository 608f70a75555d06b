"""``python -m tests.bench.machines``: what one PostgreSQL carries, with servers and workers as
processes of one machine.

Steps a second over 1, 2, 4 and 8 workers, whose steps only wait, so that the processor is not what
ends it; the time from the commit of a trigger to the start of its first step; claims a second; and
triggers and status reads a second beside SQLite and a bare Flask. PostgreSQL waits for the disk at
each commit. It ends with 1 if the steps are not as asked.

    --seconds 25        of each measurement of steps
    --most 8            workers
    --rounds 3          of requests
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from svc.base import clock, settings
from svc.cli.demo.demo_server import Server
from svc.domain import master_keys
from svc.domain.lifecycle import render_queue
from svc.store import claims, database
from svc.store.database import db
from tests.bench import load, partners
from tests.bench.api import machine
from tests.bench.servers import BARE, OURS, serving
from tests.store import buckets
from tests.support import plain_sql
from tests.support.machines import WaitingWorker
from tests.support.postgres_server import PostgresServer

LINEAR, START_MS = 0.9, 50.0  # asked
_TRIGGERS = 60
_CLAIMERS, _CLAIM_SECONDS = 4, 5.0
_ASKERS = 200  # times 300 requests a minute


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--seconds", type=float, default=25.0)
    asked.add_argument("--most", type=int, default=8)
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--claim", nargs=2, metavar=("ADDRESS", "FOLDER"), help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.claim:
        print(claim_for(*given.claim))
        return
    print(machine(), flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="bench.") as folder,
        PostgresServer(fsync=True) as postgres,
    ):
        with buckets.serving("media") as bucket:
            farm = Farm(postgres.make("farm"), bucket, Path(folder))
            passed = farm.measure(given.seconds, given.most)
        print(
            (
                f"{claims_a_second(postgres.make('claims'), Path(folder)):8.0f} claims a second, "
                f"by {_CLAIMERS} processes"
            ),
            flush=True,
        )
        if given.rounds:
            requests(postgres.make("requests"), Path(folder), given.rounds)
    raise SystemExit(0 if passed else 1)


class Farm:
    """A server that runs no step, and workers that only wait."""

    def __init__(self, address: str, bucket: dict[str, str], folder: Path):
        self._address, self._folder = address, folder
        self._shared = bucket | {
            "SVC_DATABASE_URL": address,
            "SVC_STORAGE_URL": "s3://media/farm",
            "SVC_VOICE": "espeak-ng",
        }
        (folder / "server").mkdir()

    def measure(self, seconds: float, most: int) -> bool:
        """Measure steps and starts; return whether they are as asked."""
        database.open_database(self._folder / "here" / "service.db", self._address)
        master_keys.open_ring(self._folder / "server" / "secret", clock.now())
        try:
            with Server(self._folder / "server", 0, SVC_RENDER_WORKERS="0", **self._shared):
                starts = self._starts()
                return self._steps(seconds, most) and starts
        finally:
            db.close()

    def _steps(self, seconds: float, most: int) -> bool:
        first, ratio = 0.0, 1.0
        for number in (each for each in (1, 2, 4, 8, 16) if each <= most):
            partners.make(1 + number // 3)  # with 20 productions each, of seven steps
            with self._workers(number, 1.0):
                time.sleep(3.0)
                rate = self._rate(seconds)
            first = first or rate
            ratio = rate / first / number
            print(
                (
                    f"{rate:8.2f} steps of one second a second by {number} workers, {ratio:.2f} "
                    "of linear"
                ),
                flush=True,
            )
        return ratio >= LINEAR

    def _rate(self, seconds: float) -> float:
        since = clock.now()
        time.sleep(seconds)
        sql = (
            "SELECT completed_at FROM production_steps WHERE completed_at > ? ORDER BY completed_at"
        )
        done = [row[0] for row in plain_sql.rows(sql, (since,))]
        return 1000 * (len(done) - 1) / (done[-1] - done[0])

    def _starts(self) -> bool:
        with self._workers(1, 0.01):
            waits = [self._start() for _ in range(_TRIGGERS)]
        p50, p95 = statistics.median(waits), statistics.quantiles(waits, n=20)[-1]
        print(
            f"{p50:8.1f} ms from commit to start of the step in the median, {p95:.1f} ms at p95",
            flush=True,
        )
        return p50 <= START_MS

    def _start(self) -> float:
        """Trigger one production where nothing else waits; return the milliseconds until its first
        step was started.
        """
        [asker] = partners.make(1, each=1)
        committed = time.time() * 1000
        sql = "SELECT started_at FROM production_steps WHERE production_id = ? AND position = 0"
        _until(
            lambda: plain_sql.row(
                "SELECT 1 FROM productions WHERE id = ? AND status = 'AwaitingApproval'",
                (asker.production,),
            )
        )
        return max(0.0, plain_sql.one(sql, (asker.production,))[0] - committed)

    @contextmanager
    def _workers(self, number: int, seconds: float) -> Iterator[None]:
        """Run workers, which the server has counted when the block begins."""
        with ExitStack() as stack:
            for each in range(number):
                secret = self._folder / "server" / "secret"
                more = self._shared | {"WAIT_SECONDS": str(seconds)}
                stack.enter_context(WaitingWorker(self._folder / f"worker{each}", secret, **more))
            sql = "SELECT 1 FROM meta WHERE name = 'render_workers' AND value = ?"
            _until(lambda: plain_sql.row(sql, (str(number),)))
            yield


def _until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        if time.monotonic() > deadline:
            raise SystemExit("the workers did not get there within a minute")
        time.sleep(0.02)


def claims_a_second(address: str, folder: Path) -> float:
    """Let several processes claim and give back the steps of many productions."""
    database.open_database(folder / "claims" / "service.db", address)
    try:
        partners.make(10)
        with db.transaction():
            plain_sql.execute("INSERT INTO meta VALUES ('render_workers', '64')")
    finally:
        db.close()
    command = [sys.executable, "-m", "tests.bench.machines", "--claim", address]
    running = [
        subprocess.Popen(
            [*command, str(folder / f"claims{each}")], stdout=subprocess.PIPE, text=True
        )
        for each in range(_CLAIMERS)
    ]
    return sum(float(each.communicate(timeout=120)[0]) for each in running)


def claim_for(address: str, folder: str) -> float:
    """Claim and give back for some seconds; return how many claims a second."""
    database.open_database(Path(folder) / "service.db", address)
    driver, number, began = claims.Driver.start_at("bench:"), 0, time.monotonic()
    while time.monotonic() - began < _CLAIM_SECONDS:
        claim = render_queue.claim_next(driver, clock.now())
        if claim is not None:
            number += 1
            render_queue.release_claim(claim)
    seconds = time.monotonic() - began
    db.close()
    return number / seconds


def requests(address: str, folder: Path, rounds: int) -> None:
    """Measure triggers and status reads of a server on PostgreSQL, one on SQLite,
    and a bare Flask, turn about.
    """
    found: dict[str, list[float]] = {}
    places = {"SQLite": "", "PostgreSQL": address}
    with ExitStack() as stack:
        bare = stack.enter_context(serving(BARE, folder / "bare"))
        asked = {"bare Flask": (bare.port, [load.request("GET", "/hello")])}
        for name, where in places.items():
            askers = _askers(folder / name, where)
            more = {"SVC_DATABASE_URL": where} if where else {}
            port = stack.enter_context(serving(OURS, folder / name, **more)).port
            asked |= {f"status read, {name}": (port, [each.status() for each in askers])}
            asked |= {f"trigger, {name}": (port, [each.trigger() for each in askers])}
        for _ in range(rounds):
            for name, (port, wanted) in asked.items():
                found.setdefault(name, []).append(load.run(port, wanted, 8, 3).per_second)
    for name, rates in found.items():
        print(f"{statistics.median(rates):8.0f} a second, 8 connections: {name}", flush=True)


def _askers(folder: Path, address: str) -> list[partners.Asker]:
    chosen = settings.read({}, data_dir=folder)
    folder.mkdir()
    database.open_database(chosen.database, address)
    try:
        master_keys.open_ring(chosen.secret, clock.now())
        return partners.make(_ASKERS)
    finally:
        db.close()


if __name__ == "__main__":
    main()
