"""The backups known to this installation, for the doctor: files of earlier releases,
a repository, a URL.
"""

import shlex
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from svc.base import clock
from svc.base.crypto import key_ring
from svc.base.crypto.age_encryption import MAGIC
from svc.base.errors import CommandError, SettingsError
from svc.base.settings import Settings
from svc.domain import master_keys
from svc.domain.tables.access import MasterKey
from svc.work.backup import incremental
from svc.work.backup.repository import BASE, FULL, Entry, Repository, Stored

# Up to the end of the second: a stream may have begun within it.
_NOW = "$(date --utc +%Y-%m-%dT%H:%M:%S.999Z)"
_IDENTITY = "--identity PRIVATE-KEY"
_KEY_FILE = "secret"


@dataclass(frozen=True)
class Source:
    """The location of a backup.

    ``made``: milliseconds, 0 if unknown; ``entry``: of a backup in a repository.
    """

    place: Path | str
    made: int
    encrypted: bool
    entry: Entry | None = None

    @property
    def kind(self) -> str | None:
        """The kind of a backup in a repository; None: it is a file or a URL."""
        return self.entry.kind if self.entry else None

    @property
    def is_file(self) -> bool:
        return self.entry is None and isinstance(self.place, Path)

    @property
    def note(self) -> str:
        """The comment at the end of a command line that explains its placeholders."""
        return "  # PRIVATE-KEY: the file of `age-keygen`" if self.encrypted else ""

    def make_restore_command(self, data_dir: Path, place: Path | str, *options: str) -> str:
        """Return the command that restores this backup. ``place``: its location at that time."""
        words = [shlex.quote(str(place)), *([_IDENTITY] if self.encrypted else []), *options]
        return f"SVC_DATA_DIR={shlex.quote(str(data_dir))} python app.py restore {' '.join(words)}"

    @property
    def whole(self) -> tuple[str, ...]:
        """The options that restore everything; a stream without a full backup is restored
        to the present.
        """
        return (f"--at {_NOW}",) if self.kind == BASE else ()


def find_newest(settings: Settings) -> Source | None:
    """Return the backup to restore: the URL of the backups, else the newest local one;
    None: there is none.
    """
    return _find_repository(settings) or max(
        [*_list_archives(settings), *_list_restorable(settings)], key=_get_age, default=None
    )


def find_newest_backup_time(settings: Settings) -> int | None:
    """Return when the newest local file or repository backup was made, not counting streams;
    None: there is none.
    """
    stored = (source for source in _list_local(settings) if source.kind != BASE)
    return max((source.made for source in (*_list_archives(settings), *stored)), default=None)


def find_with_secret(settings: Settings, recorded: Iterable[MasterKey]) -> Source | None:
    """Return the newest backup whose secret matches ``recorded``;
    encrypted ones are assumed to match.
    """
    if address := _find_repository(settings):
        return address
    for source in sorted(
        [*_list_archives(settings), *_list_local(settings)], key=_get_age, reverse=True
    ):
        try:
            if (
                source.encrypted
                or master_keys.describe_difference(_read_keys(source), recorded) is None
            ):
                return source
        except CommandError:
            continue
    return None


def make_continuation_command(settings: Settings, aside: Path, mark: str) -> str | None:
    """Return the command that continues a restoration from a repository; None: it was from a file
    or from elsewhere.

    ``aside``: the path that the data directory was moved to, with its backups; ``mark``: of the
    restoration.
    """
    identity, _, moment = mark.partition("@")
    option = (
        f"--at {clock.format_time(int(moment))}"
        if moment.isdecimal()
        else f"--id {shlex.quote(identity)}"
    )
    places = [settings.backups]
    if settings.backups.is_relative_to(settings.data_dir):
        places.append(aside / settings.backups.relative_to(settings.data_dir))
    sources = [
        source
        for place in places
        for source in _list_entries(place)
        if source.entry and source.entry.id == identity
    ]
    return (
        sources[0].make_restore_command(settings.data_dir, sources[0].place, option)
        + sources[0].note
        if sources
        else None
    )


def count_full_backups(folder: Path) -> int:
    """Return the number of full backups in the repository in ``folder``."""
    return sum(source.kind == FULL for source in _list_entries(folder))


def _get_age(source: Source) -> int:
    return source.made


def _find_repository(settings: Settings) -> Source | None:
    return (
        Source(settings.backup_url, 0, bool(settings.backup_recipients))
        if settings.backup_url
        else None
    )


def _list_archives(settings: Settings) -> Iterator[Source]:
    for path in settings.backups.glob("*.tar") if settings.backups.is_dir() else ():
        try:
            with path.open("rb") as file:
                yield Source(path, _read_modification_time(path), file.read(len(MAGIC)) == MAGIC)
        except OSError:
            continue  # not a file, or not readable


def _list_local(settings: Settings) -> list[Source]:
    return list(_list_entries(settings.backups))


def _list_restorable(settings: Settings) -> list[Source]:
    """Return what `restore` takes from the repository: the newest full backup,
    else one of the database, else a stream.
    """
    stored = sorted(
        _list_local(settings),
        key=lambda source: (source.kind == FULL, source.kind != BASE, source.made),
    )
    return stored[-1:]


def _list_entries(folder: Path) -> Iterator[Source]:
    """Yield the backups with a readable manifest, with the time of its file, in no order."""
    repo = incremental.open_repository(folder)
    for path in folder.glob("manifests/*.json"):
        try:
            entry = repo.find_entry(path.stem)
            yield Source(folder, _read_modification_time(path), entry.encrypted, entry)
        except (CommandError, OSError):
            continue  # damaged, or not readable


def _read_modification_time(path: Path) -> int:
    return path.stat().st_mtime_ns // 1_000_000


def _read_keys(source: Source) -> Mapping[int, bytes]:
    if source.entry is None:
        return read_keys_of_file(Path(source.place))
    return read_keys_of_entry(incremental.open_repository(source.place), source.entry)


def read_keys_of_file(path: Path) -> Mapping[int, bytes]:
    """Return the master keys in a backup file. CommandError: it contains no usable ones."""
    try:
        with tarfile.open(path, "r:") as tar:
            file = tar.extractfile(_KEY_FILE)
            return key_ring.parse(file.read().decode("ascii") if file else "")
    except (
        OSError,
        KeyError,
        ValueError,
        AttributeError,
        tarfile.TarError,
        SettingsError,
    ) as error:
        raise CommandError(f"The backup {path} contains no usable secret.") from error


def read_keys_of_entry(repo: Repository, entry: Entry) -> Mapping[int, bytes]:
    """Return the master keys in a backup of a repository.

    CommandError: it contains no usable ones, or is not readable.
    """
    try:
        part = Stored(repo, entry).detail["parts"][_KEY_FILE]
        return key_ring.parse(b"".join(map(repo.read_object, part["objects"])).decode("ascii"))
    except (OSError, KeyError, ValueError, SettingsError) as error:
        raise CommandError(f"The backup {entry.id} contains no usable secret.") from error
