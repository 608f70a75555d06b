"""``python -m tests.bench.hanging``: are retries sent when they are due, at an endpoint that
accepts and never answers?

Through the real engine, with the real time-out of 15 s and the real retry times: events for one
hanging endpoint, and beside it for twenty good ones, until the hanging one is suspended. Prints how
late each retry and each first attempt there began, when the warning and the suspension came, and
how long the good endpoints' deliveries took from commit to first byte.

    --per-minute 150    events for the hanging endpoint
    --events 1          of each production: the later ones wait for the one before them
    --beyond 30         seconds to go on after the suspension is due
"""

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from svc.adapters.http import SECONDS
from svc.adapters.storage import Storage
from svc.base import clock, settings
from svc.domain import retry_schedule
from svc.domain.webhooks import endpoint_health
from svc.store import database
from svc.store.database import db
from svc.work.engine import Engine
from tests.bench.sink import Sink, receiving
from tests.support import plain_sql
from tests.support.outbox import RING, Partner, record

GOOD = 20
GOOD_PER_MINUTE = 30  # events for each
ASKED_LATE = 2.0  # seconds
_GRACE_SECONDS = 2.0
_RETRIES = """
    SELECT t.attempted_at, d.first_failed_at, d.second_failed_at, d.created_at,
           row_number() OVER (PARTITION BY d.id ORDER BY t.id) AS number
    FROM attempts t JOIN deliveries d ON d.id = t.delivery_id JOIN subscriptions s
    ON s.id = d.subscription_id
    WHERE s.endpoint_url LIKE '%/silent'
"""
_GOOD = """
    SELECT d.event_id, d.production_id, d.sequence FROM deliveries d JOIN subscriptions s
    ON s.id = d.subscription_id
    WHERE s.endpoint_url NOT LIKE '%/silent'
"""


@dataclass
class Measured:
    """All in seconds. ``late``: of the retries, by attempt (2 to 4); ``first``: of first attempts,
    since their event; ``warned`` and ``suspended``: how long after the moment that the
    specification gives; None: never."""

    late: dict[int, list[float]]
    first: list[float]
    warned: float | None
    suspended: float | None
    took: list[float]  # of the good endpoints


def run(
    folder: Path,
    per_minute: int,
    timeout: float = SECONDS,
    events: int = 1,
    beyond: float = 30,
    wait: Callable[[], None] = lambda: time.sleep(_GRACE_SECONDS),
) -> Measured:
    """Run until ``beyond`` seconds after the suspension is due, and then until ``wait`` returns.

    ``timeout``: of the sender that the engine has.
    """
    chosen = settings.read({"SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8"}, data_dir=folder)
    database.open_database(chosen.database)
    engine = Engine(chosen, Storage(chosen, RING), RING)
    try:
        with receiving() as sink:
            hanging, good = Partner(), [Partner() for _ in range(GOOD)]
            hanging.subscribe(endpoint_url=sink.url("/silent"))
            for number, partner in enumerate(good):
                partner.subscribe(endpoint_url=sink.url("/well", f"127.2.0.{number + 1}"))
            engine.start()
            until_it_drives()
            # from an event to its last failure
            whole = 2 * timeout + retry_schedule.DELIVERY_RETRIES[3][1] / 1000 + timeout
            due = [
                events * 60 / per_minute * number + whole
                for number in range(endpoint_health.FAILURES_TO_SUSPENSION)
            ]
            began, committed = _produce(hanging, good, per_minute, events, due[-1] + beyond)
            wait()
            return _measure(began, due, committed, sink)
    finally:
        engine.stop()
        db.close()


def until_it_drives() -> None:
    while not plain_sql.row("SELECT 1 FROM meta WHERE name = 'heartbeat'"):
        time.sleep(0.01)


def _produce(
    hanging: Partner, good: list[Partner], per_minute: int, events: int, seconds: float
) -> tuple[int, dict]:
    """Commit events at steady rates: when that began, and for each event of the good ones the
    moment of its commit.
    """
    plan = [
        (number * 60 / per_minute, hanging, number)
        for number in range(int(seconds * per_minute / 60))
    ]
    step = 60 / GOOD_PER_MINUTE / len(good)
    plan += [
        (number * step, good[number % len(good)], number) for number in range(int(seconds / step))
    ]
    open_production: dict = {}
    committed, started, began = {}, time.monotonic(), clock.now()
    for at, partner, number in sorted(plan, key=lambda each: each[0]):
        time.sleep(max(0.0, started + at - time.monotonic()))
        if partner is not hanging or number % events == 0:
            open_production[partner.id] = _production(partner)
        production = open_production[partner.id]
        with db.transaction():
            record(production, now=clock.now())
        if partner is not hanging:
            committed[production["id"]] = time.monotonic()
    return began, committed


def _production(partner: Partner) -> dict:
    with db.transaction():
        production = partner.produce()  # and nothing of it is to be made
        plain_sql.execute(
            "UPDATE productions SET status = 'Published' WHERE id = ?", (production["id"],)
        )
    return production


def _measure(began: int, due: list[float], committed: dict, sink: Sink) -> Measured:
    late, first = {2: [], 3: [], 4: []}, []
    for each in plain_sql.rows(_RETRIES):
        number = each["number"]
        if number == 1:
            first.append((each["attempted_at"] - each["created_at"]) / 1000)
        else:
            counted_from, delay = retry_schedule.DELIVERY_RETRIES[number - 1]
            late[number].append((each["attempted_at"] - each[counted_from] - delay) / 1000)
    at = {
        row["name"]: (row["at"] - began) / 1000
        for row in plain_sql.rows("SELECT name, at FROM alerts")
    }
    for name in at:
        print(f"{name} {at[name]:.1f} s after the first event")
    warned, suspended = at.get("WebhookDeliveryFailed"), at.get("WebhookEndpointUnreachable")
    good, came = plain_sql.rows(_GOOD), sink.stop()
    return Measured(
        late,
        first,
        None if warned is None else warned - due[endpoint_health.FAILURES_TO_WARNING - 1],
        None if suspended is None else suspended - due[-1],
        [came.get(row["event_id"], math.inf) - committed[row["production_id"]] for row in good],
    )


def _line(name: str, values: list[float]) -> str:
    if not values:
        return f"{name}: none"
    found = sorted(values)
    p99 = found[min(len(found) - 1, int(len(found) * 0.99))]
    return (
        f"{name}: {len(found)}, p50 {statistics.median(found):.3f} s, p99 {p99:.3f} s, at most "
        f"{found[-1]:.3f} s"
    )


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--per-minute", type=int, default=150)
    asked.add_argument("--events", type=int, default=1)
    asked.add_argument("--beyond", type=float, default=30)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        found = run(
            Path(folder) / "data", given.per_minute, events=given.events, beyond=given.beyond
        )
    for number, late in found.late.items():
        print(_line(f"retry {number - 1}, late", late))
    print(_line("first attempts there, after their event", found.first))
    print(_line("good endpoints, commit to first byte", found.took))
    print(
        f"warning {found.warned} s and suspension {found.suspended} s after the moments that the "
        "specification gives"
    )
    late = max(sum(found.late.values(), []), default=math.inf)
    missed = (
        late > ASKED_LATE or None in (found.warned, found.suspended) or found.suspended > ASKED_LATE
    )
    print("MISSED" if missed else "as asked")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
