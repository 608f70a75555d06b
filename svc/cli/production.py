"""``python app.py production``: release, reject and cancel productions."""

import click

from svc.base import clock, settings
from svc.base.errors import CommandError, ServiceError
from svc.domain import distribution, productions
from svc.store import database


@click.group()
def production() -> None:
    """What an operator does with productions."""
    given = settings.read()
    if not given.database.exists():
        raise CommandError(f"There is no database in {given.data_dir.resolve()}; set SVC_DATA_DIR to the server's.")
    database.open_database(given.database)


@production.command()
@click.argument("production_id")
def release(production_id: str) -> None:
    """Release a production that awaits approval."""
    distribution.release(production_id, clock.now())
    click.echo(f"released {production_id}")


@production.command()
@click.argument("production_id")
@click.option("--reason", required=True, help="What the partner is told.")
def reject(production_id: str, reason: str) -> None:
    """Refuse to release a production: it becomes Failed."""
    distribution.reject(production_id, reason, clock.now())
    click.echo(f"rejected {production_id}")


@production.command()
@click.argument("production_id")
def cancel(production_id: str) -> None:
    """Cancel a production, whoever triggered it."""
    if database.row("SELECT 1 FROM productions WHERE id = ?", (production_id,)) is None:
        raise CommandError(f"There is no production {production_id}.")
    try:
        productions.request_cancel(production_id, clock.now())
    except ServiceError as refused:
        raise CommandError(refused.message) from refused
    click.echo(f"cancelling {production_id}")
