"""``python app.py backup``: back up the data directory to a file or a repository."""

from pathlib import Path

import click

from svc.base import clock, settings
from svc.base.crypto.age_encryption import Opener, Sealer
from svc.base.errors import CommandError
from svc.base.processes.exit_status import WITH_WARNING
from svc.base.settings import Settings
from svc.base.text.counted import count
from svc.cli import command_support, confirm, progress, tables
from svc.cli.installation import backup_support
from svc.work.backup import archive, incremental, of_postgres, repository, stream
from svc.work.backup import make as backups
from svc.work.backup.repository import BASE, Entry, Repository

_PLAIN = (
    "This backup is not encrypted and holds `secret`: whoever can read it can sign as the "
    "service. --recipient or SVC_BACKUP_RECIPIENTS encrypts it."
)


@click.command()
@click.argument("target", required=False)
@click.option(
    "--database-only", is_flag=True, help="Back up only the database and the secret, without media."
)
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    help="A public key (age1…) to encrypt to; repeatable.",
)
@click.option("--list", "listing", is_flag=True, help="List the backups in a repository.")
@click.option(
    "--verify",
    is_flag=True,
    help="Check every byte of a backup and of shipped changes without restoring.",
)
@click.option(
    "--id", "identity_of", help="The backup to verify in a repository; the newest by default."
)
@click.option(
    "--prune",
    is_flag=True,
    help="Remove the oldest backups beyond SVC_BACKUP_KEEP from a repository.",
)
@click.option("--yes", is_flag=True, help="Prune without confirmation.")
@click.option(
    "--bucket-files",
    is_flag=True,
    help="Of PostgreSQL: put the files of the bucket into the backup, too.",
)
@backup_support.add_identity_options
def backup(
    target,
    database_only,
    recipients,
    listing,
    verify,
    identity_of,
    prune,
    yes,
    bucket_files,
    identity,
    passphrase_file,
) -> None:
    """Back up the data directory while the server runs, and the database of PostgreSQL by its
    pg_dump.

    TARGET is a new file that will hold the whole backup, or a repository that stores each content
    once: an existing directory, a name that ends in /, or s3://bucket/prefix. The default TARGET is
    the repository of the scheduled backups. PostgreSQL is backed up to a file. Exit code 3: the
    backup is made, and files that the database names are missing from it.
    """
    config = settings.read()
    if sum((listing, verify, prune)) > 1:
        raise click.UsageError("Use only one of --list, --verify and --prune.")
    if bucket_files and (not config.database_url or database_only):
        raise click.UsageError("--bucket-files is for a whole backup of PostgreSQL.")
    target = (
        config.backup_place if target is None else backup_support.require_text(target, "TARGET")
    )
    opener = backup_support.make_opener(identity, passphrase_file)
    recipients = recipients or config.backup_recipients
    is_read = listing or verify or prune
    if is_read and target != config.backup_place and not _may_exist(target):
        raise CommandError(f"{target} does not exist.")
    if not _is_repository(target, config):
        if listing or prune or identity_of is not None:
            raise click.UsageError(
                f"{target} is one file, and --list, --prune and --id work on a repository only."
            )
        with command_support.stay_root(config.data_dir):
            if verify:
                _verify_file(Path(target), opener)
            else:
                _write_file(config, Path(target), recipients, database_only, bucket_files)
        return
    command_support.require_sqlite(
        config, "A repository is of SQLite's pages: name a new file, such as backup.tar."
    )
    with command_support.stay_root(config.data_dir):
        repo = incremental.open_repository(target, recipients, opener)
        if listing:
            tables.write_table(_list_backups(repo))
        elif verify:
            _verify(repo, identity_of)
        elif prune:
            _prune(config, repo, yes)
        else:
            _add(config, repo, database_only)


def _may_exist(place: str) -> bool:
    """Return whether a backup file or repository exists; a bucket is not looked at, and counts as
    there.
    """
    return "://" in place or Path(place).exists()


def _is_repository(target: str, config: Settings) -> bool:
    return (
        "://" in target
        or target.endswith("/")
        or Path(target).is_dir()
        or target == config.backup_place
    )


def _verify_file(file: Path, opener: Opener) -> None:
    with archive.open_plain(file, opener) as content:
        _say(str(file), archive.verify(content))


