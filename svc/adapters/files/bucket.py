"""Files in a bucket of S3, Azure or Google, or of a compatible service."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import AzureStore, GCSStore, S3Store

from svc.adapters import store_failures
from svc.base import media_types
from svc.base.errors import FileStoreUnavailable, SettingsError
from svc.base.file_hash import Hashing, hash_blocks, read_blocks
from svc.base.protocols import Stored
from svc.base.untrusted_file import open_untrusted, require_file

_KINDS: dict[str, type[AzureStore | GCSStore | S3Store]] = {
    "s3": S3Store,
    "az": AzureStore,
    "gs": GCSStore,
}
_BLOCK = 1 << 20  # bytes
# The largest file, in bytes, that is sent in one request. A larger one is sent in parts, of which
# the store shows nothing until the last one is there.
_IN_ONE_PUT = 8 << 20
_PARTS_AT_ONCE = 2
_RETRIES = 2
_CONNECT_SECONDS = "5s"
_REQUEST_SECONDS = "20s"
_RETRY_SECONDS = 10.0  # in all, of one request
_PROBE_SECONDS = "3s"
_KNOWN_SECONDS = 60.0
_MOST_KNOWN = 4096
_DIGITS = 16  # of the content's hash in a name


class Bucket:
    """Implements svc.base.protocols.Files.

    Credentials, region and endpoint are read from the environment.
    """

    is_remote = True

    def __init__(self, url: str):
        """SettingsError: the address or the credentials cannot be used."""
        self._url = url
        self._store = _open(url, _REQUEST_SECONDS, _RETRIES)
        self._probe = _open(url, _PROBE_SECONDS, 0)
        self._origin = ""
        # names of files that were there, and until when that need not be asked again
        self._known: dict[str, float] = {}

    def __str__(self) -> str:
        return self._url

    def find_local(self, name: str) -> None:
        return None

    def put(
        self,
        source: Path,
        name: str,
        *,
        sent_as: str = "",
        fixed: bool = False,
        alive: Callable[[], None] = lambda: None,
    ) -> Stored:
        with open(source, "rb", opener=open_untrusted) as file:
            require_file(file.fileno(), source)
            file_hash = hash_blocks(read_blocks(file, alive))
            object_name = name if fixed else _make_object_name(name, file_hash.sha256)
            with self._translate_errors(object_name):
                content = _verify_content(file, file_hash.sha256, alive)
                obstore.put(
                    self._store,
                    object_name,
                    b"".join(content) if file_hash.size <= _IN_ONE_PUT else content,
                    attributes=_make_attributes(name, sent_as),
                    max_concurrency=_PARTS_AT_ONCE,
                )
            return Stored(object_name, file_hash.size, file_hash.sha256)

    def find_file_size(self, name: str) -> int | None:
        try:
            with self._translate_errors(name):
                return obstore.head(self._store, name)["size"]
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        if self._known.get(name, 0.0) < time.monotonic():
            if self.find_file_size(name) is None:
                return False
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[name] = time.monotonic() + _KNOWN_SECONDS
        return True

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        with self._translate_errors(name):
            size = obstore.head(self._store, name)["size"]
            end = size if length is None else min(size, start + length)
            return (
                bytes(obstore.get_range(self._store, name, start=start, end=end))
                if start < end
                else b""
            )

    def stream(self, name: str) -> Iterator[bytes]:
        with self._translate_errors(name):
            for block in obstore.get(self._store, name).stream(_BLOCK):
                yield bytes(block)

    def list_names(self, folder: str) -> Iterator[str]:
        with self._translate_errors(folder):
            for page in obstore.list(self._store, prefix=folder):
                yield from (entry["path"] for entry in page)

    def delete_folder(self, folder: str) -> None:
        with self._translate_errors(folder):
            for page in obstore.list(self._store, prefix=folder):
                obstore.delete(self._store, [entry["path"] for entry in page])

    def presign(self, name: str, seconds: int) -> str:
        with self._translate_errors(name):
            return obstore.sign(self._store, "GET", name, timedelta(seconds=seconds))

    def get_origin(self) -> str:
        if not self._origin:
            address = urlsplit(self.presign("-", 1))
            self._origin = f"{address.scheme}://{address.netloc}"
        return self._origin

    def find_problem(self) -> str | None:
        try:
            # a folder that does not exist, so an empty list
            next(iter(obstore.list(self._probe, prefix="-")), None)
        except (BaseError, OSError) as failed:
            return (
                f"{self._url} does not answer as it should: {store_failures.find_sentence(failed)}"
            )
        return None

    @contextmanager
    def _translate_errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except (NotFoundError, FileNotFoundError) as missing:
            # Where the bucket itself is missing, each of its files is missing, too.
            if problem := self.find_problem():
                raise FileStoreUnavailable(problem) from missing
            raise FileNotFoundError(2, "There is no such file", f"{self._url}/{name}") from missing
        except FileStoreUnavailable:
            raise
        except (BaseError, PermissionError, TimeoutError, ConnectionError) as failed:
            raise FileStoreUnavailable(*store_failures.describe(self._url, failed)) from failed


def _open(url: str, seconds: str, retries: int) -> AzureStore | GCSStore | S3Store:
    plain_http = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
    try:
        return _KINDS[urlsplit(url).scheme].from_url(
            url,
            client_options={
                "allow_http": plain_http,
                "timeout": seconds,
                "connect_timeout": _CONNECT_SECONDS,
            },
            retry_config={
                "max_retries": retries,
                "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
            },
        )
    except (BaseError, ValueError) as bad:
        raise SettingsError(
            f"SVC_STORAGE_URL is {url!r}, which cannot be used: {store_failures.find_sentence(bad)}"
        ) from bad


def _verify_content(
    file: IO[bytes], expected_sha256: str, alive: Callable[[], None]
) -> Iterator[bytes]:
    """Yield the content once more.

    ValueError, at its end: it is no longer that with the hash ``expected_sha256``.
    """
    file.seek(0)
    hashing = Hashing()
    yield from hashing.pass_through(read_blocks(file, alive))
    if hashing.sha256 != expected_sha256:
        raise ValueError("the file is changing")


def _make_object_name(name: str, digest: str) -> str:
    folder, _, file = name.rpartition("/")
    return "/".join(filter(None, (folder, digest[:_DIGITS], file)))


def _make_attributes(name: str, sent_as: str) -> dict[str, str]:
    """Return the headers that the store sends with a file.

    ``sent_as``: as in RFC 6266, its ASCII form first.
    """
    headers = {"Content-Type": media_types.find_media_type(name)}
    if sent_as:
        ascii_form = "".join(
            sign if sign.isascii() and sign.isprintable() and sign not in '"\\' else "_"
            for sign in sent_as
        )
        quoted_name = quote(sent_as, safe="")
        headers["Content-Disposition"] = (
            f"attachment; filename=\"{ascii_form}\"; filename*=UTF-8''{quoted_name}"
        )
    return headers
