"""What the commands ``backup`` and ``restore`` share: which key opens a backup, and what is said of
one.
"""

from collections.abc import Callable
from pathlib import Path

import click

from svc.base.crypto import age_encryption
from svc.base.crypto.age_encryption import Opener
from svc.base.errors import CommandError
from svc.base.text.counted import count
from svc.work.backup import archive

_FILE = click.Path(path_type=Path, dir_okay=False)
_IDENTITY = (
    click.option(
        "--identity",
        type=_FILE,
        help="The private key file of an encrypted backup, from `age-keygen`.",
    ),
    click.option(
        "--passphrase-file", type=_FILE, help="The file with the passphrase of the private key."
    ),
)


def add_identity_options(function: Callable) -> Callable:
    """Give a command the options that name the private key."""
    for option in reversed(_IDENTITY):
        function = option(function)
    return function


def require_text(text: str, name: str) -> str:
    """Return the option's value. UsageError: it is empty, such as a variable that is not set."""
    if not text:
        raise click.UsageError(f"{name} is empty.")
    return text


def make_opener(identity: Path | None, passphrase_file: Path | None) -> Opener:
    """Return what opens encrypted backups by the private key of the options.

    CommandError: the files do not hold one.
    """
    if identity is None:
        return Opener()
    passphrase = None
    if passphrase_file:
        try:
            passphrase = passphrase_file.read_text("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as strange:
            raise CommandError(f"{passphrase_file} is not in UTF-8.") from strange
    return age_encryption.read_identities(identity, passphrase)


def describe_manifest(manifest: archive.Manifest) -> str:
    """Return what a backup contains, as part of a sentence."""
    size = sum(part.size for part in manifest.parts.values())
    elsewhere = f" and the list of {len(manifest.bucket)} in the bucket" if manifest.bucket else ""
    return (
        f"schema {manifest.schema}, {count(manifest.rows['productions'], 'production')}, "
        f"{count(len(manifest.parts), 'file')}{elsewhere}, {size / 1e6:.1f} MB, of "
        f"{manifest.made_at}"
    )
