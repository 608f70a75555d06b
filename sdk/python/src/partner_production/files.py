"""Writes a download under its final name only when it is whole and the file that was described."""

import hashlib
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partner_production.errors import HashMismatch
from partner_production.models import Deliverable


class Partial:
    """A file that is being written, with its hash so far."""

    def __init__(self, path: Path):
        self.path = path
        self._file = path.open("xb")
        self._hash = hashlib.sha256()
        self._size = 0

    def write(self, piece: bytes) -> None:
        """Add bytes."""
        self._file.write(piece)
        self._hash.update(piece)
        self._size += len(piece)

    def finish(self, deliverable: Deliverable) -> None:
        """Close the file. HashMismatch: it is not what ``deliverable`` describes."""
        self.close()
        found, expected = (self._size, self._hash.hexdigest()), (deliverable["sizeBytes"], deliverable["sha256"])
        if found != expected:
            raise HashMismatch(
                f"{self._size} bytes with the SHA-256 {found[1]} arrived; "
                f"deliverable {deliverable['deliverableId']} has {expected[0]} with {expected[1]}."
            )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@contextmanager
def replacing(path: Path, deliverable: Deliverable) -> Iterator[Partial]:
    """Give a file to write to, which becomes ``path`` at the end; after an error nothing is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = Partial(path.with_name(f".{path.name[:100]}.{uuid.uuid4()}.part"))
    try:
        yield partial
        partial.finish(deliverable)
        partial.path.replace(path)
    finally:
        partial.close()
        partial.path.unlink(missing_ok=True)


def names(deliverables: list[Deliverable]) -> list[str]:
    """Return a file name for each deliverable, all different, such as ``Video-Watch.mp4``."""
    taken: dict[str, int] = {}
    found = []
    for each in deliverables:
        stem = each["type"] + (f"-{each['platform']}" if each["platform"] else "")
        stem, ending = _safe(stem), _safe(each["format"])
        number = taken[f"{stem}.{ending}"] = taken.get(f"{stem}.{ending}", 0) + 1
        found.append(f"{stem}-{number}.{ending}" if number > 1 else f"{stem}.{ending}")
    return found


def _safe(name: str) -> str:
    """Return what may stand in a file name; a platform's name may be anything."""
    return re.sub(r"[^\w-]+", "_", name)[:100]
