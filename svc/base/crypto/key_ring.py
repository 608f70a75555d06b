"""The file of master keys, one ``version:hex`` a line: made on the first start, rotated while processes run."""

import fcntl
import hmac
import logging
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from svc.base import atomic_file
from svc.base.crypto.signing import KeyRing
from svc.base.errors import SettingsError

log = logging.getLogger("svc.key_ring")

_SHORTEST = 32  # bytes of a key


class FileRing(KeyRing):
    """The keys of a file, read again whenever it has changed: a rotation holds at once for every process that runs.

    ``belongs``: says of keys that share none with those known whether they are this installation's all the same, as after a
    rotation and a retirement that this process slept through. SettingsError: the file holds no usable key. Once it did, the
    keys that are known stay, whatever becomes of it.
    """

    def __init__(self, path: Path, belongs: Callable[[Mapping[int, bytes]], bool] = lambda keys: False):
        self._path, self._seen, self._belongs = path, _mark(path), belongs
        super().__init__(read(path))

    @property
    def newest(self) -> int:
        self._follow()
        return super().newest

    @property
    def versions(self) -> list[int]:
        self._follow()
        return super().versions

    def derive(self, purpose: str, version: int | None = None) -> bytes:
        self._follow()
        return super().derive(purpose, version)

    def _follow(self) -> None:
        mark = _mark(self._path)
        if mark == self._seen:
            return
        self._seen = mark
        try:
            keys = read(self._path)
        except (OSError, SettingsError) as bad:
            log.error("the master keys in use are kept; those of the file cannot be read: %s", bad)
            return
        shared = keys.keys() & self._keys.keys()
        same = all(hmac.compare_digest(keys[version], self._keys[version]) for version in shared)
        if not same or not (shared or self._belongs(keys)):
            log.error("the master keys in use are kept; %s is the secret of another installation", self._path)
            return
        self._keys = keys


def _mark(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def read(path: Path) -> dict[int, bytes]:
    """The keys by version. SettingsError: there is none that is usable."""
    try:
        return parse(path.read_text("ascii"))
    except ValueError as bad:
        message = f"{path} holds no usable key; restore it from your backup: it signs links and webhooks"
        raise SettingsError(message) from bad


def parse(text: str) -> dict[int, bytes]:
    """The keys by version that the text of such a file holds. ValueError: there is none that is usable."""
    lines = [line.partition(":") for line in text.split()]
    keys = {int(version): bytes.fromhex(value) for version, _, value in lines}
    if not keys or any(len(value) < _SHORTEST for value in keys.values()):
        raise ValueError("no usable key")
    return keys


def fingerprint(key: bytes) -> str:
    """What a key is recognised by, and which tells nothing about it nor about anything that is derived from it."""
    return hmac.digest(key, b"fingerprint of a master key", "sha256").hex()


def make(path: Path) -> None:
    """Write a first key. Whoever links first wins, so that simultaneous first starts agree on one."""
    with suppress(FileExistsError):
        _link(path, _line(1))
    # The database keeps its fingerprint from now on: after a power failure the file has to be there.
    atomic_file.sync_folder(path.parent)


def put(path: Path, keys: Mapping[int, bytes]) -> None:
    """Write these keys, by version, where no file is yet. FileExistsError: there is one."""
    _link(path, _text(keys))
    atomic_file.sync_folder(path.parent)


def _link(path: Path, text: str) -> None:
    with _partial(path, text) as partial:
        os.link(partial, path)


def _text(keys: Mapping[int, bytes]) -> str:
    return "".join(f"{version}:{key.hex()}\n" for version, key in sorted(keys.items()))


def rotate(path: Path) -> int:
    """Add a key, by which new subscriptions, links and sessions are signed from now on; its version.

    The older ones stay: subscriptions keep the secret that they were registered with.
    """
    with _turn(path):
        version = max(read(path)) + 1
        _replace(path, path.read_text("ascii") + _line(version))
    return version


def retire(path: Path, version: int) -> None:
    """Remove a key that somebody else may have: whatever it signed is valid no more, in every process at once.

    SettingsError: there is no such key, or it is the newest.
    """
    with _turn(path):
        keys = read(path)
        require_retirable(keys, version)
        _replace(path, _text({each: key for each, key in keys.items() if each != version}))


def require_retirable(keys: Mapping[int, bytes], version: int) -> None:
    """SettingsError: there is no such key, or it is the newest."""
    if version not in keys:
        known = ", ".join(map(str, sorted(keys)))
        raise SettingsError(f"there is no master key {version}; those in use: {known}")
    if version == max(keys):
        raise SettingsError(f"master key {version} is the newest, which signs; call `key-ring rotate` before you retire it")


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """The turn of one process to change the file; afterwards the change is on the disk."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
        os.fsync(folder)
    finally:
        os.close(folder)


def _replace(path: Path, text: str) -> None:
    with _partial(path, text) as partial:
        owner = path.stat()
        os.chown(partial, owner.st_uid, owner.st_gid)  # by root for the service, say
        partial.replace(path)


def _line(version: int) -> str:
    return f"{version}:{secrets.token_hex(_SHORTEST)}\n"


@contextmanager
def _partial(path: Path, text: str) -> Iterator[Path]:
    """A file of mode 0600 beside ``path``, on the disk; it is gone afterwards."""
    with atomic_file.part_of(path, unique=True) as partial:
        with atomic_file.durable(partial) as file:
            file.write(text.encode("ascii"))
        yield partial
