"""How long an event takes from its commit to the receiver's first byte, through the engine,
with dead endpoints or without.
"""

import math
import socket
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from svc.adapters.storage import Storage
from svc.base import clock, settings
from svc.store import database
from svc.store.database import db
from svc.work.engine import Engine
from tests.bench.sink import Sink, receiving
from tests.support import plain_sql
from tests.support.outbox import RING, Partner, record

SUBSCRIPTIONS, DEAD = 1_000, 200
PER_SECOND = 100
_STRIDE = 367  # prime to the number of subscriptions: consecutive events are for distant ones
_GRACE_SECONDS = 2.0
_IDS = """
    SELECT d.event_id, d.production_id || d.sequence AS event FROM deliveries d
    JOIN subscriptions s ON s.id = d.subscription_id WHERE s.endpoint_url LIKE '%/well'
"""


class Latency(NamedTuple):
    """Milliseconds, of the healthy endpoints' deliveries; what had not come in the end
    took for ever.
    """

    p50: float
    p99: float
    missing: int


def run(folder: Path, seconds: int, dead: int) -> Latency:
    """Commit events at a steady rate, each for one of many subscriptions,
    of which ``dead`` never answer.
    """
    chosen = settings.read({"SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8"}, data_dir=folder)
    database.open_database(chosen.database)
    engine = Engine(chosen, Storage(chosen, RING), RING)
    try:
        with receiving() as sink, socket.socket() as closed:
            closed.bind(("0.0.0.0", 0))  # and never listens
            productions = _subscribe(sink, closed.getsockname()[1], dead)
            engine.start()
            _until_it_drives()
            committed = _produce(productions, seconds)
            time.sleep(_GRACE_SECONDS)
            return _latency(committed, sink.stop())
    finally:
        engine.stop()
        db.close()


def _subscribe(sink: Sink, closed_port: int, dead: int) -> list[dict]:
    """One production of each partner; each partner's endpoint is a host of its own,
    and the first ``dead`` are dead.
    """
    productions = []
    with db.transaction():
        for number in range(SUBSCRIPTIONS):
            host = f"127.1.{number // 250}.{number % 250 + 1}"
            url = sink.url("/well", host)
            if number < dead:
                url = (
                    sink.url("/silent", host)
                    if number % 2
                    else f"http://{host}:{closed_port}/closed"
                )
            partner = Partner()
            partner.subscribe(endpoint_url=url)
            productions.append(partner.produce())
        plain_sql.execute("UPDATE productions SET status = 'Published'")  # nothing is to be made
    return productions


def _until_it_drives() -> None:
    while not plain_sql.row("SELECT 1 FROM meta WHERE name = 'heartbeat'"):
        time.sleep(0.01)


def _produce(productions: list[dict], seconds: int) -> dict[str, float]:
    """Commit the events; for each the moment at which its commit began."""
    committed, began = {}, time.monotonic()
    for number in range(seconds * PER_SECOND):
        time.sleep(max(0.0, began + number / PER_SECOND - time.monotonic()))
        production = productions[number * _STRIDE % SUBSCRIPTIONS]
        with db.transaction():
            record(production, now=clock.now())
            sequence = number // SUBSCRIPTIONS + 1
            committed[f"{production['id']}{sequence}"] = time.monotonic()
    return committed


def _latency(committed: dict[str, float], came: dict[str, float]) -> Latency:
    took = [
        (came.get(row["event_id"], math.inf) - committed[row["event"]]) * 1000
        for row in plain_sql.rows(_IDS)
    ]
    return Latency(
        statistics.median(took), sorted(took)[int(len(took) * 0.99)], sum(map(math.isinf, took))
    )
