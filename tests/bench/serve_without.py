"""``serve_without NAME``: serves as ``python app.py serve`` does,
with one part of our machinery replaced by the plain way.
"""

import sys
import threading

from svc.base import clock
from svc.base.processes import entry_points
from svc.cli import commands
from svc.domain.access import rate_limit
from svc.domain.tiers import TIERS
from svc.domain.usage import recorder
from svc.store.database import db
from svc.store.read_cache import ReadCache
from svc.store.sqlite.wal import SharedSync
from tests.support import plain_sql

_RING = """CREATE TABLE IF NOT EXISTS bench_ring
    (id INTEGER PRIMARY KEY AUTOINCREMENT, partner_id TEXT, at INTEGER);
           CREATE INDEX IF NOT EXISTS bench_ring_of ON bench_ring (partner_id, at);"""


def without_read_caches() -> None:
    """Read keys, partners, accounts and subscriptions from the database whenever
    they are needed.
    """
    ReadCache.get = lambda self, key, read: read()


def without_recorder() -> None:
    """Write each answer to the history in a transaction of its own."""

    def begin(self, caller, spent, method, path, correlation_id, now, route=""):
        number, counted = spent.request, int(spent.counted)
        row = [
            number,
            None,
            caller.partner_id,
            now,
            counted,
            method,
            path,
            caller.key_prefix,
            correlation_id,
        ]
        return recorder.Entry([*row, None, None, None], route)

    def finish(self, entry, status_code, error_code, duration_ms, refusal=None):
        entry.row[1], entry.row[9:] = (
            recorder.ids.new(entry.row[3]),
            (status_code, error_code, round(duration_ms, 2)),
        )
        rows = [tuple(entry.row)]
        recorder._write(recorder._Batch(rows, rows, [], set(), {}), {}, [])

    recorder.Recorder.begin, recorder.Recorder.finish = begin, finish


def without_shared_memory() -> None:
    """Count the requests of a partner's last minute in a table,
    in a transaction for each request.
    """
    made = threading.Event()

    def spend(caller, now, *, counts=True):
        if not made.is_set():
            with db.snapshot():
                db.peewee_database.connection().executescript(_RING)
            made.set()
        limit = TIERS[caller.tier].requests_per_minute
        with db.transaction(durable=False):
            plain_sql.execute(
                "DELETE FROM bench_ring WHERE partner_id = ? AND at <= ?",
                (caller.partner_id, now - clock.MINUTE),
            )
            plain_sql.execute(
                "INSERT INTO bench_ring (partner_id, at) VALUES (?, ?)", (caller.partner_id, now)
            )
            number = plain_sql.one("SELECT last_insert_rowid()")[0]
            used = plain_sql.one(
                "SELECT count(*), min(at) FROM bench_ring WHERE partner_id = ?",
                (caller.partner_id,),
            )
        return rate_limit.Budget(
            number, counts, limit, max(0, limit - used[0]), (used[1] + clock.MINUTE) // 1000 + 1
        )

    rate_limit.count_request = spend


def without_group_commit() -> None:
    """Let SQLite make each commit durable by itself."""
    pragmas = dict(db.peewee_database._pragmas) | {"synchronous": "full"}
    db.peewee_database._pragmas = list(pragmas.items())
    SharedSync.wait = lambda self, mine: None
    SharedSync.begin = lambda self: None


def without_worker() -> None:
    """Let gunicorn's own threaded worker serve."""
    entry_points.GUNICORN_WORKER = "gthread"


PARTS = {
    "read caches": without_read_caches,
    "recorder and journal": without_recorder,
    "shared memory": without_shared_memory,
    "group commit": without_group_commit,
    "worker": without_worker,
}


def serving_app():
    """Make the application in a worker, after the fork."""
    from svc import application

    return application.serving_app()


if __name__ == "__main__":
    PARTS[sys.argv[1]]()
    commands.main(
        args=["serve", *sys.argv[2:]],
        obj=serving_app,
    )
