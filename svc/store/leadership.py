"""Which of the servers on one database drives its work: the only one of SQLite's,
or whichever holds PostgreSQL's lock.
"""

from collections.abc import Collection
from typing import Protocol


class Leadership(Protocol):
    """A server's part in the choice.

    ``place``: what the claims of this server's data directory begin with.
    """

    place: str

    def take(self, name: str = "", silent: Collection[str] = ()) -> bool:
        """Try to become the one that drives; return whether this server is. Error: the database
        does not answer.

        ``name``: of this server's claims. ``silent``: names of servers that give no sign of life;
        one of them that drives, because it is asleep or hangs, has to end that, and does so when it
        wakes up.
        """
        ...

    def holds(self) -> bool:
        """Return whether this server still drives. If not, another one may already do so."""
        ...

    def release(self) -> None:
        """Let another server drive."""
        ...


class Alone:
    """The leadership of a database in a file: who holds the lock of its directory drives."""

    place = ""

    def take(self, name: str = "", silent: Collection[str] = ()) -> bool:
        return True

    def holds(self) -> bool:
        return True

    def release(self) -> None:
        pass
