"""The finished files of productions, wherever they are stored,
and the signed links to download them.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import quote

from svc.adapters.files.directory import Directory
from svc.base import clock
from svc.base.crypto import signing
from svc.base.errors import LinkExpired, LinkInvalid
from svc.base.limits import LINK_SECONDS
from svc.base.protocols import Files, Stored
from svc.base.settings import Settings

# The folder of a bucket in which the work of unfinished productions travels between machines.
WORK_FOLDER = "work"


def open_store(settings: Settings) -> Files:
    """Return the store of the finished files.

    SettingsError: the address of the bucket cannot be used.
    """
    if settings.storage_url:
        from svc.adapters.files.bucket import Bucket

        bucket: Files = Bucket(settings.storage_url)
        return bucket
    return Directory(settings.media_dir, bool(settings.media_redirect))


def remove_production(files: Files, production_id: str) -> None:
    """Remove all files of a production, finished or not, if there are any."""
    files.delete_folder(production_id)
    if files.is_remote:
        files.delete_folder(f"{WORK_FOLDER}/{production_id}")


@contextmanager
def fetch_file(files: Files, name: str) -> Iterator[Path]:
    """Give the path of a stored file, which is copied to this machine for that time if
    it is elsewhere.
    """
    path = files.find_local(name)
    if path is not None:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(name).name)
        with path.open("wb") as copy:
            copy.writelines(files.stream(name))
        yield path


class Storage:
    """Implements svc.base.protocols.FileStore.

    Names of files are relative to the folder or bucket of the finished files.
    """

    def __init__(self, settings: Settings, ring: signing.KeyRing):
        self.files = open_store(settings)
        self._base_url = settings.base_url
        self._place = "" if self.files.is_remote else settings.media_redirect
        self._ring = ring

    def find_redirect(self, file: str) -> str | None:
        """Return the path under which the reverse proxy serves a stored file;
        None if it does not serve files.
        """
        return self._place + quote(file) if self._place else None

    def keep(
        self,
        source: Path,
        file: str,
        *,
        sent_as: str = "",
        fixed: bool = False,
        alive: Callable[[], None] = lambda: None,
    ) -> Stored:
        """Store a copy of ``source`` as ``file``, atomically and
        durably; see svc.base.protocols.Files.put.
        """
        return self.files.put(source, file, sent_as=sent_as, fixed=fixed, alive=alive)

    def fetch_file(self, file: str) -> AbstractContextManager[Path]:
        """Give the path of a stored file on this machine; see :func:`fetch_file`."""
        return fetch_file(self.files, file)

    def remove_production(self, production_id: str) -> None:
        """Remove all files of a production, if there are any."""
        remove_production(self.files, production_id)

    def remove_work(self, production_id: str) -> None:
        """Remove the files of an unfinished production that travel between machines,
        if there are any.
        """
        self.files.delete_folder(f"{WORK_FOLDER}/{production_id}")

    def make_link(self, deliverable_id: str, now: int) -> tuple[str, int]:
        """Return a download URL and the instant (milliseconds) when it expires."""
        expires = now // 1000 + LINK_SECONDS
        signature = signing.make_link_signature(self._ring, deliverable_id, expires)
        return (
            f"{self._base_url}/files/{deliverable_id}?expires={expires}&signature={signature}",
            expires * 1000,
        )

    def check_link(self, deliverable_id: str, expires: str, signature: str, now: int) -> None:
        """Raise LinkInvalid unless the service signed exactly this link,
        and LinkExpired when its hour is over.
        """
        if not (
            expires.isascii()
            and expires.isdigit()
            and len(expires) <= 12
            and str(int(expires)) == expires
        ):
            raise LinkInvalid()
        if not signing.link_is_ours(self._ring, deliverable_id, int(expires), signature):
            raise LinkInvalid()
        # one of a clock that was ahead by days is not valid until then
        longest = now + LINK_SECONDS * clock.SECOND + clock.DAY
        if not now < int(expires) * clock.SECOND <= longest:
            raise LinkExpired()
