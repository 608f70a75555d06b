"""Finished files on the disk, and the signed links to download them."""

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
    """A stored file: its path relative to the media directory, its size, and its SHA-256 in hex."""

    file: str
    size_bytes: int
    sha256: str


class Storage:
    """The media directory. It has only finished files, whose names are never chosen by partners."""

    def __init__(self, settings: Settings, ring: signing.KeyRing):
        self._root = settings.media_dir
        self._base_url = settings.base_url
        self._place = settings.media_redirect
        self._ring = ring

    def path(self, file: str) -> Path:
        """Return the path of a stored file."""
        return self._root / file

    def redirect(self, file: str) -> str | None:
        """Return the path under which the reverse proxy serves a stored file; None if it does not serve files."""
        return self._place + quote(file) if self._place else None

    def keep(self, source: Path, file: str) -> Stored:
        """Copy ``source`` to the media directory as ``file``, atomically and durably."""
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
                raise ValueError(f"{source.name} is not a file")
            while block := reading.read(1 << 20):
                digest.update(block)
                writing.write(block)
            if self._place:
                self._let_the_proxy_read(partial.parent, writing.fileno())
            return Stored(file, writing.tell(), digest.hexdigest())

    def _let_the_proxy_read(self, folder: Path, descriptor: int) -> None:
        """Make the file readable by its group, to which the proxy belongs; the umask hides the rest of the data directory."""
        for directory in (self._root, folder):
            directory.chmod(0o750)
        os.fchmod(descriptor, 0o640)

    def remove_production(self, production_id: str) -> None:
        """Remove all files of a production, if there are any."""
        shutil.rmtree(self._root / production_id, ignore_errors=True)

    def link(self, deliverable_id: str, now: int) -> tuple[str, int]:
        """Return a download URL and the instant (milliseconds) when it expires."""
        expires = now // 1000 + LINK_SECONDS
        signature = signing.link_signature(self._ring, deliverable_id, expires)
        return f"{self._base_url}/files/{deliverable_id}?expires={expires}&signature={signature}", expires * 1000

    def check_link(self, deliverable_id: str, expires: str, signature: str, now: int) -> None:
        """Raise LinkInvalid unless the service signed exactly this link, and LinkExpired when its hour is over."""
        if not (expires.isascii() and expires.isdigit() and len(expires) <= 12 and str(int(expires)) == expires):
            raise LinkInvalid()
        if not signing.link_is_ours(self._ring, deliverable_id, int(expires), signature):
            raise LinkInvalid()
        if now >= int(expires) * 1000:
            raise LinkExpired()


def _without_following(path: str, flags: int) -> int:
    """Open the output of a step, which is untrusted: do not follow a symbolic link or wait for a pipe."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
