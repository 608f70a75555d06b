"""The SHA-256 of files: in hex, as deliverables, backups and certificates name it."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

_BLOCK = 1 << 20  # bytes that are read at a time


class Hashing:
    """The size and the SHA-256 of the content that has passed through."""

    def __init__(self) -> None:
        self.size, self._digest = 0, hashlib.sha256()

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def pass_through(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Count and hash blocks, and yield each of them."""
        for block in blocks:
            self.size += len(block)
            self._digest.update(block)
            yield block


def read_blocks(file: IO[bytes], alive: Callable[[], None] = lambda: None) -> Iterator[bytes]:
    """Yield the rest of an open file in blocks. ``alive`` is called after each."""
    while block := file.read(_BLOCK):
        yield block
        alive()


def hash_blocks(blocks: Iterable[bytes]) -> Hashing:
    """Return the size and the SHA-256 of blocks."""
    hashing = Hashing()
    for _ in hashing.pass_through(blocks):
        pass
    return hashing


def hash_file(path: Path) -> Hashing:
    """Return the size and the SHA-256 of a file. OSError: it cannot be read."""
    with path.open("rb") as file:
        return hash_blocks(read_blocks(file))
