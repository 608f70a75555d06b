"""When what failed is tried again: deliveries of webhooks, steps and publications.

All delays are milliseconds. Whatever else depends on them is derived here.
"""

from typing import Literal, NamedTuple

from svc.base import clock


class DeliveryRetry(NamedTuple):
    """When a delivery is tried again: ``delay`` after the failure that it counts from."""

    counts_from: Literal["first_failed_at", "second_failed_at"]
    delay: int


#: By the number of failures so far: the next attempt (docs/decisions.md §7). A failure that is not
#: here is final.
DELIVERY_RETRIES = {
    1: DeliveryRetry("first_failed_at", 0),
    2: DeliveryRetry("first_failed_at", clock.MINUTE),
    3: DeliveryRetry("second_failed_at", 5 * clock.MINUTE),
}


def describe_delivery_retries() -> str:
    """Return when a delivery is retried, in words for the documentation of the API."""
    *first, last = (_describe_delay(retry.delay) for retry in DELIVERY_RETRIES.values())
    return f"{', '.join(first)} and {last}" if first else last


def _describe_delay(delay: int) -> str:
    if not delay:
        return "at once"
    in_minutes = delay % clock.MINUTE == 0
    number = delay // (clock.MINUTE if in_minutes else clock.SECOND)
    unit = "minute" if in_minutes else "second"
    return f"after {number} {unit}" + ("" if number == 1 else "s")


#: Later deliveries of a production wait for an earlier one while it has failed less often: until
#: its second retry, a minute after the first failure, has failed, too.
FAILURES_THAT_HOLD = 3
#: How many interrupted attempts of a delivery use no retry.
FREE_INTERRUPTIONS = 3

#: The delay after an attempt at a delivery that a failure of our own prevented. It uses no retry.
OWN_FAILURE_DELAY = 5 * clock.SECOND

#: The delays before the second, third and fourth attempt at a step that needs a service which is
#: down.
STEP_DELAYS = (30 * clock.SECOND, 2 * clock.MINUTE, 10 * clock.MINUTE)

#: The delays before the second, third, … attempt at a step whose process died, slept longer than
#: its lease or failed outside the step. The loss after the last of them fails the production.
LOSS_DELAYS = (0, 2 * clock.SECOND, 10 * clock.SECOND, clock.MINUTE, 10 * clock.MINUTE)
#: How many times such a delay steps that were lost together may wait: see find_delay_after_loss.
_MOST_APART = 4
#: The pauses of a worker that failed several times in a row, before it tries again; the last one as
#: often as it fails again.
SICK_DELAYS = (2 * clock.SECOND, 10 * clock.SECOND, 30 * clock.SECOND, clock.MINUTE)

#: The delays before the second, third and fourth attempt at a publication on this server.
PUBLICATION_DELAYS = (5 * clock.SECOND, 30 * clock.SECOND, 2 * clock.MINUTE)
#: The delays at a place of the account's own, which may be out for longer, and may say itself when
#: to come back.
PLACE_DELAYS = (
    10 * clock.SECOND,
    clock.MINUTE,
    5 * clock.MINUTE,
    15 * clock.MINUTE,
    clock.HOUR,
)

#: For which a place may ask to be left alone, at most.
LONGEST_PAUSE = 6 * clock.HOUR

LONGEST_OF_DELIVERIES = max(retry.delay for retry in DELIVERY_RETRIES.values())
LONGEST_OF_STEPS = max(*STEP_DELAYS, _MOST_APART * max(LOSS_DELAYS))

LONGEST_OF_PUBLICATIONS = max(*PUBLICATION_DELAYS, *PLACE_DELAYS, LONGEST_PAUSE)


def find_delay_after_loss(losses: int, others: int = 0) -> int:
    """Return the delay after so many losses of a step.

    ``others``: how many steps were lost before it with the same process. One of them may have ended
    the process; so that it does not take the same ones with it again, they begin one by one.
    """
    return LOSS_DELAYS[losses - 1] * min(others + 1, _MOST_APART)
