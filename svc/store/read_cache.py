"""What was read of the database, kept for as long as no transaction of any process changes anything of its kind."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from svc.store import database
from svc.store.shared_memory import KINDS, SharedMemory

Found = TypeVar("Found")
_NOTHING = (None, None)


class Remembered:
    """``kind``: "access" (keys, partners, maintenance), "estate" (accounts, customers, tiers, project types, avatars,
    platforms, rules), "productions" (theirs, and whose the accounts are), "hearing" (subscriptions, and whose the accounts
    are) or "paces" (how long steps take)."""

    def __init__(self, kind: str, most: int = 4096):
        self._kind, self._most = KINDS.index(kind), most
        self._of: SharedMemory | None = None
        self._known: dict[Hashable, tuple[int | None, Any]] = {}  # key to version and what was found

    def get(self, key: Hashable, read: Callable[[], Found]) -> Found:
        """What ``read`` finds for ``key``, or found when nothing was different. None is not remembered."""
        memory, known = database.shared(), self._known
        version = memory.version(self._kind)  # before anything is read; None: something is just being committed
        seen, found = known.get(key, _NOTHING)
        if seen is not None and seen == version and memory is self._of:
            return cast(Found, found)
        if memory is not self._of or len(known) >= self._most:
            self._known = known = {}
            self._of = memory
        fresh = read()
        if fresh is not None:
            known[key] = version, fresh
        return fresh
