"""``python app.py backup`` and ``restore``: the data directory in one file, and back."""

from pathlib import Path

import click

from svc.base import settings
from svc.cli import operating
from svc.store import archive
from svc.store import backup as backups
from svc.store import restore as restoration


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--verify", is_flag=True, help="Check a backup that is there, without restoring it.")
def backup(file: Path, verify: bool) -> None:
    """Write database, media and secret to FILE, beside a running server; whoever can read FILE can sign as the service."""
    data_dir = settings.read().data_dir
    with operating.as_caller(data_dir):
        manifest = archive.verify(file) if verify else backups.make(data_dir, file)
    click.echo(f"{file}: {_told(manifest)}, whole and sound")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
def restore(file: Path) -> None:
    """Restore FILE into SVC_DATA_DIR, which must be empty. Interrupted, call it again."""
    data_dir = settings.read().data_dir
    with operating.as_caller(data_dir, locks=False):
        manifest = restoration.restore(file, data_dir)
    click.echo(f"{data_dir} restored: {_told(manifest)}")


def _told(manifest: archive.Manifest) -> str:
    size = sum(each.size for each in manifest.parts.values())
    return (
        f"schema {manifest.schema}, {manifest.rows['productions']} productions, {len(manifest.parts)} files, "
        f"{size / 1e6:.1f} MB, of {manifest.made_at}"
    )
