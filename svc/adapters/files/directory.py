"""Files in a directory of this machine."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from svc.base import atomic_file
from svc.base.file_hash import Hashing, read_blocks
from svc.base.protocols import Stored
from svc.base.untrusted_file import open_untrusted, require_file


class Directory:
    """Implements svc.base.protocols.Files.

    It has only finished files, whose names are never chosen by partners.
    """

    is_remote = False

    def __init__(self, root: Path, proxy_reads: bool = False):
        """``proxy_reads``: whether the proxy, which belongs to the group of the
        files, sends them.
        """
        self._root, self._proxy_reads = root, proxy_reads

    def __str__(self) -> str:
        return str(self._root)

    def find_local(self, name: str) -> Path:
        return self._root / name

    def put(
        self,
        source: Path,
        name: str,
        *,
        sent_as: str = "",
        fixed: bool = False,
        alive: Callable[[], None] = lambda: None,
    ) -> Stored:
        target = self.find_local(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file.replace(target) as partial:
            stored = self._copy(source, partial, name)
        atomic_file.sync_folder(target.parent)
        return stored

    def _copy(self, source: Path, partial: Path, name: str) -> Stored:
        hashing = Hashing()
        with (
            open(source, "rb", opener=open_untrusted) as source_file,
            atomic_file.open_durably(partial, 0o666) as target_file,
        ):
            require_file(source_file.fileno(), source)
            for block in hashing.pass_through(read_blocks(source_file)):
                target_file.write(block)
            if self._proxy_reads:
                self._let_the_proxy_read(partial.parent, target_file.fileno())
            return Stored(name, hashing.size, hashing.sha256)

    def _let_the_proxy_read(self, folder: Path, descriptor: int) -> None:
        """Make the file readable by its group, to which the proxy belongs;
        the umask hides the rest of the data directory.
        """
        for directory in (self._root, folder):
            directory.chmod(0o750)
        os.fchmod(descriptor, 0o640)

    def find_file_size(self, name: str) -> int | None:
        path = self.find_local(name)
        return path.stat().st_size if path.is_file() else None

    def has(self, name: str) -> bool:
        return self.find_local(name).is_file()

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        with self.find_local(name).open("rb") as file:
            file.seek(start)
            return file.read(-1 if length is None else length)

    def stream(self, name: str) -> Iterator[bytes]:
        with self.find_local(name).open("rb") as file:
            yield from read_blocks(file)

    def list_names(self, folder: str) -> Iterator[str]:
        for parent, _, files in os.walk(self._root / folder):
            inside = Path(parent).relative_to(self._root)
            yield from (
                (inside / file).as_posix()
                for file in files
                if not file.endswith(atomic_file.ENDING)
            )

    def delete_folder(self, folder: str) -> None:
        shutil.rmtree(self._root / folder, ignore_errors=True)

    def presign(self, name: str, seconds: int) -> str:
        raise NotImplementedError("files of this machine have no address of their own")

    def get_origin(self) -> str:
        return ""

    def find_problem(self) -> str | None:
        return None
