"""A repository of backups: content-addressed objects, each stored once, and a manifest for each
backup that lists them.

Objects are written before the manifest that lists them and removed after it, so every backup that
has a manifest is complete even after an interruption. An object's name is the SHA-256 of its
content before compression and encryption.
"""

import hashlib
import json
import os
import re
import secrets
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from svc.base import atomic_file, clock
from svc.base.crypto.age_encryption import Opener, Sealer
from svc.base.errors import CommandError
from svc.base.protocols import Objects
from svc.store.backup import database_file, named_files
from svc.store.backup.database_file import DATABASE
from svc.store.backup.named_files import Differences, Part
from svc.store.engine import schema
from svc.work.backup import archive
from svc.work.backup.archive import Manifest

FORMAT = 1
# The kinds of backups; a base is the beginning of a stream of the database.
FULL, DATABASE_ONLY, BASE = "full", "database", "base"

_DATABASE_CHUNK = 1 << 18  # bytes: the amount that is stored again when a page changes
_FILE_CHUNK = 8 << 20
_WORTHWHILE = 0.9  # the share of its size above which an object is not compressed
_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}")
_NAME = re.compile(r"[0-9a-f]{64}")
_CLOCKS_DIFFER = clock.HOUR  # by less than this, those of the machines that share a repository
_LONGEST_GAP = 2 * clock.DAY  # between two bases while all is well
_GOOD = "good:"  # before the name of a file in the index
_RAW, _DEFLATED = b"\0", b"\1"  # the first byte of an object


@dataclass(frozen=True)
class Entry:
    """A manifest: the unencrypted description of a backup.

    ``detail``: the object with the names of its files.
    """

    id: str
    kind: str
    made_at: str
    encrypted: bool
    files: int
    size: int
    detail: str
    objects: tuple[str, ...]

    @property
    def at(self) -> int:
        return clock.parse(self.made_at)


@dataclass
class Written:
    """What a backup added to the repository."""

    new: int = 0  # objects
    new_bytes: int = 0
    missing: tuple[str, ...] = ()  # files that the database names and that the backup does not have
    damaged: tuple[str, ...] = ()  # files that it has otherwise than the database says
    # The files that are missing or damaged here, and that it has from an earlier backup.
    recovered: tuple[str, ...] = ()
    entry: Entry = field(init=False)  # set when the backup is complete


