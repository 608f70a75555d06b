"""The file format of backups: a tar archive of parts, with a manifest at its end.

A file without the manifest is incomplete.
"""

import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Literal, Protocol

from svc.base import atomic_file
from svc.base.crypto.age_encryption import MAGIC, Opener
from svc.base.errors import CommandError
from svc.store.backup import database_file, dumps, named_files
from svc.store.backup.database_file import DATABASE, Facts
from svc.store.backup.dumps import DUMP
from svc.store.backup.named_files import Part
from svc.store.engine import schema

FORMAT = 1  # of a file with SQLite's database
FORMAT_OF_DUMPS = 2  # of one with a dump of PostgreSQL; higher numbers are rejected

_MANIFEST = "manifest.json"
_LARGEST_MANIFEST = 1 << 30  # bytes
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Manifest:
    """The content of a backup. ``rows``: by table. ``parts``: by their names relative to the data
    directory.

    ``bucket``: the files in the bucket that belong to the database, by their names there, whether
    the backup has them or not. ``missing``, ``damaged``: files that the database names and that are
    not in the backup, or not as the database says, which only who makes or verifies the backup is
    told. ``has_no_files``: nor is whether it has none of them, as a backup of the database alone.
    """

    format: int
    id: str
    schema: int | None  # None: a database without tables
    made_at: str
    rows: dict[str, int]
    parts: dict[str, Part]
    bucket: dict[str, Part] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    has_no_files: bool = False

    @property
    def database(self) -> str:
        """The name of the part that is the database."""
        return DUMP if DUMP in self.parts else DATABASE

    @property
    def facts(self) -> Facts:
        """What it states of the database."""
        return self.schema, self.rows

    def text(self) -> bytes:
        """Return it as JSON; releases that know format 1 alone know no bucket."""
        known = asdict(self)
        del known["missing"], known["damaged"], known["has_no_files"]
        if self.format == FORMAT:
            del known["bucket"]
        return json.dumps(known, indent=1).encode()


@dataclass(frozen=True)
class Dumped:
    """What a PostgreSQL database contains that a backup holds as a dump."""

    schema: int | None
    rows: dict[str, int]
    bucket: dict[str, Part]


def _ignore_progress(done: int, of: int) -> None:
    """Ignore progress."""


def write_archive(
    folder: Path,
    target: Path,
    made_at: str,
    identity: str,
    progress: Callable[[int, int], None] = _ignore_progress,
    dumped: Dumped | None = None,
) -> Manifest:
    """Write the files of ``folder``, including the database, to the new file ``target``,
    durably and with mode 0600.
    """
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        manifest = write_to(folder, file, "w", made_at, identity, progress, dumped)
        file.flush()
        os.fsync(file.fileno())
    return manifest


def write_to(
    folder: Path,
    file: IO[bytes],
    mode: Literal["w", "w|"],
    made_at: str,
    identity: str,
    progress: Callable[[int, int], None],
    dumped: Dumped | None,
) -> Manifest:
    """Write the files of ``folder`` to an open file. ``mode``: "w", or "w|" if the file has no
    position, like a pipe.

    ``dumped``: what the dump of PostgreSQL in the folder has; None: its database is one of SQLite.
    """
    version, rows = (
        (dumped.schema, dumped.rows) if dumped else database_file.read_facts(folder / DATABASE)
    )
    names = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    names.sort(key=lambda name: name not in (DATABASE, DUMP))
    sizes = {name: (folder / name).stat().st_size for name in names}
    parts, done = {}, 0
    with tarfile.open(fileobj=file, mode=mode, format=tarfile.PAX_FORMAT) as tar:
        for name in names:
            parts[name] = _add_file(tar, folder / name, name)
            done += sizes[name]
            progress(done, sum(sizes.values()))
        kind, bucket = (FORMAT_OF_DUMPS, dumped.bucket) if dumped else (FORMAT, {})
        manifest = Manifest(kind, identity, version, made_at, rows, parts, bucket)
        text = manifest.text()
        entry = tarfile.TarInfo(_MANIFEST)
        entry.size, entry.mode = len(text), 0o600
        tar.addfile(entry, io.BytesIO(text))
    return manifest


def _add_file(tar: tarfile.TarFile, path: Path, name: str) -> Part:
    entry = tarfile.TarInfo(name)
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        entry.size, entry.mode, entry.mtime = stat.st_size, 0o600, int(stat.st_mtime)
        hashing = _Hashing(file)
        tar.addfile(entry, hashing)
    return Part(entry.size, hashing.digest.hexdigest())


