"""``python app.py restore``: restore a backup from a file or a repository."""

from functools import partial
from pathlib import Path
from shlex import quote

import click

from svc.base import clock, settings
from svc.base.crypto.age_encryption import Opener
from svc.base.errors import CommandError
from svc.base.settings import Settings
from svc.base.text.counted import count
from svc.cli import command_support, progress
from svc.cli.installation import backup_support
from svc.work.backup import archive, incremental, of_postgres, stream
from svc.work.backup import restore as restoration
from svc.work.backup import sources as backup_sources
from svc.work.backup.repository import DATABASE_ONLY, FULL, Repository, Stored
from svc.work.doctor import secret_recovery


@click.command()
@click.argument("source")
@click.option(
    "--id",
    "identity_of",
    help="The backup to restore from a repository; the newest full one by default.",
)
@click.option(
    "--at", "moment", help="The time to restore the database to, such as 2026-11-20T09:30:00Z."
)
@click.option(
    "--secret-only", is_flag=True, help="Restore only a lost `secret` next to its database."
)
@backup_support.add_identity_options
def restore(source, identity_of, moment, secret_only, identity, passphrase_file) -> None:
    """Restore a backup into SVC_DATA_DIR, which must be empty, and one of PostgreSQL into an empty
    SVC_DATABASE_URL.

    SOURCE is a file that `backup` wrote, or a repository: a directory or s3://bucket/prefix. Repeat
    an interrupted restore.
    """
    config, opener = settings.read(), backup_support.make_opener(identity, passphrase_file)
    data_dir = config.data_dir
    backup_support.require_text(source, "SOURCE")
    if sum((identity_of is not None, moment is not None, secret_only)) > 1:
        raise click.UsageError("Use only one of --id, --at and --secret-only.")
    with command_support.stay_root(data_dir, locks=False):
        if secret_only:
            _restore_secret(config, source, opener)
        elif "://" not in source and not Path(source).is_dir():
            is_choosy = identity_of is not None or moment is not None
            _restore_from_file(Path(source), config, opener, is_choosy)
        elif config.database_url:
            command_support.require_sqlite(config, "A repository holds backups of SQLite alone.")
        elif moment is not None:
            _restore_moment(
                incremental.open_repository(source, (), opener), _parse_instant(moment), data_dir
            )
        else:
            _restore_from_repository(
                incremental.open_repository(source, (), opener), identity_of, data_dir
            )


def _restore_secret(config: Settings, source: str, opener: Opener) -> None:
    if "://" not in source and not Path(source).is_dir():
        with archive.open_plain(Path(source), opener) as content:
            file = secret_recovery.restore_secret(
                config, [partial(backup_sources.read_keys_of_file, content)]
            )
    else:
        repo = incremental.open_repository(source, (), opener)
        readers = [
            partial(backup_sources.read_keys_of_entry, repo, entry)
            for entry in reversed(repo.list_entries())
        ]
        file = secret_recovery.restore_secret(config, readers)
    if file is None:
        click.echo(f"{config.secret} is the one that belongs to the database; nothing was written")
    elif file == config.secret:
        click.echo(f"{file} restored")
    else:
        click.echo(
            f"{file} is the one that belongs to the database; {config.secret}, which does not, "
            f"was left; put it in its place: mv {quote(str(file))} {quote(str(config.secret))}"
        )


def _restore_from_repository(repo: Repository, identity: str | None, data_dir: Path) -> None:
    with progress.show_bytes("restoring") as report_bytes:
        entry = _find_newest(repo) if identity is None else repo.find_entry(identity)
        manifest = restoration.restore_from(
            Stored(repo, entry),
            data_dir,
            report_bytes,
            f"{quote(str(repo.objects))} --id {entry.id}",
        )
    click.echo(f"{data_dir} restored: {backup_support.describe_manifest(manifest)}")


def _find_newest(repo: Repository):
    is_full = any(entry.kind == FULL for entry in repo.list_entries())
    return repo.find_newest((FULL if is_full else DATABASE_ONLY,))


def _restore_from_file(file: Path, config: Settings, opener: Opener, is_choosy: bool) -> None:
    if is_choosy and file.exists():
        raise click.UsageError(f"{file} is one file; --id and --at are for a repository.")
    if not file.exists():
        raise CommandError(
            f"{file} does not exist; name a file that `backup` wrote, a directory, or "
            "s3://bucket/prefix."
        )
    with (
        archive.open_plain(file, opener) as content,
        progress.show_bytes("restoring") as report_bytes,
    ):
        if config.database_url:
            with archive.open_archive(content) as opened_archive:
                manifest, missing = of_postgres.restore_backup(
                    opened_archive, config, report_bytes, quote(str(file.absolute()))
                )
        else:
            manifest, missing = (
                restoration.restore(
                    content, config.data_dir, report_bytes, quote(str(file.absolute()))
                ),
                [],
            )
    click.echo(
        f"{config.data_dir}{' and the database' * bool(config.database_url)} restored: "
        f"{backup_support.describe_manifest(manifest)}"
    )
    if missing:
        click.echo(
            (
                f"The bucket lacks {len(missing)} of {count(len(manifest.bucket), 'file')}, such "
                f"as {missing[0]}."
            ),
            err=True,
        )


def _parse_instant(text: str) -> int:
    try:
        return clock.parse(text)
    except ValueError as bad:
        raise CommandError(f"--at: {bad}.") from bad


def _restore_moment(repo: Repository, at: int, data_dir: Path) -> None:
    with (
        stream.make_temporary_folder() as scratch,
        progress.show_bytes("restoring") as report_bytes,
    ):
        moment = stream.Moment(repo, at, Path(scratch))
        manifest = restoration.restore_from(
            moment,
            data_dir,
            report_bytes,
            f"{quote(str(repo.objects))} --at {clock.format_time(at)}",
        )
    click.echo(f"{data_dir} restored: {backup_support.describe_manifest(manifest)}")
    if not moment.complete:
        click.echo(
            (
                f"The stream ended at {clock.format_time(moment.at)}: what was committed "
                "after that is not in it."
            ),
            err=True,
        )
    if moment.missing:
        click.echo(
            f"{count(len(moment.missing), 'file is', 'files are')} in no backup, such as "
            f"{moment.missing[0]}.",
            err=True,
        )
    if moment.damaged:
        text = (
            f"{count(len(moment.damaged), 'file is', 'files are')} in no backup as the "
            f"database says, such as {moment.damaged[0]}."
        )
        click.echo(text, err=True)
