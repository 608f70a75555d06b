"""``python app.py copy``: move an installation from SQLite to PostgreSQL, or back."""

from collections.abc import Callable, Sequence

import click

from svc.base import settings
from svc.base.errors import CommandError, SettingsError
from svc.base.processes.exit_status import WITH_WARNING
from svc.base.settings import Settings
from svc.base.text.counted import count
from svc.cli import progress
from svc.store.backup import named_files
from svc.store.copying import copy as copying
from svc.store.copying import layout
from svc.store.copying.layout import StepFiles
from svc.work.files import copying as file_copying
from svc.work.files.copying import Moved

_SQLITE = "sqlite"


@click.command()
@click.option(
    "--to",
    "target",
    required=True,
    metavar="ADDRESS",
    help="postgresql://user@host/database, or sqlite.",
)
@click.option(
    "--no-files",
    is_flag=True,
    help="Leave the files where they are, although SVC_STORAGE_URL is set.",
)
def copy(target: str, no_files: bool) -> None:
    """Copy the database to PostgreSQL, or back to SQLite, while the service is stopped.

    The source stays as it is. Every row is read again and compared; after an interruption, the same
    command goes on. SVC_DATA_DIR and SVC_DATABASE_URL name the source. With SVC_STORAGE_URL, files
    are copied to that bucket, or back from it. Exit code 3: all is copied but files that the
    database names and that are missing.
    Keep the data directory: `secret` is in it, and without a bucket, media and uploads are.
    """
    config = settings.read()
    to_sqlite = target == _SQLITE
    address = _read_address(config, target)
    with progress.show_steps(2 * len(layout.list_tables()) + 1) as report_step:
        copied, moved_files = _copy(config, address, to_sqlite, no_files, report_step)
    _report(copied, moved_files, to_sqlite)
    if moved_files and (missing := moved_files[0].missing):
        click.echo(
            f"warning: {count(len(missing), 'file')} that the database names "
            f"{'is' if len(missing) == 1 else 'are'} missing, such as "
            f"{named_files.describe_file(missing[0])}. "
            "`python app.py doctor` says how to mend that.",
            err=True,
        )
        raise SystemExit(WITH_WARNING)


def _read_address(config: Settings, target: str) -> str:
    """Return the address of the database of PostgreSQL, which is the source or the target.

    CommandError: the target is no address, or does not suit the database of the settings.
    """
    to_sqlite = target == _SQLITE
    if to_sqlite and not config.database_url:
        raise CommandError(
            "SVC_DATABASE_URL is not set: it names the database of PostgreSQL that is to be "
            "copied to SQLite."
        )
    if not to_sqlite and config.database_url:
        raise CommandError(
            "SVC_DATABASE_URL is set, and SQLite's database is copied: run this command without it."
        )
    try:
        address = (
            config.database_url
            if to_sqlite
            else settings.read({"SVC_DATABASE_URL": target}).database_url
        )
    except SettingsError:  # it would name the variable, which nobody has set
        address = ""
    if not address:
        raise CommandError(
            "--to should be an address such as postgresql://user@host/database, or sqlite."
        )
    return address


def _report(copied: dict[str, copying.Copied], moved_files: list[Moved], to_sqlite: bool) -> None:
    """Say what was copied, and how to start the service with it."""
    rows = sum(each.rows for each in copied.values())
    click.echo(
        f"{len(copied)} tables with {count(rows, 'row')} are copied, and the same by SHA-256."
    )
    if moved_files:
        click.echo(
            f"{count(moved_files[0].copied, 'file is', 'files are')} copied, already there: "
            f"{moved_files[0].there}; all are the same by SHA-256."
        )
    click.echo(
        "Start the service "
        + (
            "without SVC_DATABASE_URL."
            if to_sqlite
            else "with SVC_DATABASE_URL set to that address."
        )
    )


def _copy(
    config: Settings,
    address: str,
    to_sqlite: bool,
    no_files: bool,
    report_step: Callable[[str], None],
):
    moved_files: list[Moved] = []

    def move() -> Sequence[StepFiles]:
        if config.storage_url and not no_files:
            report_step("copying files")
            moved_files.append(
                file_copying.to_directory(config, address)
                if to_sqlite
                else file_copying.to_bucket(config)
            )
        return moved_files[0].steps if moved_files else ()

    if to_sqlite:
        return copying.to_sqlite(address, config.database, report_step, move), moved_files
    return copying.to_postgres(config.database, address, report_step, move), moved_files