def _open_entry(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    """Return a file that reads an entry. ValueError: not a file."""
    file = tar.extractfile(entry)
    if file is None:
        raise ValueError(f"{entry.name} is not a file")
    return file


class _Hashing:
    """A file whose content is hashed while it is read."""

    def __init__(self, file: IO[bytes]):
        self._file, self.digest = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.digest.update(block)
        return block


class Readable(Protocol):
    """A backup that is open for reading, in a file or in a repository."""

    manifest: Manifest

    def extract(self, name: str, target: Path | None) -> None:
        """Read a part, check it, and write it to ``target``; None: only check it."""


class Archive:
    """A backup file that is open for reading.

    CommandError: not a backup, incomplete, or of a newer release.
    """

    def __init__(self, tar: tarfile.TarFile, path: Path, newest: int):
        """``newest``: the newest schema that is not of a newer release."""
        self._tar, self._newest = tar, newest
        try:
            self._entries = {entry.name: entry for entry in tar.getmembers()}
            self.manifest = self._read_manifest(path)
        except (KeyError, ValueError, TypeError, AttributeError, tarfile.TarError) as bad:
            raise CommandError(
                f"{path} is not a backup of this service, or its end is missing."
            ) from bad

    def _read_manifest(self, path: Path) -> Manifest:
        entry = self._entries[_MANIFEST]
        if entry.size > _LARGEST_MANIFEST:
            raise ValueError
        content = json.load(_open_entry(self._tar, entry))
        if content["format"] > FORMAT_OF_DUMPS or content["schema"] > self._newest:
            raise CommandError(
                f"{path} was made by a newer release: its format is {content['format']} and its "
                f"schema {content['schema']}; this program reads formats up to {FORMAT_OF_DUMPS} "
                f"and schemas up to {schema.VERSION}. Upgrade it first."
            )
        if content["schema"] < schema.OLDEST:
            text = schema.describe_too_old(str(path), content["schema"], is_backup=True)
            raise CommandError(text)
        parts = {name: Part(**part) for name, part in content.pop("parts").items()}
        bucket = {name: Part(**part) for name, part in content.pop("bucket", {}).items()}
        if len({DATABASE, DUMP} & parts.keys()) != 1 or not all(map(is_inside, (*parts, *bucket))):
            raise ValueError
        return Manifest(**content, parts=parts, bucket=bucket)

    def extract(self, name: str, target: Path | None) -> None:
        """Read a part, check it, and write it to ``target``, durably and with mode 0600; None: only
        check it.

        CommandError: it does not match the manifest.
        """
        part = self.manifest.parts[name]
        try:
            entry = self._entries[name]
            if not entry.isreg() or entry.size != part.size:
                raise CommandError(
                    f"The part {name} of the backup does not have the size that the "
                    "manifest states."
                )
            reading = _Hashing(_open_entry(self._tar, entry))
            _copy_content(reading, target)
        except (KeyError, tarfile.TarError) as bad:
            raise CommandError(f"The part {name} of the backup cannot be read: {bad}.") from bad
        if reading.digest.hexdigest() != part.sha256:
            raise CommandError(
                f"The part {name} of the backup is damaged: its SHA-256 is not that of the "
                "manifest."
            )


def is_inside(name: str) -> bool:
    """Return whether the path ``name`` stays within the data directory."""
    return not any(part in ("", ".", "..") for part in name.split("/")) and not set(name) & {
        "\\",
        "\0",
    }


def _copy_content(reading: _Hashing, target: Path | None) -> None:
    if target is None:
        while reading.read(_BLOCK):
            pass
        return
    with atomic_file.open_durably(target) as writing:
        shutil.copyfileobj(reading, writing, _BLOCK)


@contextmanager
def open_plain(path: Path, opener: Opener) -> Iterator[Path]:
    """Yield the path of the plain backup: ``path`` itself or a temporary file.

    CommandError: it cannot be decrypted.
    """
    if not os.access(path, os.R_OK):
        raise CommandError(f"{path} does not exist or may not be read.")
    with path.open("rb") as sealed:
        if sealed.read(len(MAGIC)) != MAGIC:
            yield path
            return
        sealed.seek(0)
        beside = path.absolute().parent
        with tempfile.TemporaryDirectory(
            ".part", "plain-", beside if os.access(beside, os.W_OK) else None
        ) as folder:
            plain = Path(folder, path.name)
            with open(os.open(plain, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                opener.open_stream(sealed, file)
            yield plain


@contextmanager
def open_archive(path: Path, newest: int = schema.VERSION) -> Iterator[Archive]:
    """Open the backup at ``path``.

    ``newest``: as for :class:`Archive`. CommandError: it cannot be read.
    """
    if not os.access(path, os.R_OK):
        raise CommandError(f"{path} does not exist or may not be read.")
    try:
        with path.open("rb") as file, tarfile.open(fileobj=file, mode="r:") as tar:
            yield Archive(tar, path, newest)
    except tarfile.TarError as bad:
        raise CommandError(f"{path} is not a backup of this service: {bad}.") from bad


def verify(path: Path, newest: int = schema.VERSION) -> Manifest:
    """Read a backup completely and check its parts and its database. CommandError: it is damaged;
    the message says how.

    ``newest``: as for :class:`Archive`.
    """
    beside = path.absolute().parent
    with open_archive(path, newest) as archive:
        return check(archive, beside if os.access(beside, os.W_OK) else None)


def check(
    archive: Readable,
    scratch_in: Path | None,
    progress: Callable[[int, int], None] = _ignore_progress,
    is_whole: bool | None = None,
) -> Manifest:
    """Check the parts and the database of an open backup.

    ``is_whole``: whether it was to have the files that the database names; None: nobody knows, and
    it was if it has any. CommandError: it is damaged; the message says how.
    """
    sizes = {name: part.size for name, part in archive.manifest.parts.items()}
    with tempfile.TemporaryDirectory(".part", "verify-", scratch_in) as folder:
        database, done = archive.manifest.database, 0
        scratch = Path(folder, database)
        for name, size in sizes.items():
            archive.extract(name, scratch if name == database else None)
            done += size
            progress(done, sum(sizes.values()))
        if database == DUMP:
            dumps.check(scratch)
            return archive.manifest
        database_file.check(scratch, archive.manifest.facts)
        return _compare_files(archive.manifest, scratch, is_whole)


def _compare_files(manifest: Manifest, database: Path, is_whole: bool | None) -> Manifest:
    """Return the manifest with the files that are missing or not as the database says;
    a backup of it alone has none.
    """
    has_any = any(name.startswith(("media/", "assets/")) for name in manifest.parts)
    with closing(database_file.connect(database)) as connection:
        if not has_any and not is_whole:
            named = None if is_whole is False else named_files.list_local_files(connection)
            return replace(manifest, has_no_files=bool(named))
        return replace(
            manifest,
            **named_files.compare_files(
                named_files.list_local_files(connection), manifest.parts
            )._asdict(),
        )
