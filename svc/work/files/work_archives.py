"""The work folder of a production on its way through a bucket, so that each of its steps may run on
another machine.

After each step but the last, the files that it added or changed are stored as one archive, which
the step's row names and describes. The name contains the token of the step's claim: an archive of a
late or repeated writer is named by no row. Before a step, files that this machine lacks, or of
which it has an older state, are fetched. Without a bucket, nothing is done here.
"""

import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from svc.adapters.storage import WORK_FOLDER, Storage
from svc.base import atomic_file, outage, states
from svc.base.errors import FileStoreUnavailable
from svc.base.file_hash import Hashing, hash_blocks, hash_file, read_blocks
from svc.base.untrusted_file import open_untrusted, require_file
from svc.domain.lifecycle import deliverables, lifecycle, render_queue, steps
from svc.domain.lifecycle.lifecycle import Claim
from svc.domain.tables.productions import Step
from svc.work import work_folder

Alive = Callable[[float], None]  # see :class:`WorkArchives`
MOST_FILES = 5000  # in a work folder
_LONGEST_NAME = 200  # characters
_LARGEST = 8 << 30  # bytes of one archive
_OF_ONE_RUN = ("brief.json", "errors.txt")  # written anew on each machine


@dataclass(frozen=True)
class Archive:
    """What a step did to the work folder, as its row says: the archive with the files that it added
    or changed.

    ``files``: their hashes by name; None: the step removed the file.
    """

    name: str
    size_bytes: int
    sha256: str
    files: dict[str, str | None]

    def to_json(self) -> str:
        """Return it as JSON, for the step's row."""
        return json.dumps(asdict(self), ensure_ascii=False)