@dataclass
class Index:
    """The objects of each file at its last backup, with size, time and inode,
    so that unchanged files are not read again.
    """

    path: Path
    known: dict[str, list[Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Index":
        try:
            known = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            known = {}
        return cls(path, known if isinstance(known, dict) else {})

    def find_objects(self, name: str, stat: os.stat_result) -> tuple[str, list[str]] | None:
        row = self.known.get(name)
        return (
            (row[3], row[4])
            if row and row[:3] == [stat.st_size, stat.st_mtime_ns, stat.st_ino]
            else None
        )

    def record_file(self, name: str, stat: os.stat_result, sha256: str, objects: list[str]) -> None:
        self.known[name] = [stat.st_size, stat.st_mtime_ns, stat.st_ino, sha256, objects]

    def find_good(self, name: str, part: Part) -> dict[str, Any] | None:
        """Return what the last backup with a good copy of a file has of it;
        None: it is another content.
        """
        for row in filter(None, map(self.known.get, (name, _GOOD + name))):
            if (row[0], row[3]) == (part.size, part.sha256):
                return {"size": part.size, "sha256": part.sha256, "objects": row[4]}
        return None

    def record_good(self, name: str, part: dict[str, Any]) -> None:
        """Remember the good copy of a file that is damaged or missing,
        beside what the damaged one is.
        """
        self.known[_GOOD + name] = [part["size"], 0, 0, part["sha256"], part["objects"]]

    def save(self, names: Iterable[str]) -> None:
        remaining = {
            key: self.known[key]
            for name in names
            for key in (name, _GOOD + name)
            if key in self.known
        }
        atomic_file.write_text(self.path, json.dumps(remaining))


class Repository:
    """The backups in ``objects``. OSError: the store cannot be reached."""

    def __init__(
        self, objects: Objects, sealer: Sealer | None = None, opener: Opener | None = None
    ):
        self.objects, self.sealer, self.opener = objects, sealer or Sealer(()), opener or Opener()

    def list_entries(self) -> list[Entry]:
        """Return the manifests, oldest first. CommandError: a manifest is damaged."""
        ids = (
            name.removeprefix("manifests/").removesuffix(".json")
            for name in self.objects.list_names("manifests")
        )
        return sorted(
            (self.find_entry(identity) for identity in ids), key=lambda entry: (entry.at, entry.id)
        )

    def find_entry(self, identity: str) -> Entry:
        """Return a manifest. CommandError: there is no such backup, or its manifest is damaged."""
        if not _ID.fullmatch(identity):
            raise CommandError(
                f"{identity!r} is not a backup in {self.objects}; `backup --list` lists them."
            )
        try:
            return _parse_entry(self.objects.get(f"manifests/{identity}.json"))
        except FileNotFoundError as missing:
            raise CommandError(
                f"There is no backup {identity} in {self.objects}; `backup --list` lists them."
            ) from missing
        except (ValueError, KeyError, TypeError) as bad:
            raise CommandError(
                f"The manifest of the backup {identity} in {self.objects} is damaged."
            ) from bad

    def find_newest(
        self, kinds: Iterable[str] = (FULL, DATABASE_ONLY), now: int | None = None
    ) -> Entry:
        """Return the backup of these kinds that was made last. CommandError: there is none.

        ``now``: the present time; that of the system by default.
        """
        entries = sort_as_made(self.list_entries(), clock.now() if now is None else now)
        for entry in reversed(entries):
            if entry.kind in kinds:
                return entry
        raise CommandError(f"There is no backup in {self.objects}.")

    def add(
        self,
        folder: Path,
        kind: str,
        now: int,
        index: Index | None = None,
        more: dict[str, Any] | None = None,
        progress: Callable[[int, int], None] = lambda done, of: None,
        identity: str | None = None,
        named: Mapping[str, Part] = MappingProxyType({}),
    ) -> Written:
        """Back up the files of ``folder``, including the database. The manifest, which makes the
        backup valid, comes last.

        ``named``: what the database says of its files. One that is otherwise, or missing, is taken
        from an earlier backup, if that has it as it should be: the good copy must not go with the
        last backup that has it.
        """
        written = Written()
        here = {name.rpartition("/")[2] for name in self.objects.list_names("objects")}
        sizes = _measure_files(folder)
        known = {
            name: row
            for name, part in named.items()
            if index and (row := index.find_good(name, part))
        }
        parts: dict[str, dict[str, Any]] = {}
        done = 0
        for name, size in sizes.items():
            parts[name] = self._add_file(folder / name, name, index, here, written)
            done += size
            progress(done, sum(sizes.values()))
        self._recover(parts, named, known, here, written)
        version, rows = database_file.read_facts(folder / DATABASE)
        detail = {"schema": version, "rows": rows, "parts": parts, **(more or {})}
        detail_name = self._put(json.dumps(detail).encode(), here, written)
        used = dict.fromkeys(
            [
                detail_name,
                *(object_name for part in parts.values() for object_name in part["objects"]),
            ]
        )
        entry = Entry(
            identity or make_id(now),
            kind,
            clock.format_time(now),
            bool(self.sealer),
            len(parts),
            sum(sizes.values()),
            detail_name,
            tuple(used),
        )
        self.objects.put(f"manifests/{entry.id}.json", _format_entry(entry))
        written.entry = entry
        if index is not None:
            for name in written.recovered:
                index.record_good(name, parts[name])
            index.save(parts)
        return written

    def _recover(
        self,
        parts: dict[str, dict[str, Any]],
        named: Mapping[str, Part],
        known: Mapping[str, dict[str, Any]],
        here: set[str],
        written: Written,
    ) -> None:
        """Take files that are missing or damaged from an earlier backup, and record what cannot be
        had.

        ``known``: what the index has of them as they should be.
        """
        there = {name: Part(part["size"], part["sha256"]) for name, part in parts.items()}
        differences = named_files.compare_files(named, there)
        wrong = [*differences.missing, *differences.damaged]
        good = {
            name: known[name]
            for name in wrong
            if name in known and here.issuperset(known[name]["objects"])
        }
        good |= self._find_earlier_files(
            {name: named[name] for name in wrong if name not in good}, here
        )
        parts |= good
        written.missing, written.damaged = Differences(
            tuple(name for name in differences.missing if name not in good),
            tuple(name for name in differences.damaged if name not in good),
        )
        written.recovered = tuple(good)

    def _find_earlier_files(
        self, missing: dict[str, Part], here: set[str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what earlier backups have of the wanted files, as it should be;
        encrypted ones need a private key.
        """
        for entry in reversed(self.list_entries() if missing else ()):
            if not missing:
                return
            if entry.kind != FULL or (entry.encrypted and not self.opener):
                continue
            stored = self.open_entry(entry)
            for name, part in list(missing.items()):
                if stored.manifest.parts.get(name) == part and here.issuperset(
                    objects := stored.list_objects(name)
                ):
                    del missing[name]
                    yield name, {"size": part.size, "sha256": part.sha256, "objects": objects}

    def _add_file(
        self, path: Path, name: str, index: Index | None, here: set[str], written: Written
    ) -> dict[str, Any]:
        stat = path.stat()
        known = index.find_objects(name, stat) if index and name != DATABASE else None
        if known and here.issuperset(known[1]):
            return {"size": stat.st_size, "sha256": known[0], "objects": known[1]}
        digest, objects = hashlib.sha256(), []
        with path.open("rb") as file:
            while chunk := file.read(_DATABASE_CHUNK if name == DATABASE else _FILE_CHUNK):
                digest.update(chunk)
                objects.append(self._put(chunk, here, written))
        if index and name != DATABASE:
            index.record_file(name, stat, digest.hexdigest(), objects)
        return {"size": stat.st_size, "sha256": digest.hexdigest(), "objects": objects}

    def _put(self, content: bytes, here: set[str], written: Written) -> str:
        name = hashlib.sha256(content).hexdigest()
        if name not in here:
            packed = pack(content, self.sealer)
            self.objects.put(f"objects/{name[:2]}/{name}", packed)
            here.add(name)
            written.new, written.new_bytes = written.new + 1, written.new_bytes + len(packed)
        return name

    def read_object(self, name: str) -> bytes:
        """Return the verified content of an object.

        CommandError: it is missing, damaged, or cannot be decrypted.
        """
        try:
            content = unpack(self.objects.get(f"objects/{name[:2]}/{name}"), self.opener)
        except FileNotFoundError as missing:
            raise CommandError(f"The object {name} of the backup is missing.") from missing
        if content is None or hashlib.sha256(content).hexdigest() != name:
            raise CommandError(
                f"The object {name} of the backup is damaged: its SHA-256 does not match its name."
            )
        return content

    def open_entry(self, entry: Entry) -> "Stored":
        """Open a backup for reading. CommandError: the list of its files cannot be read."""
        return Stored(self, entry)

    def list_missing(self, entry: Entry) -> set[str]:
        """Return which objects of a backup do not exist, which can be checked without
        a private key.
        """
        return set(entry.objects) - {
            name.rpartition("/")[2] for name in self.objects.list_names("objects")
        }

    def prune(self, keep: int, now: int) -> Counter[str]:
        """Remove all but the newest ``keep`` backups of each kind, and unused objects; return how
        many of each were removed.

        A base stays for ``keep`` days after the next one was made, so that any moment of those days
        can be restored; on the first day after days without one, all stay. CommandError: a manifest
        cannot be read; nothing was removed.
        """
        entries, removed = self.list_entries(), Counter[str]()
        retained = list(_list_kept(entries, keep, now))
        for entry in entries:
            if entry not in retained:
                self.objects.delete(f"manifests/{entry.id}.json")
                removed["backups"] += 1
        named = {name for entry in retained for name in entry.objects}
        for path in list(self.objects.list_names("objects")):
            if path.rpartition("/")[2] not in named:
                self.objects.delete(path)
                removed["objects"] += 1
        streams = {entry.id for entry in retained if entry.kind == BASE}
        # The base of a newer stream has not been sent yet; the stream is dated earlier than others
        # where the clock was set back.
        sent = min(max(streams, default=""), _make_stamp(now - clock.DAY))
        for path in list(self.objects.list_names("wal")):
            if path.split("/")[1] not in streams and path.split("/")[1] < sent:
                self.objects.delete(path)
                removed["segments"] += 1
        return removed


class Stored:
    """A backup in a repository that is open for reading; :class:`archive.Archive` is one
    in a file.
    """

    def __init__(self, repository: Repository, entry: Entry):
        self._repository, self.entry = repository, entry
        try:
            self.detail = json.loads(repository.read_object(entry.detail))
            self._parts = {name: part["objects"] for name, part in self.detail["parts"].items()}
            parts = {
                name: Part(part["size"], part["sha256"])
                for name, part in self.detail["parts"].items()
            }
            facts = self.detail["schema"], self.detail["rows"]
            if DATABASE not in parts or not all(map(archive.is_inside, parts)):
                raise ValueError(entry.id)
        except (ValueError, KeyError, TypeError) as bad:
            raise CommandError(f"The list of files of the backup {entry.id} is damaged.") from bad
        if facts[0] > schema.VERSION:
            raise CommandError(
                f"{entry.id} was made by a newer release: its schema is {facts[0]}; this program "
                f"reads schemas up to {schema.VERSION}. Upgrade it first."
            )
        if facts[0] < schema.OLDEST:
            text = schema.describe_too_old(f"The backup {entry.id}", facts[0], is_backup=True)
            raise CommandError(text)
        self.manifest = Manifest(FORMAT, entry.id, facts[0], entry.made_at, facts[1], parts)

    def list_objects(self, name: str) -> list[str]:
        """Return the objects of a part."""
        return list(self._parts[name])

    def extract(self, name: str, target: Path | None) -> None:
        """Read a part, check it, and write it to ``target`` durably; None: only check it.

        CommandError: it is damaged.
        """
        digest = hashlib.sha256()
        chunks = (self._repository.read_object(object_name) for object_name in self._parts[name])
        if target is None:
            for chunk in chunks:
                digest.update(chunk)
        else:
            with atomic_file.open_durably(target) as file:
                for chunk in chunks:
                    digest.update(chunk)
                    file.write(chunk)
        if digest.hexdigest() != self.manifest.parts[name].sha256:
            raise CommandError(
                f"The part {name} of the backup is damaged: its SHA-256 is not that of the "
                "manifest."
            )


def sort_as_made(entries: Iterable[Entry], now: int) -> list[Entry]:
    """Return backups in the order in which they were made, oldest first.

    Those that are dated after ``now`` were made before the clock was set back.
    """
    return sorted(entries, key=lambda entry: (entry.at <= now + _CLOCKS_DIFFER, entry.at, entry.id))


def _measure_files(folder: Path) -> dict[str, int]:
    """Return the sizes of all files in a folder by their names in it, in alphabetical order."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = sorted(path.relative_to(folder).as_posix() for path in files)
    return {name: (folder / name).stat().st_size for name in names}


def _list_kept(entries: list[Entry], keep: int, now: int) -> Iterator[Entry]:
    for kind in (FULL, DATABASE_ONLY):
        oldest_first = sort_as_made([entry for entry in entries if entry.kind == kind], now)
        yield from oldest_first[-keep:]
    bases = [entry for entry in entries if entry.kind == BASE]
    is_in_doubt = _may_be_set_ahead(bases, now)
    for base, following in zip(bases, [*bases[1:], None]):
        if is_in_doubt or following is None or following.at > now - keep * clock.DAY:
            yield base


def _may_be_set_ahead(bases: list[Entry], now: int) -> bool:
    """Return whether the bases of the last day follow none of the days before it.

    A base is made each day: either none was for so long, or the clock was set ahead. If it is
    wrong, somebody sets it back before anything is removed for its age.
    """
    before = [base.at for base in bases if base.at <= now - clock.DAY]
    since = [base.at for base in bases if now - clock.DAY < base.at <= now]
    return bool(before and since) and since[0] - before[-1] > _LONGEST_GAP


def pack(content: bytes, sealer: Sealer) -> bytes:
    """Compress the content if that saves enough, and encrypt it."""
    deflated = zlib.compress(content, 1)
    small = len(deflated) < _WORTHWHILE * len(content)
    return sealer.seal(_DEFLATED + deflated if small else _RAW + content)


def unpack(packed: bytes, opener: Opener) -> bytes | None:
    """Decrypt and decompress; return None if the content is damaged."""
    opened = opener.open(packed)
    try:
        return zlib.decompress(opened[1:]) if opened[:1] == _DEFLATED else opened[1:]
    except zlib.error:
        return None


def make_id(now: int) -> str:
    """Return the identifier of a new backup."""
    return f"{_make_stamp(now)}-{secrets.token_hex(4)}"


def _make_stamp(at: int) -> str:
    return clock.format_time(at)[:19].replace("-", "").replace(":", "") + "Z"


def _format_entry(entry: Entry) -> bytes:
    body = {"format": FORMAT, **entry.__dict__, "objects": list(entry.objects)}
    text = json.dumps(body, sort_keys=True)
    document = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "manifest": body}
    return json.dumps(document, sort_keys=True, indent=1).encode()


def _parse_entry(text: bytes) -> Entry:
    document = json.loads(text)
    body = document["manifest"]
    if hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest() != document["sha256"]:
        raise ValueError("its checksum is wrong")
    if body["format"] > FORMAT:
        raise CommandError(
            f"The backup {body['id']} was made by a newer release. Upgrade this program first."
        )
    if not all(map(_NAME.fullmatch, [body["detail"], *body["objects"]])):
        raise ValueError("it names no objects")
    return Entry(
        **{name: body[name] for name in Entry.__annotations__ if name != "objects"},
        objects=tuple(body["objects"]),
    )
