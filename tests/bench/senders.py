"""``python -m tests.bench.senders``: deliveries a second with one server and with three, on one
PostgreSQL.

From the moment when many become due to the last outcome that is recorded. The servers, PostgreSQL
(which waits for the disk at each commit), the bucket and the receiver, which answers at once, are
processes of one machine.

    --count 1200        deliveries of each round
    --rounds 3
"""

import argparse
import shutil
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from svc.base import clock
from svc.cli.demo.demo_server import Server
from svc.domain import master_keys
from svc.store import database, wake
from svc.store.database import db
from tests.bench.api import machine
from tests.bench.sink import Sink, receiving
from tests.store import buckets
from tests.support import plain_sql
from tests.support.outbox import Partner, record
from tests.support.postgres_server import PostgresServer

SERVERS = (1, 3)
# events of each production: those after its first wait for the one before them
_SUBSCRIPTIONS, _EVENTS = 60, 4
_PRODUCTIONS = 20  # in one transaction
_HOLD = (
    "UPDATE deliveries SET claim_token = 'held', claim_until = created_at + 3600000 "
    "WHERE claim_token IS NULL"
)


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--count", type=int, default=1200)
    asked.add_argument("--rounds", type=int, default=3)
    given = asked.parse_args()
    print(machine(), flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="bench.") as folder,
        PostgresServer(fsync=True) as postgres,
        buckets.serving("media") as bucket,
        receiving() as sink,
    ):
        shared = bucket | {"SVC_STORAGE_URL": "s3://media/senders"}
        measure(postgres.make("senders"), shared, Path(folder), sink, given.count, given.rounds)


def measure(
    address: str, shared: dict[str, str], folder: Path, sink: Sink, count: int, rounds: int
) -> None:
    """Print the deliveries a second by one server and by three. ``shared``: the settings of their
    bucket, without which a second server does not start."""
    database.open_database(folder / "here" / "service.db", address)
    try:
        secret = folder / "here" / "secret"
        master_keys.open_ring(secret, clock.now())
        partners = [Partner() for _ in range(_SUBSCRIPTIONS)]
        for number, partner in enumerate(partners):
            partner.subscribe(endpoint_url=sink.url(f"/hook/{number}"))
        with ExitStack() as running:
            for number in SERVERS:
                for each in range(_servers(), number):
                    running.enter_context(
                        _server(folder / f"server{each}", secret, address, shared)
                    )
                while _servers() < number:  # they answer before they send
                    time.sleep(0.05)
                rates = [_rate(partners, count) for _ in range(rounds)]
                print(
                    f"{statistics.median(rates):8.0f} deliveries a second by {number} servers",
                    flush=True,
                )
    finally:
        db.close()


def _servers() -> int:
    return int(plain_sql.one("SELECT count(*) FROM workers")[0])


def _server(folder: Path, secret: Path, address: str, shared: dict[str, str]) -> Server:
    folder.mkdir(mode=0o700)
    shutil.copy(secret, folder)
    return Server(folder, 0, SVC_DATABASE_URL=address, SVC_VOICE="espeak-ng", **shared)


def _rate(partners: list[Partner], count: int) -> float:
    """Return how many deliveries a second are sent of so many that become due at once."""
    productions = [partners[number % len(partners)].produce() for number in range(count // _EVENTS)]
    for first in range(0, len(productions), _PRODUCTIONS):
        with db.transaction():
            for production in productions[first : first + _PRODUCTIONS]:
                record(production, _EVENTS, now=clock.now())
            plain_sql.execute(_HOLD)
    began = time.monotonic()
    with db.transaction():
        freed = "claim_token = NULL, claim_boot = NULL, claim_until = NULL"
        plain_sql.execute(f"UPDATE deliveries SET {freed} WHERE claim_token = 'held'")
        wake.wake_on_commit()
    while plain_sql.row("SELECT 1 FROM deliveries WHERE status = 'Pending' LIMIT 1"):
        time.sleep(0.02)
    seconds = time.monotonic() - began
    if wrong := plain_sql.one("SELECT count(*) FROM deliveries WHERE status <> 'Succeeded'")[0]:
        raise SystemExit(f"{wrong} deliveries did not succeed")
    return len(productions) * _EVENTS / seconds


if __name__ == "__main__":
    main()
