"""Writes a download under its final name only when it is whole and the file that was described."""

import hashlib
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from partner_production.errors import HashMismatch, InvalidResponse
from partner_production.models import Deliverable


class Partial:
    """A file that is being written, with its hash so far."""

    def __init__(self, path: Path, deliverable: Deliverable):
        self.path = path
        self.size = 0
        self._deliverable = deliverable
        self._file = path.open("xb")
        self._hash = hashlib.sha256()
        self._tag = ""  # of the answer that it began with
        self._is_plain = True

    def headers(self) -> dict[str, str]:
        """Return the headers that ask for what is missing (RFC 9110, sections 13.1.5 and 14.2)."""
        headers = {"Accept-Encoding": "identity"}  # a range counts the bytes that are sent
        if self.size and self._is_plain:
            headers |= {"Range": f"bytes={self.size}-"} | (
                {"If-Range": self._tag} if self._tag else {}
            )
        return headers

    def goes_on(self, status: int, headers: Mapping[str, str]) -> bool:
        """Return whether an answer begins where the file ends; otherwise it is the whole file."""
        if status == 206 and headers.get("content-range", "").startswith(f"bytes {self.size}-"):
            return True
        if status == 206:
            raise InvalidResponse(
                status, headers, "The answer has other bytes than were asked for.", is_damaged=True
            )
        tag = headers.get("etag", "")
        self._is_plain = headers.get("content-encoding", "identity") == "identity"
        self._tag = "" if tag.startswith("W/") else tag
        return False

    def restart(self) -> None:
        """Forget what has been written."""
        self._file.seek(0)
        self._file.truncate()
        self._hash, self.size = hashlib.sha256(), 0

    def write(self, piece: bytes) -> None:
        """Add bytes. HashMismatch: they are more than the file has."""
        self._file.write(piece)
        self._hash.update(piece)
        self.size += len(piece)
        if self.size > self._deliverable["sizeBytes"]:
            raise self._mismatch()

    def finish(self) -> None:
        """Close the file. HashMismatch: it is not the one that is described."""
        self.close()
        if (self.size, self._hash.hexdigest()) != (
            self._deliverable["sizeBytes"],
            self._deliverable["sha256"],
        ):
            raise self._mismatch()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _mismatch(self) -> HashMismatch:
        entry = self._deliverable
        error = HashMismatch(
            f"{self.size} bytes with the SHA-256 {self._hash.hexdigest()} arrived; "
            f"deliverable {entry['deliverableId']} has {entry['sizeBytes']} with {entry['sha256']}."
        )
        error.deliverable = entry
        return error


@contextmanager
def replacing(path: Path, deliverable: Deliverable) -> Iterator[Partial]:
    """Give a file to write to, which becomes ``path`` at the end;
    after an error nothing is left.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = Partial(path.with_name(f".{path.name[:100]}.{uuid.uuid4()}.part"), deliverable)
    try:
        yield partial
        partial.finish()
        partial.path.replace(path)
    finally:
        partial.close()
        partial.path.unlink(missing_ok=True)


def names(deliverables: list[Deliverable]) -> list[str]:
    """Return a file name for each deliverable, all different, such as ``Video-Watch.mp4``."""
    taken: dict[str, int] = {}
    found = []
    for each in deliverables:
        stem = each["type"] + (f"-{each['platform']}" if each.get("platform") else "")
        stem, ending = _safe(stem), _safe(each["format"])
        number = taken[f"{stem}.{ending}"] = taken.get(f"{stem}.{ending}", 0) + 1
        found.append(f"{stem}-{number}.{ending}" if number > 1 else f"{stem}.{ending}")
    return found


def _safe(name: str) -> str:
    """Return what may stand in a file name; a platform's name may be anything."""
    return re.sub(r"[^\w-]+", "_", name)[:100]