class WorkArchives:
    """Fetches and stores the work folders of the productions in ``work_dir``.

    ``alive``, of its methods: called now and then during long transfers; renews the lease, and
    raises an exception to stop.
    """

    def __init__(self, storage: Storage, work_dir: Path):
        self._storage, self._work_dir = storage, work_dir
        # By production: the archive after which this machine's folder was left as it is.
        self._here: dict[str, str] = {}

    def fetch(self, production_id: str, position: int, alive: Alive) -> None:
        """Bring the work folder to the state that the steps before ``position`` left, whichever
        machines ran them.

        Raises:
            FileStoreUnavailable: The bucket does not answer.
            FileNotFoundError, ValueError: It lacks an archive, or has another one than the row
                says.
        """
        if not self._storage.files.is_remote:
            return
        archives = _archives(production_id, position)
        here = self._here.pop(production_id, None)  # the step will change the folder
        if not archives or here == archives[-1].name:
            return
        folder = self._work_dir / production_id
        folder.mkdir(parents=True, exist_ok=True)
        for archive, names in _find_differing(folder, archives, alive):
            self._unpack(archive, names, folder, alive)

    def store(self, claim: Claim, step: Step, alive: Alive) -> str | None:
        """Store what a step did to the work folder; return the description for its row, or None if
        there is no bucket.

        May be repeated.

        Raises:
            FileStoreUnavailable: The bucket does not answer.
            ValueError, OSError: The step, which is untrusted, left something that is not a work
                folder.
        """
        if not self._storage.files.is_remote:
            return None
        production_id = claim.production_id
        name = f"{WORK_FOLDER}/{claim.production_id}/{step['position']}-{claim.token}.tar"
        known = {
            name: digest
            for archive in _archives(production_id, step["position"])
            for name, digest in archive.files.items()
        }
        with self._make_private_folder(production_id) as private:
            changed = _pack(self._work_dir / production_id, known, private / "archive.tar", alive)
            try:
                stored = self._storage.keep(
                    private / "archive.tar", name, fixed=True, alive=lambda: alive(1.0)
                )
            except FileStoreUnavailable:
                alive(1.0)  # the caller waits and tries again, and keeps its lease
                raise
        self._here[production_id] = name
        return Archive(name, stored.size_bytes, stored.sha256, changed).to_json()

    @contextmanager
    def pack_folder(self, production_id: str, position: int) -> Iterator[tuple[Archive, Path]]:
        """Yield an archive of the whole work folder and its path on this machine, as the step at
        ``position`` left it.

        Its name is made of its content: the same folder gives the same archive. The errors are
        those of :meth:`store`.
        """
        with self._make_private_folder(production_id) as private:
            path = private / "archive.tar"
            files = _pack(self._work_dir / production_id, {}, path, lambda _: None)
            digest = hash_file(path).sha256
            name = f"{WORK_FOLDER}/{production_id}/{position}-{digest[:32]}.tar"
            yield Archive(name, path.stat().st_size, digest, files), path

    def forget(self, production_id: str) -> None:
        """Remove this machine's work folder of a production."""
        self._here.pop(production_id, None)
        work_folder.remove_folder(self._work_dir / production_id)

    def forget_ended(self) -> None:
        """Remove this machine's work folders of productions that are no longer being made.

        The name of a folder begins with its production, up to the first dot.
        """
        if not self._work_dir.is_dir():
            return
        of = {path.name: path.name.partition(".")[0] for path in self._work_dir.iterdir()}
        being_made = render_queue.list_unfinished_of(list(of.values()))
        for name, production_id in of.items():
            if production_id not in being_made:
                self.forget(name)

    def finish(self, production_id: str) -> None:
        """Remove the archives of a production whose steps are all done.

        FileStoreUnavailable: the bucket does not answer.
        """
        if self._storage.files.is_remote:
            self._storage.remove_work(production_id)
            steps.forget_files(production_id)

    def discard(self, production_id: str) -> None:
        """Remove what this process stored for a production that has ended,
        maybe on another machine, without any files.
        """
        if lifecycle.find_status(
            production_id
        ) in states.TERMINAL_STATES and not deliverables.has_files(production_id):
            self._storage.remove_production(production_id)

    def sweep(self) -> None:
        """Remove the archives of productions that are no longer being made.

        The errors are those of :meth:`finish`.
        """
        if not self._storage.files.is_remote:
            return
        folders = {name.split("/")[1] for name in self._storage.files.list_names(WORK_FOLDER)}
        for production_id in folders - render_queue.list_unfinished_of(list(folders)):
            self.finish(production_id)

    def _unpack(self, archive: Archive, hashes: dict[str, str], folder: Path, alive: Alive) -> None:
        """Fetch ``hashes``, hashes by name, from an archive into the folder.

        ValueError: the archive is not as the row says.
        """
        with self._make_private_folder(folder.name) as private:
            path, extracted = private / "archive.tar", private / "files"
            self._download(archive, path, alive)
            try:
                with tarfile.open(path, "r:") as tar:
                    for member in tar:
                        if member.name in hashes:
                            _extract(
                                tar, member, hashes.pop(member.name), archive.size_bytes, extracted
                            )
                            _replace(extracted / member.name, folder / member.name)
                            alive(0.0)
            except tarfile.TarError as error:
                raise ValueError(f"{archive.name} is malformed: {error}") from error
        if hashes:
            raise ValueError(f"{archive.name} lacks {min(hashes)}")

    def _download(self, archive: Archive, path: Path, alive: Alive) -> None:
        hashing = Hashing()
        try:
            with path.open("xb") as copy:
                for block in hashing.pass_through(self._storage.files.stream(archive.name)):
                    copy.write(block)
                    if hashing.size > archive.size_bytes:
                        break
                    alive(0.0)
        except FileStoreUnavailable:
            alive(0.0)
            raise
        if (hashing.size, hashing.sha256) != (archive.size_bytes, archive.sha256):
            raise ValueError(f"{archive.name} has another content than its step stored")

    @contextmanager
    def _make_private_folder(self, production_id: str) -> Iterator[Path]:
        """Give a temporary folder that no step can reach.

        One that a crash leaves is removed after the production's end.
        """
        self._work_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._work_dir, prefix=f"{production_id}.") as folder:
            yield Path(folder)


def _archives(production_id: str, position: int) -> list[Archive]:
    return [
        Archive(**json.loads(text)) for text in steps.list_files_before(production_id, position)
    ]