def _write_file(
    config: Settings, file: Path, recipients, database_only: bool, with_bucket: bool
) -> None:
    if not recipients:
        click.echo(_PLAIN, err=True)
    with progress.show_bytes("backing up") as report_bytes:
        if config.database_url:
            manifest = of_postgres.make_backup(
                config,
                file,
                Sealer(recipients),
                database_only=database_only,
                with_bucket=with_bucket,
                progress=report_bytes,
            )
        else:
            manifest = backups.make_backup(
                config.data_dir,
                file,
                Sealer(recipients),
                database_only=database_only,
                progress=report_bytes,
            )
    _say(str(file), manifest)


def _say(name: str, manifest: archive.Manifest) -> None:
    """Print what a backup contains, and exit with a status that says whether it has all files of
    its database.
    """
    warning = incremental.describe_gaps(manifest.missing, manifest.damaged)
    state = "sound" if warning else "whole and sound"
    if manifest.has_no_files:
        state = "sound, with the database alone and none of the files that it names"
    click.echo(f"{name}: {backup_support.describe_manifest(manifest)}, {state}")
    _end(warning)


def _end(warning: str) -> None:
    if warning:
        click.echo(f"warning: {warning}", err=True)
        raise SystemExit(WITH_WARNING)


def _add(config: Settings, repo: Repository, database_only: bool) -> None:
    if not repo.sealer:
        click.echo(_PLAIN, err=True)
    with progress.show_bytes("backing up") as report_bytes:
        written = incremental.add_backup(
            config.data_dir, repo, database_only=database_only, progress=report_bytes
        )
    entry = written.entry
    click.echo(
        f"{repo.objects}: {entry.id}, {count(entry.files, 'file')}, {entry.size / 1e6:.1f} MB, of "
        f"which {written.new_bytes / 1e6:.1f} MB in {count(written.new, 'object')} are new"
    )
    _end(incremental.describe_gaps(written.missing, written.damaged, written.recovered))


def _list_backups(repo: Repository) -> list[dict]:
    rows = []
    for entry in repo.list_entries():
        row = {
            "id": entry.id,
            "kind": entry.kind,
            "madeAt": entry.made_at,
            "files": entry.files,
            "megabytes": round(entry.size / 1e6, 1),
            "encrypted": entry.encrypted,
            "until": None,
        }
        if entry.kind == "base":
            row["until"] = clock.format_time(
                max(entry.at, stream.find_completed_until(repo.objects, entry.id))
            )
        rows.append(row)
    return rows


def _verify(repo: Repository, identity: str | None) -> None:
    """Verify a backup or a stream; without an id, the newest backup and all streams."""
    entries = repo.list_entries() if identity is None else [repo.find_entry(identity)]
    for base in [entry for entry in entries if entry.kind == BASE]:
        _verify_stream(repo, base)
    if backups := [entry for entry in entries if entry.kind != BASE]:
        _verify_backup(repo, repository.sort_as_made(backups, clock.now())[-1])
    elif not entries:
        raise CommandError(f"There is no backup in {repo.objects}.")


def _verify_backup(repo: Repository, entry: Entry) -> None:
    with progress.show_bytes("verifying") as report_bytes:
        manifest = incremental.verify_backup(repo, entry, report_bytes)
    if manifest is None:
        click.echo(
            f"{entry.id}: all of its objects ({len(entry.objects)}) are there; what they hold is "
            "checked with --identity"
        )
    else:
        _say(entry.id, manifest)


def _verify_stream(repo: Repository, base: Entry) -> None:
    segments = stream.verify(repo, base)
    sound = (
        "all there; what they hold is checked with --identity"
        if base.encrypted and not repo.opener
        else "whole and sound"
    )
    complete_until = clock.format_time(
        max(base.at, stream.find_completed_until(repo.objects, base.id))
    )
    click.echo(
        f"{base.id}: the database of {base.made_at} and {count(len(segments), 'segment')} "
        f"until {complete_until}, {sound}"
    )


def _prune(config: Settings, repo: Repository, yes: bool) -> None:
    if not yes:
        confirm.confirm(f"all but the newest {config.backup_keep} backups in {repo.objects}")
    removed_counts = incremental.prune_backups(config.data_dir, repo, config.backup_keep)
    click.echo(
        ", ".join(count(number, kind.removesuffix("s")) for kind, number in removed_counts.items())
        or "nothing to remove"
    )
