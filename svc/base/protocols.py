"""The parts that one layer uses and another makes: what each can do, so that neither has to import the other."""

from collections.abc import Iterator
from typing import Protocol


class Objects(Protocol):
    """Names are relative paths of plain letters. Errors of a bucket are OSErrors, as those of a directory are."""

    def put(self, name: str, content: bytes) -> None:
        """Keep ``content`` under ``name``: returns when it is durable; an interrupted call leaves what was there before."""

    def get(self, name: str) -> bytes:
        """The content. FileNotFoundError: there is none."""
        ...

    def names(self, folder: str) -> Iterator[str]:
        """All names within a folder, in no order."""
        ...

    def delete(self, name: str) -> None:
        """Remove an object; it is no error if it is not there."""
