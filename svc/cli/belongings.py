"""``python app.py partner export`` and ``partner erase``: what belongs to a partner, handed out and removed."""

from pathlib import Path

import click

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.base.settings import Settings
from svc.store import database
from svc.work import erasure


@click.group()
def partner() -> None:
    """What an operator does with partners."""


@partner.command()
@click.argument("partner_id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export(partner_id: str, file: Path) -> None:
    """Write all that belongs to a partner to FILE, a tar: rows as JSON lines by table, and files."""
    counted = erasure.export(partner_id, _opened(), file)
    click.echo(f"{file}: {sum(counted.values())} rows, {counted['productions']} productions")


@partner.command()
@click.argument("partner_id")
@click.option("--yes", is_flag=True, help="Without it only what would be erased is said.")
def erase(partner_id: str, yes: bool) -> None:
    """Erase a partner with everything that belongs to it. What people did to it stays in the audit log."""
    given = _opened()
    if not yes:
        name = erasure.name_of(partner_id)
        raise CommandError(f"This erases the partner {name} for good; call it again with --yes. `partner export` before it.")
    erased = erasure.erase(partner_id, given, clock.now)
    click.echo(f"erased {sum(erased.values())} rows, {erased.get('productions', 0)} productions; backups still hold them")


def _opened() -> Settings:
    given = settings.read()
    if not given.database.exists():
        raise CommandError(f"There is no database in {given.data_dir}; set SVC_DATA_DIR to the server's.")
    database.open_database(given.database)
    return given
