"""Stores of objects (bytes under a name): a directory of files,
or a bucket of S3 or a compatible service.
"""

import errno
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store

from svc.base import atomic_file
from svc.base.errors import CommandError
from svc.base.protocols import Objects

if TYPE_CHECKING:
    from obstore.store import RetryConfig

_RETRIES: "RetryConfig" = {"max_retries": 3, "retry_timeout": timedelta(seconds=30)}


class Directory:
    """Objects as files that only their owner can read.

    ``must_exist``: nothing is written where the directory is not there, such as while its disk is
    not mounted; otherwise it is made.
    """

    def __init__(self, root: Path, must_exist: bool = False):
        self.root, self._must_exist = root, must_exist

    def __str__(self) -> str:
        return str(self.root)

    def put(self, name: str, content: bytes) -> None:
        if self._must_exist and not self.root.is_dir():
            raise FileNotFoundError(errno.ENOENT, "it is not there: make it, or mount its disk")
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_file.write_durably(path, content)
        atomic_file.sync_folder(path.parent)

    def get(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    def list_names(self, folder: str) -> Iterator[str]:
        for parent, _, files in os.walk(self.root / folder):
            inside = Path(parent).relative_to(self.root).as_posix()
            yield from (
                f"{inside}/{file}" for file in files if not file.endswith(atomic_file.ENDING)
            )

    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)


class Bucket:
    """Objects in a bucket; credentials, region and endpoint are read from
    the environment (``AWS_…``).
    """

    def __init__(self, url: str):
        self._url = url
        plain_http = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
        try:
            self._store = S3Store.from_url(
                url,
                client_options={"allow_http": plain_http, "timeout": "120s"},
                retry_config=_RETRIES,
            )
        except (BaseError, ValueError) as bad:
            raise CommandError(f"{url} cannot be used: {bad}") from bad

    def __str__(self) -> str:
        return self._url

    def put(self, name: str, content: bytes) -> None:
        try:
            obstore.put(self._store, name, content)
        except BaseError as failed:
            raise OSError(f"{self._url}: {_find_first_line(failed)}") from failed

    def get(self, name: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except (NotFoundError, FileNotFoundError) as missing:
            raise FileNotFoundError(
                2, "There is no such object", f"{self._url}/{name}"
            ) from missing
        except BaseError as failed:
            raise OSError(f"{self._url}: {_find_first_line(failed)}") from failed

    def list_names(self, folder: str) -> Iterator[str]:
        try:
            for page in obstore.list(self._store, prefix=folder):
                yield from (entry["path"] for entry in page)
        except BaseError as failed:
            raise OSError(f"{self._url}: {_find_first_line(failed)}") from failed

    def delete(self, name: str) -> None:
        try:
            obstore.delete(self._store, name)
        except (NotFoundError, FileNotFoundError):
            pass
        except BaseError as failed:
            raise OSError(f"{self._url}: {_find_first_line(failed)}") from failed


def _find_first_line(failure: Exception) -> str:
    return str(failure).strip().splitlines()[0] if str(failure).strip() else type(failure).__name__


def open_store(place: str | Path, must_exist: bool = False) -> Objects:
    """Return the store at ``s3://bucket/prefix`` or in a directory, see :class:`Directory`.

    CommandError: not a valid address.
    """
    text = str(place)
    if "://" not in text:
        return Directory(Path(text).absolute(), must_exist)
    if not text.startswith("s3://") or not text.removeprefix("s3://").strip("/"):
        raise CommandError(
            f"{text} is not a place for backups; give a directory, or an address such as "
            "s3://bucket/prefix."
        )
    return Bucket(text.rstrip("/"))
