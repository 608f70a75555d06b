"""The backups that are known here, as the doctor names them: files of earlier releases, a repository, an address."""

import shlex
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svc.base import clock
from svc.base.crypto import key_ring
from svc.base.crypto.age_encryption import MAGIC
from svc.base.errors import CommandError, SettingsError
from svc.base.settings import Settings
from svc.domain.access import master_keys
from svc.store.backup.repository import BASE, FULL, Entry, Repository, Stored
from svc.work.backup import incremental

_NOW = "$(date --utc +%Y-%m-%dT%H:%M:%SZ)"
_IDENTITY = "--identity PRIVATE-KEY"
_KEY_FILE = "secret"


@dataclass(frozen=True)
class Source:
    """Where a backup is. ``made``: milliseconds, 0 where that cannot be looked at; ``entry``: of a repository's."""

    place: Path | str
    made: int
    encrypted: bool
    entry: Entry | None = None

    @property
    def kind(self) -> str | None:
        """Of a repository's backup; None: it is a file, or an address."""
        return self.entry.kind if self.entry else None

    @property
    def is_file(self) -> bool:
        return self.entry is None and isinstance(self.place, Path)

    @property
    def note(self) -> str:
        """What the end of a command line says of the words in it that the doctor cannot know."""
        return "  # PRIVATE-KEY: the file of `age-keygen`" if self.encrypted else ""

    def restore(self, data_dir: Path, place: Path | str, *options: str) -> str:
        """The command that restores from it; ``place``: where it is by then."""
        words = [shlex.quote(str(place)), *([_IDENTITY] if self.encrypted else []), *options]
        return f"SVC_DATA_DIR={shlex.quote(str(data_dir))} python app.py restore {' '.join(words)}"

    @property
    def whole(self) -> tuple[str, ...]:
        """The options for restoring everything: of a stream alone that is what it is at now."""
        return (f"--at {_NOW}",) if self.kind == BASE else ()


def newest(settings: Settings) -> Source | None:
    """What is restored from: the address of the backups, or what is the newest here; None: there is nothing."""
    return _address(settings) or max([*_files(settings), *_restored(settings)], key=_age, default=None)


def made(settings: Settings) -> int | None:
    """When the newest backup that is a file or in a repository here was made; a stream alone is none. None: there is none."""
    stored = (each for each in _stored(settings) if each.kind != BASE)
    return max((each.made for each in (*_files(settings), *stored)), default=None)


def with_secret(settings: Settings, recorded: Iterable[Mapping[str, Any]]) -> Source | None:
    """The newest backup whose secret is the one of the database with these rows; of an encrypted one that is supposed."""
    if address := _address(settings):
        return address
    for each in sorted([*_files(settings), *_stored(settings)], key=_age, reverse=True):
        try:
            if each.encrypted or master_keys.difference(_keys(each), recorded) is None:
                return each
        except CommandError:
            continue
    return None


def again(settings: Settings, aside: Path, mark: str) -> str | None:
    """The command that goes on with a restoration from a repository. ``aside``: where the data directory was before, with its
    backups; ``mark``: of the restoration. None: it was from a file, or from elsewhere."""
    identity, _, moment = mark.partition("@")
    option = f"--at {clock.text(int(moment))}" if moment.isdecimal() else f"--id {shlex.quote(identity)}"
    places = [settings.backups]
    if settings.backups.is_relative_to(settings.data_dir):
        places.append(aside / settings.backups.relative_to(settings.data_dir))
    found = [each for place in places for each in _entries(place) if each.entry and each.entry.id == identity]
    return found[0].restore(settings.data_dir, found[0].place, option) + found[0].note if found else None


def full_backups(folder: Path) -> int:
    """How many the repository in ``folder`` holds."""
    return sum(each.kind == FULL for each in _entries(folder))


def _age(source: Source) -> int:
    return source.made


def _address(settings: Settings) -> Source | None:
    return Source(settings.backup_url, 0, bool(settings.backup_recipients)) if settings.backup_url else None


def _files(settings: Settings) -> Iterator[Source]:
    for path in settings.backups.glob("*.tar") if settings.backups.is_dir() else ():
        try:
            with path.open("rb") as file:
                yield Source(path, _mtime(path), file.read(len(MAGIC)) == MAGIC)
        except OSError:
            continue  # it is no file, or not for us to read


def _stored(settings: Settings) -> list[Source]:
    return list(_entries(settings.backups))


def _restored(settings: Settings) -> list[Source]:
    """What `restore` takes of the repository: the newest full one; else the database; else what a stream has."""
    stored = sorted(_stored(settings), key=lambda each: (each.kind == FULL, each.kind != BASE, each.made))
    return stored[-1:]


def _entries(folder: Path) -> Iterator[Source]:
    """Those whose manifest can be read, each with the time of its file; in no order."""
    repo = incremental.repository(folder)
    for path in folder.glob("manifests/*.json"):
        try:
            entry = repo.entry(path.stem)
            yield Source(folder, _mtime(path), entry.encrypted, entry)
        except (CommandError, OSError):
            continue  # damaged, or not for us to read


def _mtime(path: Path) -> int:
    return path.stat().st_mtime_ns // 1_000_000


def _keys(source: Source) -> Mapping[int, bytes]:
    if source.entry is None:
        return keys_of_file(Path(source.place))
    return keys_of_entry(incremental.repository(source.place), source.entry)


def keys_of_file(path: Path) -> Mapping[int, bytes]:
    """The master keys in a backup of one file. CommandError: it holds none that are usable."""
    try:
        with tarfile.open(path, "r:") as tar:
            file = tar.extractfile(_KEY_FILE)
            return key_ring.parse(file.read().decode("ascii") if file else "")
    except (OSError, KeyError, ValueError, AttributeError, tarfile.TarError, SettingsError) as bad:
        raise CommandError(f"The backup {path} holds no secret that can be used.") from bad


def keys_of_entry(repo: Repository, entry: Entry) -> Mapping[int, bytes]:
    """The master keys in a backup of a repository. CommandError: it holds none that are usable, or cannot be read."""
    try:
        part = Stored(repo, entry).detail["parts"][_KEY_FILE]
        return key_ring.parse(b"".join(map(repo.content, part["objects"])).decode("ascii"))
    except (OSError, KeyError, ValueError, SettingsError) as bad:
        raise CommandError(f"The backup {entry.id} holds no secret that can be used.") from bad
