"""Deliveries per second from a full outbox to committed outcomes,
beside a bare loop of requests over the same bodies.
"""

import ipaddress
import threading
import time
from pathlib import Path

import requests

from svc.adapters.http import Sender
from svc.base import clock
from svc.store import database
from svc.store.database import db
from svc.work.delivery.dispatcher import Dispatcher
from tests.bench.sink import Sink
from tests.support import plain_sql
from tests.support.outbox import DRIVER, RING, Partner, record

THREADS = 16  # of the bare loop
EVENTS = 4  # of each production: those after its first wait for the one before them
LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]
_HEADERS = {"Content-Type": "application/json"}


def pair(
    folder: Path, sink: Sink, subscriptions: int, count: int, workers: int
) -> tuple[float, float]:
    """Ours, by so many workers, and the bare loop's deliveries per second,
    of the same ``count`` bodies.
    """
    database.open_database(folder / "service.db")
    try:
        _fill(sink, subscriptions, count)
        bodies = [row["body"] for row in plain_sql.rows("SELECT body FROM deliveries ORDER BY id")]
        return len(bodies) / _dispatch(workers), len(bodies) / _post(sink.url(), bodies)
    finally:
        db.close()


def _fill(sink: Sink, subscriptions: int, count: int) -> None:
    partner = Partner()
    with db.transaction():
        for number in range(subscriptions):
            partner.subscribe(endpoint_url=sink.url(f"/hook/{number}"))
        for _ in range(count // subscriptions // EVENTS):
            record(partner.produce(), EVENTS, now=clock.now())


def _dispatch(workers: int) -> float:
    """Seconds until the real dispatcher has sent everything and the outcomes are on the disk."""
    dispatcher = Dispatcher(DRIVER, Sender(LOOPBACK), RING, workers=workers)
    began = time.perf_counter()
    dispatcher.dispatch()
    while plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Pending' LIMIT 1"):
        time.sleep(0.01)
    dispatcher.stop()  # which waits for the last outcomes to be on the disk
    took = time.perf_counter() - began
    wrong = plain_sql.row("SELECT COUNT(*) FROM deliveries WHERE status <> 'Succeeded'")[0]
    logged, sent = plain_sql.row("SELECT COUNT(*), (SELECT COUNT(*) FROM deliveries) FROM attempts")
    if wrong or logged != sent:
        raise SystemExit(
            f"of {sent} deliveries {wrong} did not succeed, and {logged} attempts were logged"
        )
    return took


def _post(url: str, bodies: list[bytes]) -> float:
    """Seconds that bare threads take, each with a session of its own and no database."""
    threads = [
        threading.Thread(target=_loop, args=(url, bodies[number::THREADS]))
        for number in range(THREADS)
    ]
    began = time.perf_counter()
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return time.perf_counter() - began


def _loop(url: str, bodies: list[bytes]) -> None:
    with requests.Session() as session:
        for body in bodies:
            session.post(url, data=body, headers=_HEADERS).raise_for_status()