def _find_differing(
    folder: Path, archives: list[Archive], alive: Alive
) -> list[tuple[Archive, dict[str, str]]]:
    """Return the archives to fetch, each with the hashes of the files to take from it.

    Remove files that a step removed.
    """
    newest = {
        name: (digest, archive) for archive in archives for name, digest in archive.files.items()
    }
    hashes_by_archive: dict[str, dict[str, str]] = {}
    for name, (digest, archive) in newest.items():
        if digest is None:
            _remove_path(folder / name)
        elif _digest_of(folder / name, alive) != digest:
            hashes_by_archive.setdefault(archive.name, {})[name] = digest
    return [
        (archive, hashes_by_archive[archive.name])
        for archive in archives
        if archive.name in hashes_by_archive
    ]


def _digest_of(path: Path, alive: Alive) -> str:
    """Return the hash of a file; empty: there is none, or something else."""
    try:
        with open(path, "rb", opener=open_untrusted) as file:
            require_file(file.fileno(), path)
            return hash_blocks(read_blocks(file, lambda: alive(0.0))).sha256
    except (OSError, ValueError) as error:
        # a step may have left anything under that name
        if outage.recognise(error, of_step=True) is not None:
            raise
        return ""


def _pack(
    folder: Path, known: dict[str, str | None], target: Path, alive: Alive
) -> dict[str, str | None]:
    """Write the files of which ``known`` has another hash, or none, to an archive;
    return the hashes of what has changed.
    """
    changed: dict[str, str | None] = {}
    names = _list_names(folder)
    with tarfile.open(target, "x") as tar:
        for name in names:
            with open(folder / name, "rb", opener=open_untrusted) as file:
                require_file(file.fileno(), folder / name)
                digest = hash_blocks(read_blocks(file, lambda: alive(1.0))).sha256
                if known.get(name) != digest:
                    changed[name] = digest
                    _add_file(tar, name, file, alive)
    return changed | dict.fromkeys(name for name in known.keys() - set(names) if known[name])


def _list_names(folder: Path) -> list[str]:
    """Return the names of the files that travel.

    ValueError: there are too many, or one is no usable name.
    """
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name.endswith(atomic_file.ENDING) or name in _OF_ONE_RUN:
                continue
            if entry.is_file(follow_symlinks=False):
                names.append(name)
                if len(name) > _LONGEST_NAME or not name.isprintable():
                    raise ValueError(f"{name[:_LONGEST_NAME]!a} is not a usable name of a file")
                if len(names) > MOST_FILES:
                    raise ValueError(f"there are more than {MOST_FILES} files")
    return sorted(names)


def _add_file(tar: tarfile.TarFile, name: str, file: IO[bytes], alive: Alive) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = file.tell(), 0o600
    # the certificate says when the gates judged
    entry.mtime = max(0, int(os.fstat(file.fileno()).st_mtime))
    if tar.offset + entry.size > _LARGEST:
        raise ValueError(f"the files are larger than {_LARGEST >> 30} GiB")
    file.seek(0)
    tar.addfile(entry, _ReportingFile(file, alive))


class _ReportingFile:
    """A file that says while it is read that this process is alive."""

    def __init__(self, file: IO[bytes], alive: Alive):
        self._file, self._alive = file, alive

    def read(self, size: int = -1, /) -> bytes:
        self._alive(1.0)
        return self._file.read(size)


def _extract(
    tar: tarfile.TarFile, member: tarfile.TarInfo, digest: str, most: int, folder: Path
) -> None:
    """Extract one file.

    ``most``: the size of the archive. ValueError: it is no file, or has another hash than
    ``digest``.
    """
    # a sparse file says it is larger
    content = tar.extractfile(member) if member.isreg() and member.size <= most else None
    if content is None or "/" in member.name or member.name == "..":
        raise ValueError(f"{member.name} is not a file of this archive")
    folder.mkdir(exist_ok=True, mode=0o700)
    path = folder / member.name
    # Python 3.11.2, of Debian 12, has no filters of extract()
    with content, path.open("xb") as copy:
        shutil.copyfileobj(content, copy)
    path.chmod(0o600)
    os.utime(path, (member.mtime, member.mtime))
    if _digest_of(path, lambda fraction: None) != digest:
        raise ValueError(f"{member.name} has another content than its step stored")


def _replace(source: Path, target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        work_folder.remove_folder(target)
    source.replace(target)


def _remove_path(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        work_folder.remove_folder(path)
    else:
        path.unlink(missing_ok=True)
