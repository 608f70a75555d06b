"""A backup in one file that may be encrypted: its plain content, for as long as it is read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from svc.base.crypto.age_encryption import MAGIC, Opener
from svc.base.errors import CommandError


@contextmanager
def opened(path: Path, opener: Opener) -> Iterator[Path]:
    """The path of the plain backup: itself, or of a file, which is removed again. CommandError: it cannot be decrypted."""
    if not os.access(path, os.R_OK):
        raise CommandError(f"{path} is not there, or may not be read.")
    with path.open("rb") as sealed:
        if sealed.read(len(MAGIC)) != MAGIC:
            yield path
            return
        sealed.seek(0)
        beside = path.absolute().parent
        with tempfile.TemporaryDirectory(".part", "plain-", beside if os.access(beside, os.W_OK) else None) as folder:
            plain = Path(folder, path.name)
            with open(os.open(plain, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                opener.open_stream(sealed, file)
            yield plain
