"""Drawing ahead: the next pictures are drawn in a thread while the present one is encoded."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

Item = TypeVar("Item")
_MOST = 2  # items that wait; a picture is 3 MB
_END = object()


def prefetch(items: Iterable[Item]) -> Iterator[Item]:
    """Yield ``items`` in order, as a thread makes them, at most two ahead.

    What making one raises is raised here.
    """
    iterator = iter(items)
    with ThreadPoolExecutor(1, "ahead") as pool:
        upcoming = deque(pool.submit(next, iterator, _END) for _ in range(_MOST))
        while (item := upcoming.popleft().result()) is not _END:
            upcoming.append(pool.submit(next, iterator, _END))
            yield cast(Item, item)
