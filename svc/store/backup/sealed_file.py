"""Access to a backup file that may be encrypted: provides its plain content while it is read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from svc.base.crypto.age_encryption import MAGIC, Opener
from svc.base.errors import CommandError


@contextmanager
def open_plain(path: Path, opener: Opener) -> Iterator[Path]:
    """Yield the path of the plain backup: ``path`` itself or a temporary file.

    CommandError: it cannot be decrypted.
    """
    if not os.access(path, os.R_OK):
        raise CommandError(f"{path} does not exist or may not be read.")
    with path.open("rb") as sealed:
        if sealed.read(len(MAGIC)) != MAGIC:
            yield path
            return
        sealed.seek(0)
        beside = path.absolute().parent
        with tempfile.TemporaryDirectory(
            ".part", "plain-", beside if os.access(beside, os.W_OK) else None
        ) as folder:
            plain = Path(folder, path.name)
            with open(os.open(plain, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                opener.open_stream(sealed, file)
            yield plain
