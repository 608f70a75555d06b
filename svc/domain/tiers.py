"""The rate tiers (specification, "Rate tiers"); None means unlimited."""

from typing import Any, NamedTuple


class Tier(NamedTuple):
    requests_per_minute: int
    requests_per_day: int | None
    daily_productions_per_account: int | None


TIERS = {
    "Free": Tier(10, 100, 3),
    "Standard": Tier(60, 2_000, 20),
    "Enterprise": Tier(300, None, None),
}

# By tier: its share of the turns in the render queue.
RENDER_WEIGHTS = {"Free": 1, "Standard": 2, "Enterprise": 4}


def represent(name: str) -> dict[str, Any]:
    """Return the limits of a tier in the form that verify and usage return."""
    tier = TIERS[name]
    return {
        "requestsPerMinute": tier.requests_per_minute,
        "requestsPerDay": tier.requests_per_day,
        "dailyProductionsPerAccount": tier.daily_productions_per_account,
    }
