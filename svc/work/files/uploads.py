"""Uploaded pictures, fonts, music and clips in the bucket, from which every machine takes what it
lacks.

A machine has uploads in its assets folder, under the names in the rows of :data:`TABLES`. The
bucket has them under the hashes in these rows, each before the transaction that enters its row, as
no transaction waits for a bucket. Without a bucket, nothing is done here.
"""

import hashlib
import logging
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from svc.base import atomic_file
from svc.base.protocols import Files
from svc.domain.partners import brand_files, recorded_uploads
from svc.store.database import Connection

TABLES = ("assets", *brand_files.TABLES)
GRACE = 3600.0  # seconds for which an upload may have no row: its transaction follows
FOLDER = "uploads"
_LARGEST = 64 << 20  # bytes

log = logging.getLogger("svc.uploads")


class Uploads:
    """The uploads in ``folder``, and in the bucket of ``files``.

    FileStoreUnavailable, of all methods: it does not answer.
    """

    def __init__(self, files: Files, folder: Path, seconds: Callable[[], float] = time.time):
        self._files, self._folder, self._seconds = files, folder, seconds
        # hashes in the bucket that no row has, and since when that is known
        self._orphans: dict[str, float] = {}

    def keep(self, content: bytes) -> None:
        """Put an upload into the bucket, if there is one. May be repeated."""
        if self._files.is_remote:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "content")
                path.write_bytes(content)
                self._files.put(
                    path, make_bucket_name(hashlib.sha256(content).hexdigest()), fixed=True
                )

    def fetch(self, names: Iterable[str]) -> None:
        """Fetch those uploads that this machine lacks; those that the bucket lacks too
        are left out.
        """
        if not self._files.is_remote:
            return
        lacking = {name for name in names if name and not (self._folder / name).is_file()}
        if lacking:
            for name, digest in recorded_uploads.read_hashes().items():
                if name in lacking:
                    self._fetch(name, digest)

    def remove(self, name: str, digest: str | None) -> None:
        """Remove an upload whose row is removed from this machine,
        and from the bucket unless another row has the same.
        """
        (self._folder / name).unlink(missing_ok=True)
        if (
            self._files.is_remote
            and digest
            and digest not in recorded_uploads.read_hashes().values()
        ):
            self._files.delete_folder(f"{FOLDER}/{digest}")

    def sweep(self) -> None:
        """Send what the bucket lacks, such as uploads of before the setting,
        and remove what no row has, here and there.
        """
        if not self._files.is_remote:
            return
        rows = recorded_uploads.read_hashes()
        there = {name.split("/")[1] for name in self._files.list_names(FOLDER)}
        for name, digest in rows.items():
            if digest not in there and (self._folder / name).is_file():
                self.keep((self._folder / name).read_bytes())
        self._remove_orphans(there - set(rows.values()))
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            if (
                path.name not in rows
                and self._seconds() - path.lstat().st_mtime > GRACE
                and not path.is_dir()
            ):
                path.unlink(missing_ok=True)

    def _remove_orphans(self, orphans: set[str]) -> None:
        now = self._seconds()
        self._orphans = {digest: self._orphans.get(digest, now) for digest in orphans}
        # They are read again: the same file may have been uploaded since.
        known = set(recorded_uploads.read_hashes().values())
        for digest, since in self._orphans.items():
            if now - since > GRACE and digest not in known:
                self._files.delete_folder(f"{FOLDER}/{digest}")

    def _fetch(self, name: str, digest: str) -> None:
        try:
            content = self._files.read(make_bucket_name(digest), 0, _LARGEST)
        except FileNotFoundError:
            content = b""
        if hashlib.sha256(content).hexdigest() != digest:
            log.warning("the bucket lacks the upload %s, or has another content", name)
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_file.replace(self._folder / name, unique=True) as partial:
            partial.write_bytes(content)


def read_recorded_sizes_by(connection: Connection) -> dict[str, int]:
    """Return the sizes that uploads have in the bucket, by name."""
    return {
        make_bucket_name(digest): size
        for digest, size in recorded_uploads.list_recorded_by(connection, None).values()
    }


def make_bucket_name(digest: str) -> str:
    """Return the name of an upload in the bucket."""
    return f"{FOLDER}/{digest}/content"
