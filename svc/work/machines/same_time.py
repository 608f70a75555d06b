"""Whether this machine and the database's have the same time:
leases and retries are compared with each one's clock.
"""

from svc.base import clock, outage
from svc.store.database import db

MOST = 10 * clock.SECOND  # by which the clocks may differ: less than the shortest lease


class ClockDiffers(Exception):
    """A process does not begin to work, as it would take the work of others,
    or leave them its own.
    """

    outage = outage.CLOCK_DIFFERS


def require() -> None:
    """Raise ClockDiffers if the clocks are further apart than MOST."""
    if abs(ahead := measure_difference()) > MOST:
        raise ClockDiffers(describe_difference(ahead))


def measure_difference() -> int:
    """Return how far (ms) this machine's clock is ahead of the database's, at least;
    0: the database is on this machine.
    """
    before, its, after = clock.now(), db.clock(), clock.now()
    return 0 if its is None else max(0, before - its) + min(0, after - its)


def describe_difference(ahead: int) -> str:
    """Return the difference as a sentence's beginning."""
    return (
        f"The clock of this machine is {abs(ahead) // clock.SECOND} s "
        f"{'ahead of' if ahead > 0 else 'behind'} PostgreSQL's"
    )
