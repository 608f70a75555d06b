"""``python app.py worker``: runs steps of productions for the servers on the same PostgreSQL
database and bucket.
"""

import os
import signal
from contextlib import suppress

import click

from svc.base import disk, logs, settings, traces
from svc.base.processes import owner
from svc.base.steps import STEPS
from svc.cli import starting
from svc.domain.monitoring import metrics
from svc.store import database
from svc.store.database import db
from svc.work.machines import further_languages
from svc.work.worker import BESIDE_STEPS, Worker, require_shared

_NAMES = [name for name, _ in STEPS]


@click.command()
@click.option(
    "--steps",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="How many run at the same time.",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(_NAMES),
    help="A step that this worker may run; repeatable; all by default.",
)
def worker(steps: int, only: tuple[str, ...]) -> None:
    """Run steps of productions for servers on the same PostgreSQL database and bucket."""
    with starting.note_failure() as start:
        _work(steps, frozenset(only or _NAMES), start)


def _work(steps: int, only: frozenset[str], start: starting.Start) -> None:
    config = settings.read()
    require_shared(config)
    further_languages.offer(config)
    logs.install(config.log_format)
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    owner.become_owner(config.data_dir)
    disk.require_usable(config.data_dir)
    disk.allow_open_files()
    os.umask(owner.MASK)
    owner.remove_access_of_others(config.data_dir, proxy_reads=False)
    traces.start()
    database.await_server(config.database_url)
    database.open_database(config.database, config.database_url, steps + BESIDE_STEPS)
    working = Worker(config, steps, only)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: working.begin_to_stop())
    metrics.start()
    try:
        working.run(start.complete)
    finally:
        # the database is away; the counts of the last second are lost
        with suppress(db.Error):
            metrics.stop()
        db.close()
