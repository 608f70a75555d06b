"""``python -m tests.bench.slow``: is an endpoint that answers after ten seconds sent its events in time, and who notices it?

Through the real engine: twenty good endpoints alone, then beside a slow one, then alone again. Prints how late first attempts
at the slow endpoint began, and how long the good endpoints' deliveries took from commit to first byte, beside it and in calm.

    --per-second 2      events for the slow endpoint
    --answer 10         seconds that it takes for an answer
    --seconds 135       how long it gets events
"""

import argparse
import math
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from svc.adapters.storage import Storage
from svc.base import clock, settings
from svc.store import database
from svc.work.engine import Engine
from tests.bench.hanging import until_it_drives
from tests.bench.sink import Sink, receiving
from tests.support.outbox import RING, Partner, record

GOOD = 20
GOOD_PER_SECOND = 20  # events for all of them together
CALM_SECONDS = 60.0  # before, and after
ASKED_LATE = 15.0  # seconds
ASKED_TIMES = 1.5  # the p99 of the good endpoints beside the slow one, as a multiple of that in calm
_SLOW = """
    SELECT d.status, d.created_at, (SELECT min(attempted_at) FROM attempts WHERE delivery_id = d.id) AS first
    FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id WHERE s.endpoint_url LIKE '%/after-%'
"""
_GOOD = """
    SELECT d.event_id, d.production_id FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
    WHERE s.endpoint_url NOT LIKE '%/after-%'
"""


@dataclass
class Measured:
    """In seconds. ``late``: of first attempts at the slow endpoint; ``calm``, ``beside``: of the good ones."""

    late: list[float]
    delivered: int
    calm: list[float]
    beside: list[float]

    @property
    def times(self) -> float:
        return p99(self.beside) / p99(self.calm)


def p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


def run(folder: Path, per_second: float, answer: int, seconds: float, calm_seconds: float = CALM_SECONDS) -> Measured:
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
            calm = _produce(good, calm_seconds)
            beside = _produce(good, seconds, slow, per_second)
            time.sleep(2 * answer)
            calm |= _produce(good, calm_seconds)
            time.sleep(1)
            return _measure(sink, calm, beside)
    finally:
        engine.stop()
        database.close_database()


def _produce(good: list[Partner], seconds: float, slow: Partner | None = None, per_second: float = 0) -> dict[str, float]:
    """Commit events at steady rates; return the moment of each commit by production, of those for the good ones."""
    plan = [(number / GOOD_PER_SECOND, good[number % len(good)]) for number in range(int(seconds * GOOD_PER_SECOND))]
    if slow is not None:
        plan += [(number / per_second, slow) for number in range(int(seconds * per_second))]
    committed, started = {}, time.monotonic()
    for at, partner in sorted(plan, key=lambda each: each[0]):
        time.sleep(max(0.0, started + at - time.monotonic()))
        with database.write():
            production = partner.produce()  # and nothing of it is to be made
            database.execute("UPDATE productions SET status = 'Published' WHERE id = ?", (production["id"],))
            record(production, now=clock.now())
        if partner is not slow:
            committed[production["id"]] = time.monotonic()
    return committed


def _measure(sink: Sink, calm: dict[str, float], beside: dict[str, float]) -> Measured:
    now, rows, good, came = clock.now(), database.rows(_SLOW), database.rows(_GOOD), sink.stop()
    at = {row["production_id"]: came.get(row["event_id"], math.inf) for row in good}
    return Measured(
        [((row["first"] or now) - row["created_at"]) / 1000 for row in rows],
        sum(row["status"] == "Succeeded" for row in rows),
        [at[production] - moment for production, moment in calm.items()],
        [at[production] - moment for production, moment in beside.items()],
    )


def _line(name: str, values: list[float]) -> str:
    return f"{name}: {len(values)}, p50 {statistics.median(values):.4f} s, p99 {p99(values):.4f} s, at most {max(values):.4f} s"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--per-second", type=float, default=2)
    asked.add_argument("--answer", type=int, default=10)
    asked.add_argument("--seconds", type=float, default=135)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        found = run(Path(folder) / "data", given.per_second, given.answer, given.seconds)
    print(_line("slow endpoint, lateness of first attempts", found.late))
    print(f"delivered there: {found.delivered} of {len(found.late)}")
    print(_line("good endpoints in calm, commit to first byte", found.calm))
    print(_line("good endpoints beside it", found.beside))
    print(f"p99 beside it: {found.times:.2f} times that of calm")
    missed = max(found.late) >= ASKED_LATE or found.delivered < len(found.late) or not found.times <= ASKED_TIMES
    print("MISSED" if missed else "as asked")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
