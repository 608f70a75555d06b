"""What the allocator of threads counts at this moment: only tests ask."""

from svc.base.threads import ThreadShares


def count_held(shares: ThreadShares, owner: str) -> int:
    """Return how many threads an owner holds."""
    with shares._lock:
        return shares._held[owner]


def count_waiting(shares: ThreadShares) -> int:
    """Return how many requests wait."""
    with shares._lock:
        return shares._waiting.total()
