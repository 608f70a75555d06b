"""How movements start and end: shares of the time (0.0 to 1.0) as shares of the way."""


def ease_out(share: float) -> float:
    """Return a fast start and a slow end (cubic): for what enters."""
    return 1 - (1 - _clamp(share)) ** 3


def ease_in(share: float) -> float:
    """Return a slow start and a fast end (cubic): for what leaves."""
    return _clamp(share) ** 3


def ease_in_out(share: float) -> float:
    """Return a slow start and a slow end (smoothstep)."""
    share = _clamp(share)
    return share * share * (3 - 2 * share)


def compute_share_of_part(share: float, start: float, end: float) -> float:
    """Return how much of the part between ``start`` and ``end`` has passed at ``share``."""
    return _clamp((share - start) / (end - start))


def _clamp(share: float) -> float:
    return min(1.0, max(0.0, share))
