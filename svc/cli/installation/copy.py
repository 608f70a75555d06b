"""``python app.py copy``: move an installation from SQLite to PostgreSQL, or back."""

import click

from svc.base import settings
from svc.base.errors import CommandError
from svc.cli import progress
from svc.store.copying import copy as copying
from svc.store.copying import layout

_SQLITE = "sqlite"


@click.command()
@click.option("--to", "target", required=True, metavar="ADDRESS", help="postgresql://user@host/database, or sqlite.")
def copy(target: str) -> None:
    """Copy the database to PostgreSQL, or back to SQLite, while the service is stopped.

    The source stays as it is. Every row is read again and compared; after an interruption, the same command goes on.
    SVC_DATA_DIR and SVC_DATABASE_URL name the source. Keep the data directory: `secret`, media and uploads are in it.
    """
    given = settings.read()
    back = target == _SQLITE
    if back and not given.database_url:
        raise CommandError("SVC_DATABASE_URL is not set: it names the database of PostgreSQL that is to be copied to SQLite.")
    if not back and given.database_url:
        raise CommandError("SVC_DATABASE_URL is set, and SQLite's database is copied: run this command without it.")
    address = given.database_url if back else settings.read({"SVC_DATABASE_URL": target}).database_url
    if not address:
        raise CommandError("--to should be an address such as postgresql://user@host/database, or sqlite.")
    with progress.of_steps(2 * len(layout.tables())) as show:
        if back:
            copied = copying.to_sqlite(address, given.database, show)
        else:
            copied = copying.to_postgres(given.database, address, show)
    rows = sum(each.rows for each in copied.values())
    click.echo(f"{len(copied)} tables with {rows} rows are copied, and the same by SHA-256.")
    click.echo(f"Start the service {'without SVC_DATABASE_URL' if back else 'with SVC_DATABASE_URL set to that address'}.")
