"""``python -m tests.bench.slow``: is an endpoint that answers after ten seconds sent its events in
time, and who notices it?

Through two real engines at the same time, each with twenty good endpoints; beside those of one
there is the slow endpoint, the others are in calm. So whatever else the machine does concerns both.
Prints how late first attempts at the slow endpoint began, and how long the good endpoints'
deliveries took from commit to first byte: the median of the p99s of 15 s each.

    --per-second 2      events for the slow endpoint
    --answer 10         seconds that it takes for an answer
    --seconds 135       how long there are events
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from svc.adapters.storage import Storage
from svc.base import clock, settings
from svc.store import database
from svc.store.database import db
from svc.work.engine import Engine
from tests.bench.hanging import until_it_drives
from tests.bench.sink import Sink, receiving
from tests.support import plain_sql
from tests.support.outbox import RING, Partner, record

GOOD = 20
GOOD_PER_SECOND = 20  # events for all of them together
SLICE = 15 * GOOD_PER_SECOND  # events
ASKED_LATE = 15.0  # seconds
# the p99 of the good endpoints beside the slow one, as a multiple of that in calm
ASKED_TIMES = 1.5
_SLOW = """
    SELECT d.status, d.created_at,
        (SELECT min(attempted_at) FROM attempts WHERE delivery_id = d.id) AS first
    FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
    WHERE s.endpoint_url LIKE '%/after-%'
"""
_GOOD = """
    SELECT d.event_id, d.production_id FROM deliveries d JOIN subscriptions s
    ON s.id = d.subscription_id
    WHERE s.endpoint_url NOT LIKE '%/after-%' ORDER BY d.created_at
"""


@dataclass
class Measured:
    """In seconds. ``took``: of the good endpoints; ``late``: of first attempts at the slow one."""

    took: list[float]
    late: list[float] = field(default_factory=list)
    delivered: int = 0

    @property
    def p99(self) -> float:
        slices = range(0, max(1, len(self.took) - SLICE + 1), SLICE)
        return statistics.median(p99(self.took[at : at + SLICE]) for at in slices)


def p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


def run(
    folder: Path, per_second: float, answer: int, seconds: float, begin: Callable[[], object]
) -> Measured:
    """Run one engine. ``per_second`` 0: in calm. ``begin``: called when it drives."""
    chosen = settings.read({"SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8"}, data_dir=folder)
    database.open_database(chosen.database)
    engine = Engine(chosen, Storage(chosen, RING), RING)
    try:
        with receiving() as sink:
            slow, good = Partner(), [Partner() for _ in range(GOOD)]
            slow.subscribe(endpoint_url=sink.url(f"/after-{answer}"))
            for number, partner in enumerate(good):
                partner.subscribe(endpoint_url=sink.url("/well", f"127.2.0.{number + 1}"))
            engine.start()
            until_it_drives()
            begin()
            committed = _produce(good, seconds, slow, per_second)
            time.sleep(2 * answer)
            return _measure(sink, committed)
    finally:
        engine.stop()
        db.close()


def _produce(
    good: list[Partner], seconds: float, slow: Partner, per_second: float
) -> dict[str, float]:
    """Commit events at steady rates; return the moment of each commit by production,
    of those for the good ones.
    """
    plan = [
        (number / GOOD_PER_SECOND, good[number % len(good)])
        for number in range(int(seconds * GOOD_PER_SECOND))
    ]
    plan += [(number / per_second, slow) for number in range(int(seconds * per_second))]
    committed, started = {}, time.monotonic()
    for at, partner in sorted(plan, key=lambda each: each[0]):
        time.sleep(max(0.0, started + at - time.monotonic()))
        with db.transaction():
            production = partner.produce()  # and nothing of it is to be made
            plain_sql.execute(
                "UPDATE productions SET status = 'Published' WHERE id = ?", (production["id"],)
            )
            record(production, now=clock.now())
        if partner is not slow:
            committed[production["id"]] = time.monotonic()
    return committed


def _measure(sink: Sink, committed: dict[str, float]) -> Measured:
    now, rows, good, came = clock.now(), plain_sql.rows(_SLOW), plain_sql.rows(_GOOD), sink.stop()
    return Measured(
        [came.get(row["event_id"], math.inf) - committed[row["production_id"]] for row in good],
        [((row["first"] or now) - row["created_at"]) / 1000 for row in rows],
        sum(row["status"] == "Succeeded" for row in rows),
    )


def _line(name: str, values: list[float]) -> str:
    middle, late, most = (
        1000 * each for each in (statistics.median(values), p99(values), max(values))
    )
    return f"{name}: {len(values)}, p50 {middle:.1f} ms, p99 {late:.1f} ms, at most {most:.1f} ms"


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--per-second", type=float, default=2)
    asked.add_argument("--answer", type=int, default=10)
    asked.add_argument("--seconds", type=float, default=135)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        if not given.per_second:  # the engine in calm, for the one that started it
            found = run(
                Path(folder) / "data",
                0,
                given.answer,
                given.seconds,
                lambda: (print(flush=True), input()),
            )
            print(json.dumps(found.took))
            return
        command = [
            sys.executable,
            "-m",
            "tests.bench.slow",
            "--per-second",
            "0",
            "--seconds",
            str(given.seconds),
        ]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other:

            def begin() -> None:
                other.stdout.readline()
                other.stdin.write("\n")
                other.stdin.flush()

            found = run(Path(folder) / "data", given.per_second, given.answer, given.seconds, begin)
            calm = Measured(json.loads(other.communicate()[0]))
    print(_line("slow endpoint, lateness of first attempts", found.late))
    print(f"delivered there: {found.delivered} of {len(found.late)}")
    print(_line("good endpoints in calm, commit to first byte", calm.took))
    print(_line("good endpoints beside it", found.took))
    times = found.p99 / calm.p99
    print(
        f"median of the p99s of 15 s: {1000 * calm.p99:.1f} ms in calm, {1000 * found.p99:.1f} ms "
        "beside it"
    )
    print(f"{times:.2f} times that of calm")
    missed = (
        max(found.late) >= ASKED_LATE
        or found.delivered < len(found.late)
        or not times <= ASKED_TIMES
    )
    print("MISSED" if missed else "as asked")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
