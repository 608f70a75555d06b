"""The files of an installation in its bucket, for backups and copies,
each checked against what the database says.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from svc.base import atomic_file
from svc.base.errors import CommandError
from svc.base.file_hash import Hashing, hash_blocks, hash_file
from svc.base.protocols import Files
from svc.store.backup import named_files
from svc.store.backup.named_files import Part
from svc.store.database import Connection
from svc.work.files import uploads

_NOT_OURS = ("owner", "scenes")  # the bucket's own mark, and what can be rendered again


class Missing(Exception):
    """The bucket lacks a file that the database names."""


def list_files_of_database(
    files: Files, connection: Connection
) -> tuple[dict[str, Part], set[str]]:
    """Return all files in the bucket that belong to a database: those that it names, and pictures
    beside them.

    The second value: those that it names and that are not there. FileStoreUnavailable: the bucket
    does not answer.
    """
    named = named_files.list_bucket_files(connection)
    for name, size in uploads.read_recorded_sizes_by(connection).items():
        named[name] = Part(size, name.split("/")[1])
    known, there = named_files.list_productions(connection), set(files.list_names(""))
    missing = named.keys() - there
    for name in missing:
        del named[name]
    for name in sorted(there - named.keys()):
        folder = name.split("/")[0]
        if folder in known and folder not in _NOT_OURS:
            named[name] = measure_blocks(files.stream(name))
    return named, missing


def measure_blocks(blocks: Iterator[bytes]) -> Part:
    """Return the size and the hash of a file."""
    measured = hash_blocks(blocks)
    return Part(measured.size, measured.sha256)


def measure_file(path: Path) -> Part:
    """Return the size and the hash of a file of this machine."""
    measured = hash_file(path)
    return Part(measured.size, measured.sha256)


def fetch(files: Files, name: str, part: Part, target: Path) -> None:
    """Fetch a file.

    CommandError: the bucket has another content under its name. Missing: it is not there.
    """
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    hashing = Hashing()
    try:
        with atomic_file.replace(target) as partial, atomic_file.open_durably(partial) as writing:
            for block in hashing.pass_through(files.stream(name)):
                writing.write(block)
            if (hashing.size, hashing.sha256) != (part.size, part.sha256):
                raise CommandError(f"{files} has another content than the database says: {name}.")
    except FileNotFoundError as missing:
        raise Missing(name) from missing


def send(
    files: Files, sources: Mapping[str, Path], parts: dict[str, Part], sent_as: Mapping[str, str]
) -> tuple[int, int]:
    """Send files that a bucket lacks; return how many were sent, and how many were there already.

    Args:
        sources: The files on this machine, by their names in the bucket. ``parts``: what each of
            them must be.
        sent_as: The file names that downloads suggest.

    CommandError: a file is not what the database says, or does not arrive so.
    """
    sent = 0
    for name, path in sources.items():
        part = parts[name]
        if _has_part(files, name, part):
            continue
        if measure_file(path) != part:
            raise CommandError(
                f"{path} has another content than the database says; restore it from a backup."
            )
        files.put(path, name, sent_as=sent_as.get(name, ""), fixed=True)
        if not _has_part(files, name, part):
            raise CommandError(f"{files} does not have {name} as it was sent.")
        sent += 1
    return sent, len(sources) - sent


def find_missing(files: Files, parts: dict[str, Part]) -> list[str]:
    """Return the files that a bucket does not have as they must be; all of them are read."""
    return [name for name, part in parts.items() if not _has_part(files, name, part)]


def _has_part(files: Files, name: str, part: Part) -> bool:
    """Return whether a bucket has a file with the very content."""
    return files.find_file_size(name) == part.size and measure_blocks(files.stream(name)) == part
