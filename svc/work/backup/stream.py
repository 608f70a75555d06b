"""The stream of a database's changes in a repository: a base and segments after it, from which any
moment can be restored.

A segment contains the commits between two reads of the write-ahead log
(:mod:`svc.store.backup.wal_frames`) and the hash of the previous segment, and is written
atomically. Its name has the time of the read: it contains all commits before that instant and none
after it.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from svc.base import atomic_file, clock
from svc.base.errors import CommandError
from svc.base.file_hash import hash_file
from svc.base.protocols import Objects
from svc.base.text.counted import count
from svc.store.backup import database_file, named_files, needed_keys, wal_frames
from svc.store.backup.database_file import DATABASE
from svc.store.backup.named_files import Part
from svc.store.backup.wal_frames import Change
from svc.work.backup import repository
from svc.work.backup.archive import Manifest
from svc.work.backup.repository import BASE, FULL, Entry, Repository, Stored

_FIRST = "base"  # the predecessor of the first segment
_UNTIL = "until"
_KEY_FILE = "secret"


@dataclass(frozen=True)
class Segment:
    """A segment by its name: ``wal/BASE/NUMBER-MILLISECONDS``."""

    number: int
    at: int
    name: str


class Writer:
    """Writes the segments after one base."""

    def __init__(self, repository: Repository, base: str, page_size: int):
        self._repository, self.base, self._page_size = repository, base, page_size
        self._number, self._before = 0, _FIRST

    def put(self, change: Change, at: int) -> int:
        """Write a segment and return its size in bytes.

        OSError: it could not be written; the call can be repeated.
        """
        numbers = sorted(change.pages)
        head = {
            "number": self._number,
            "at": at,
            "before": self._before,
            "page_size": self._page_size,
            "page_count": change.page_count,
            "pages": numbers,
        }
        content = (
            json.dumps(head).encode() + b"\n" + b"".join(change.pages[number] for number in numbers)
        )
        packed = repository.pack(
            hashlib.sha256(content).digest() + content, self._repository.sealer
        )
        self._repository.objects.put(f"wal/{self.base}/{self._number:09d}-{at:014d}", packed)
        self._number, self._before = self._number + 1, hashlib.sha256(content).hexdigest()
        return len(packed)

    def confirm(self, at: int) -> None:
        """Record that all commits until ``at`` have been written."""
        self._repository.objects.put(f"wal/{self.base}/{_UNTIL}", str(at).encode())


def list_segments(objects: Objects, base: str) -> list[Segment]:
    """Return the segments after a base, in order. CommandError: a segment is missing."""
    result = []
    for name in objects.list_names(f"wal/{base}"):
        number, separator, at = name.rpartition("/")[2].partition("-")
        if separator:
            result.append(Segment(int(number), int(at), name))
    result.sort(key=lambda segment: segment.number)
    for place, segment in enumerate(result):
        if segment.number != place:
            raise CommandError(f"Segment {place} of the stream {base} is missing.")
    return result


def find_completed_until(objects: Objects, base: str) -> int:
    """Return the last instant until which a stream is known to be complete."""
    confirmed = 0
    try:
        confirmed = int(objects.get(f"wal/{base}/{_UNTIL}"))
    except FileNotFoundError:
        pass
    return max([confirmed, *(segment.at for segment in list_segments(objects, base))])


def _read_segments(
    repo: Repository, chosen: list[Segment]
) -> Iterator[tuple[dict[int, bytes], int]]:
    """Yield the pages and the page count of each segment.

    CommandError: one is damaged or does not follow its predecessor.
    """
    before = _FIRST
    for segment in chosen:
        packed = repository.unpack(repo.objects.get(segment.name), repo.opener)
        if packed is None or hashlib.sha256(packed[32:]).digest() != packed[:32]:
            raise CommandError(f"Segment {segment.number} of the stream is damaged.")
        content = packed[32:]
        head, _, body = content.partition(b"\n")
        header = json.loads(head)
        if header["before"] != before or (header["number"], header["at"]) != (
            segment.number,
            segment.at,
        ):
            raise CommandError(
                f"Segment {segment.number} of the stream does not follow the one before it."
            )
        before, size = hashlib.sha256(content).hexdigest(), header["page_size"]
        pages = {
            number: body[place * size : (place + 1) * size]
            for place, number in enumerate(header["pages"])
        }
        yield pages, header["page_count"]


def find_base(repo: Repository, at: int) -> Entry:
    """Return the base from which a moment is restored. CommandError: all bases are newer."""
    bases = [entry for entry in repo.list_entries() if entry.kind == BASE]
    before = [entry for entry in bases if entry.at <= at]
    if not before:
        first = (
            f"the earliest moment is {bases[0].made_at}"
            if bases
            else "no database was ever sent there"
        )
        raise CommandError(
            f"{clock.format_time(at)} cannot be restored from {repo.objects}: {first}."
        )
    return before[-1]


class Moment:
    """The data directory at an instant, for restoring: the database at that time, and files from
    the full backups.

    ``at``: the instant of the restored database. ``complete``: whether the stream reaches the
    requested instant. ``missing``, ``damaged``: files that no backup contains, or only otherwise
    than the database says. CommandError: it cannot be restored.
    """

    def __init__(self, repo: Repository, at: int, scratch: Path):
        self._base = repo.open_entry(find_base(repo, at))
        entry = self._base.entry
        all_segments = list_segments(repo.objects, entry.id)
        chosen = [segment for segment in all_segments if segment.at <= at]
        self.at = max([entry.at, *(segment.at for segment in chosen)])
        self.complete = find_completed_until(repo.objects, entry.id) >= at or len(chosen) < len(
            all_segments
        )
        self._database = scratch / DATABASE
        self._base.extract(DATABASE, self._database)
        wal_frames.apply_changes(
            self._database, _read_segments(repo, chosen), self._base.detail["page_size"]
        )
        self._sources = self._files(repo)
        version, rows = database_file.read_facts(self._database)
        parts = {name: source.manifest.parts[name] for name, source in self._sources.items()}
        file_hash = hash_file(self._database)
        parts[DATABASE] = Part(file_hash.size, file_hash.sha256)
        made_at, identity = clock.format_time(self.at), f"{entry.id}@{self.at}"
        self.manifest = Manifest(repository.FORMAT, identity, version, made_at, rows, parts)
        self.missing, self.damaged = named_files.compare_files(self._named, parts)

    def _files(self, repo: Repository) -> dict[str, Stored]:
        """Return the source of each file: the newest full backup that contains it.

        The master keys are those of the base, unless the database gained or lost a key since.
        """
        with closing(database_file.connect(self._database)) as connection:
            self._named, sources = named_files.list_media(connection), dict[str, Stored]()
        stored = [repo.open_entry(entry) for entry in repo.list_entries() if entry.kind == FULL]
        for source in [*stored, self._base]:
            for name in source.manifest.parts:
                is_damaged = (
                    name in sources
                    and self._is_sound(name, sources[name])
                    and not self._is_sound(name, source)
                )
                if name == DATABASE or is_damaged:
                    continue
                if (
                    not name.startswith("media/")
                    or name in self._named
                    or source.entry.at <= self.at
                ):
                    sources[name] = source
        if not self._has_keys(self._base):
            nearest = sorted(
                repo.list_entries(), key=lambda entry: (entry.at < self.at, abs(entry.at - self.at))
            )
            fitting = next(
                (source for source in map(repo.open_entry, nearest) if self._has_keys(source)), None
            )
            sources |= {_KEY_FILE: fitting} if fitting else {}
        return sources

    def _is_sound(self, name: str, source: Stored) -> bool:
        return self._named.get(name) == source.manifest.parts[name]

    def _has_keys(self, source: Stored) -> bool:
        return not needed_keys.list_missing_versions(self._database, self._copy_master_keys(source))

    def _copy_master_keys(self, source: Stored) -> Path:
        """Copy the master keys of a backup and return their path,
        which does not exist if the backup has none.
        """
        target = self._database.with_name(_KEY_FILE)
        target.unlink(missing_ok=True)
        if _KEY_FILE in source.manifest.parts:
            source.extract(_KEY_FILE, target)
        return target

    def extract(self, name: str, target: Path | None) -> None:
        """Do the same as :meth:`archive.Archive.extract`."""
        if name != DATABASE:
            self._sources[name].extract(name, target)
            return
        if target is None:
            return  # it was checked while it was assembled
        with self._database.open("rb") as reading, atomic_file.open_durably(target) as writing:
            shutil.copyfileobj(reading, writing)


def verify(repo: Repository, entry: Entry) -> list[Segment]:
    """Read a stream completely: assemble its database as it was at its end, and check it. Return
    the segments.

    If it is encrypted and there is no key, only check that its objects and segments are there.
    CommandError: it is damaged.
    """
    if missing := repo.list_missing(entry):
        raise CommandError(
            f"The base {entry.id} in {repo.objects} lacks {count(len(missing), 'object')}, such as "
            f"{min(missing)}."
        )
    segments = list_segments(repo.objects, entry.id)
    if entry.encrypted and not repo.opener:
        return segments
    with make_temporary_folder() as folder:
        base, target = repo.open_entry(entry), Path(folder, DATABASE)
        base.extract(DATABASE, target)
        wal_frames.apply_changes(target, _read_segments(repo, segments), base.detail["page_size"])
        database_file.check(target)
    return segments


def make_temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder in which the database is assembled."""
    return tempfile.TemporaryDirectory(".part", "restore-")
