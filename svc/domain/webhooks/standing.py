"""How a subscription stands: its status in the API, or what its badge says of one
that is Active.
"""

from typing import Any

from svc.store.models.webhooks import Subscription

ACTIVE, FAILING, PAUSED, SUSPENDED = "Active", "Failing", "Paused", "Failed"

_IS_ACTIVE = Subscription.status == "Active"
_IS_PAUSED = Subscription.paused_at.is_null(False)
CONDITIONS: dict[str, Any] = {
    ACTIVE: _IS_ACTIVE,  # failing and paused ones, too
    FAILING: _IS_ACTIVE & ~_IS_PAUSED & Subscription.failing_since.is_null(False),
    PAUSED: _IS_ACTIVE & _IS_PAUSED,  # whether it failed before or not: nothing is sent to it
    SUSPENDED: Subscription.status == "Failed",
}
