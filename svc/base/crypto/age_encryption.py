"""Encryption of backups in the age format (age-encryption.org/v1), to public keys:
the server cannot decrypt them itself.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import pyrage

from svc.base.errors import CommandError

MAGIC = b"age-encryption.org/v1"


class Sealer:
    """Encrypts to recipients; without recipients it leaves the content as it is.

    CommandError: a recipient is not valid.
    """

    def __init__(self, recipients: Sequence[str]):
        self._recipients = [parse_recipient(text) for text in recipients]

    def __bool__(self) -> bool:
        return bool(self._recipients)

    def seal(self, content: bytes) -> bytes:
        """Return ``content`` encrypted, or unchanged without recipients."""
        sealed: bytes = pyrage.encrypt(content, self._recipients) if self._recipients else content
        return sealed

    def seal_stream(self, source: BinaryIO, target: BinaryIO) -> None:
        """Encrypt all of ``source`` into ``target``. There must be recipients."""
        pyrage.encrypt_io(source, target, self._recipients)


def parse_recipient(text: str) -> "pyrage.x25519.Recipient | pyrage.ssh.Recipient":
    """Parse a public key: ``age1…``, or one of SSH. CommandError: not a valid public key."""
    try:
        return (pyrage.ssh if text.startswith("ssh-") else pyrage.x25519).Recipient.from_str(text)
    except pyrage.RecipientError as bad:
        # A text that is no public key may be the private one of the same file.
        shown = "The key that was given" if "SECRET" in text.upper() else repr(text)
        raise CommandError(
            f"{shown} is not a public key; use one that `age-keygen` prints (age1…), or one of SSH"
        ) from bad


class Opener:
    """Decrypts encrypted content, and returns other content unchanged."""

    def __init__(self, identities: Sequence["pyrage.x25519.Identity | pyrage.ssh.Identity"] = ()):
        self._identities = list(identities)

    def __bool__(self) -> bool:
        return bool(self._identities)

    def open(self, content: bytes) -> bytes:
        """Return the plain content. CommandError: none of the private keys can decrypt it."""
        if not content.startswith(MAGIC):
            return content
        self._require()
        try:
            plain: bytes = pyrage.decrypt(content, self._identities)
        except pyrage.DecryptError as bad:
            raise CommandError(
                f"The backup cannot be decrypted with this identity: {bad}."
            ) from bad
        return plain

    def open_stream(self, source: BinaryIO, target: BinaryIO) -> None:
        """Decrypt all of ``source``, which must be encrypted, into ``target``.

        CommandError: none of the private keys can decrypt it.
        """
        self._require()
        try:
            pyrage.decrypt_io(source, target, self._identities)
        except (pyrage.DecryptError, OSError) as bad:
            raise CommandError(
                f"The backup cannot be decrypted with this identity: {bad}."
            ) from bad

    def _require(self) -> None:
        if not self._identities:
            raise CommandError(
                "The backup is encrypted; name the file with its private key: --identity FILE."
            )


def read_identities(path: Path, passphrase: str | None) -> Opener:
    """Read the private keys in a file that `age-keygen` wrote, or that `age --passphrase`
    encrypted.

    CommandError: the file has no private key, or the passphrase is missing or wrong.
    """
    content = path.read_bytes()
    if content.startswith(MAGIC):
        if passphrase is None:
            raise CommandError(
                f"{path} is protected by a passphrase; name the file that holds it: "
                "--passphrase-file FILE."
            )
        try:
            content = pyrage.passphrase.decrypt(content, passphrase)
        except pyrage.DecryptError as bad:
            raise CommandError(f"{path} cannot be opened with this passphrase.") from bad
    text = content.decode("utf-8", "replace")
    try:
        if "PRIVATE KEY" in text:
            return Opener([pyrage.ssh.Identity.from_buffer(content)])
        lines = (line.strip() for line in text.splitlines())
        identities = [
            pyrage.x25519.Identity.from_str(line)
            for line in lines
            if line and not line.startswith("#")
        ]
    except pyrage.IdentityError as bad:
        raise CommandError(f"{path} holds no private key that can be used: {bad}.") from bad
    if not identities:
        raise CommandError(f"{path} holds no private key; `age-keygen -o {path}` makes one.")
    return Opener(identities)
