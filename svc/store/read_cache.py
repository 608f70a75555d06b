"""A cache of reads from the database, valid until a transaction of any process changes data of
the same kind.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from svc.store.database import db
from svc.store.engine.shared_memory import KINDS, Shared

Found = TypeVar("Found")
_NOTHING = (None, None)


class ReadCache:
    """A cache of at most ``most`` entries, invalidated by changes of its ``kind``.

    Kinds: "access" (keys, partners, maintenance), "estate" (accounts, customers, tiers, project
    types, avatars, platforms, rules, lexicons), "productions" (productions, and creators of
    accounts), "hearing" (subscriptions, creators of accounts, and statuses of partners) and "paces"
    (durations of steps).
    """

    def __init__(self, kind: str, most: int = 4096):
        self._kind, self._most = KINDS.index(kind), most
        self._of: Shared | None = None
        self._known: dict[Hashable, tuple[int | None, Any]] = {}  # by key: version and value

    def get(self, key: Hashable, read: Callable[[], Found]) -> Found:
        """Return the cached value of ``key``, or else the result of ``read``,
        which is cached unless it is None.
        """
        memory, known = db.shared(), self._known
        version = memory.version(self._kind)  # before the read; None: a change is being committed
        seen, value = known.get(key, _NOTHING)
        if seen is not None and seen == version and memory is self._of:
            cached: Found = value
            return cached
        if memory is not self._of or len(known) >= self._most:
            self._known = known = {}
            self._of = memory
        fresh = read()
        if fresh is not None:
            known[key] = version, fresh
        return fresh
