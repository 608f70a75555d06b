"""``serve_without NAME``: serves as ``python app.py serve`` does,
with one part of our machinery replaced by the plain way.
"""

import sys

from gunicorn.workers.gthread import ThreadWorker

from svc.base.processes import cpus, entry_points, huge_pages
from svc.cli import commands
from svc.domain.usage import recorder
from svc.serving import arbiter, options
from svc.serving.worker import Worker
from svc.store.database import db
from svc.store.read_cache import ReadCache
from svc.store.sqlite import engine
from svc.store.sqlite.wal import SharedSync
from tests.bench import shared_table


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
            recorder.ids.make_id(entry.row[3]),
            (status_code, error_code, round(duration_ms, 2)),
        )
        rows = [tuple(entry.row)]
        recorder._write_batch(recorder._Batch(rows, rows, [], set(), {}), {}, [])

    recorder.Recorder.begin, recorder.Recorder.finish = begin, finish


def without_shared_memory() -> None:
    """Count requests, and the changes that caches ask for, in tables."""
    engine.SharedMemory, engine.TRIGGERS = shared_table.SharedTable, shared_table.TRIGGERS


def without_group_commit() -> None:
    """Let SQLite make each commit durable by itself."""
    pragmas = dict(db.peewee_database._pragmas) | {"synchronous": "full"}
    db.peewee_database._pragmas = list(pragmas.items())
    SharedSync.wait = lambda self, mine: None


def without_worker() -> None:
    """Let gunicorn's own threaded worker serve, under its own arbiter."""
    entry_points.GUNICORN_WORKER, options.Worker = "gthread", ThreadWorker
    without_arbiter()


def without_private_parts() -> None:
    """Let our worker handle connections as gunicorn's does."""
    entry_points.GUNICORN_WORKER = "tests.bench.serve_without.PublicWorker"


def without_arbiter() -> None:
    """Let gunicorn's own arbiter reload."""
    arbiter.replace_arbiter = lambda gunicorn: None


def without_one_processor() -> None:
    """Let the threads of requests run on every processor."""
    cpus.keep_on_one = lambda number, siblings: None


def without_huge_pages() -> None:
    """Leave what the process has loaded on pages of 4 KB."""
    huge_pages.use_for_loaded = lambda: None


class PublicWorker(Worker):
    """Our worker without what it overrides of gunicorn's handling of connections."""

    accept, enqueue_req = ThreadWorker.accept, ThreadWorker.enqueue_req
    handle, handle_request = ThreadWorker.handle, ThreadWorker.handle_request
    finish_request, murder_pending = ThreadWorker.finish_request, ThreadWorker.murder_pending
    handle_error = ThreadWorker.handle_error


PARTS = {
    "read caches": without_read_caches,
    "recorder and journal": without_recorder,
    "shared memory": without_shared_memory,
    "group commit": without_group_commit,
    "worker": without_worker,
    "worker's private parts": without_private_parts,
    "arbiter": without_arbiter,
    "one processor": without_one_processor,
    "huge pages": without_huge_pages,
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
