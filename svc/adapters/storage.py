"""Finished files on the disk and the signed links that hand them out."""

import hashlib
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from svc.base import atomic_file
from svc.base.crypto import signing
from svc.base.errors import LinkExpired, LinkInvalid
from svc.base.settings import Settings

LINK_SECONDS = 3600  # specification, "Other constants": sasUrl validity


@dataclass(frozen=True)
class Stored:
    """A file that is kept: its place relative to the media directory, its size and its SHA-256 in hex."""

    file: str
    size_bytes: int
    sha256: str


class Storage:
    """The media directory. Only finished files are in it, each under a name that no partner chose."""

    def __init__(self, settings: Settings, ring: signing.KeyRing):
        self._root = settings.media_dir
        self._base_url = settings.base_url
        self._place = settings.media_redirect
        self._ring = ring

    def path(self, file: str) -> Path:
        """Where a stored file is."""
        return self._root / file

    def redirect(self, file: str) -> str | None:
        """Under which path the proxy in front hands a stored file out for us; None: no proxy does."""
        return self._place + quote(file) if self._place else None

    def keep(self, source: Path, file: str) -> Stored:
        """Copy ``source`` to the media directory as ``file``, which appears only when whole and on the disk."""
        target = self.path(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file.replacing(target) as partial:
            stored = self._copy(source, partial, file)
        atomic_file.sync_folder(target.parent)
        return stored

    def _copy(self, source: Path, partial: Path, file: str) -> Stored:
        digest = hashlib.sha256()
        with open(source, "rb", opener=_without_following) as reading, atomic_file.durable(partial, 0o666) as writing:
            if not stat.S_ISREG(os.fstat(reading.fileno()).st_mode):
                raise ValueError(f"{source.name} is no file")
            while block := reading.read(1 << 20):
                digest.update(block)
                writing.write(block)
            if self._place:
                self._let_the_proxy_read(partial.parent, writing.fileno())
            return Stored(file, writing.tell(), digest.hexdigest())

    def _let_the_proxy_read(self, folder: Path, descriptor: int) -> None:
        """The proxy is in the group of these files; the umask keeps all others of the data directory from it."""
        for each in (self._root, folder):
            each.chmod(0o750)
        os.fchmod(descriptor, 0o640)

    def remove_production(self, production_id: str) -> None:
        """Remove every file of a production; none there is fine."""
        shutil.rmtree(self._root / production_id, ignore_errors=True)

    def link(self, deliverable_id: str, now: int) -> tuple[str, int]:
        """A download address and when it ends (milliseconds)."""
        expires = now // 1000 + LINK_SECONDS
        signature = signing.link_signature(self._ring, deliverable_id, expires)
        return f"{self._base_url}/files/{deliverable_id}?expires={expires}&signature={signature}", expires * 1000

    def check_link(self, deliverable_id: str, expires: str, signature: str, now: int) -> None:
        """Raise LinkInvalid unless the link is ours, letter by letter, and LinkExpired when its hour is over."""
        if not (expires.isascii() and expires.isdigit() and len(expires) <= 12 and str(int(expires)) == expires):
            raise LinkInvalid()
        if not signing.link_is_ours(self._ring, deliverable_id, int(expires), signature):
            raise LinkInvalid()
        if now >= int(expires) * 1000:
            raise LinkExpired()


def _without_following(path: str, flags: int) -> int:
    """What a step left may be anything: a link is not followed, and a pipe not waited for."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
