"""The rate tiers (specification, "Rate tiers"); None means unlimited."""

import re
from typing import Annotated, Any, NamedTuple

from svc.base.api_fields import Kind, list_shown_columns, shown

_CAPITAL = re.compile("[A-Z]")
_TO_MIDNIGHT = "To midnight UTC; null: unlimited."


class Tier(NamedTuple):
    """The limits of a tier, each with how the API shows it."""

    requests_per_minute: Annotated[
        int,
        shown("requestsPerMinute", Kind.COUNT, "Over a rolling window of 60 seconds.", example=60),
    ]
    requests_per_day: Annotated[
        int | None, shown("requestsPerDay", Kind.COUNT, _TO_MIDNIGHT, example=2000)
    ]
    daily_productions_per_account: Annotated[
        int | None, shown("dailyProductionsPerAccount", Kind.COUNT, _TO_MIDNIGHT, example=20)
    ]


#: By attribute of a tier: how the API shows the limit, and whether it can be null.
SHOWN = list_shown_columns(Tier)
TIERS = {
    "Free": Tier(10, 100, 3),
    "Standard": Tier(60, 2_000, 20),
    "Enterprise": Tier(300, None, None),
}

# By tier: its share of the turns in the render queue.
RENDER_WEIGHTS = {"Free": 1, "Standard": 2, "Enterprise": 4}


def list_words() -> list[str]:
    """Return the names of the limits in words, as ``requests per minute``."""
    return [
        _CAPITAL.sub(lambda capital: f" {capital[0].lower()}", how.name)
        for how, _ in SHOWN.values()
    ]


def list_amounts(name: str) -> list[str]:
    """Return the limits of a tier in words, in the order of :func:`list_words`."""
    return ["unlimited" if limit is None else f"{limit:,}" for limit in TIERS[name]]


def describe_all() -> str:
    """Return all tiers with all of their limits, a sentence each, for a choice among them."""
    return " ".join(
        f"{name}: "
        + ", ".join(map(" ".join, zip(list_amounts(name), list_words(), strict=True)))
        + "."
        for name in TIERS
    )


def represent(name: str) -> dict[str, Any]:
    """Return the limits of a tier in the form that verify and usage return."""
    tier = TIERS[name]
    return {how.name: getattr(tier, limit) for limit, (how, _) in SHOWN.items()}
