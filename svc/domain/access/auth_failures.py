"""Failed authentications: a burst from one address raises one alert and blocks nothing.

An IPv6 /64 counts as one address, because a single host usually controls all of it. An attacker
with many networks causes at most MOST_ALERTS alerts per hour and one more that says so.
"""

from svc.base import client_addresses, clock
from svc.domain.monitoring import alerts
from svc.store.database import db
from svc.store.expressions import fn, rowid
from svc.store.models.access import AuthBurst, AuthFailure
from svc.store.queries import Prepared, slot, slots

WINDOW = clock.MINUTE
BURST = 10  # specification, "Other constants"
BURST_ALERT = "AuthenticationFailureBurst"
# The alert that is raised once an hour in place of more than MOST_ALERTS bursts.
FLOOD_ALERT = "AuthenticationFailureFlood"
MOST_ALERTS = 50
MOST_KEPT = 5000  # stored failures of the last minute

_OF_ADDRESS = AuthFailure.address == slot("address")
# A failure of the future was recorded before the clock was set back.
_IS_OVER = (AuthFailure.at <= slot("before")) | (AuthFailure.at > slot("latest"))
_ADD = Prepared(AuthFailure.insert(slots("address", "at")))
_KEEP_NEWEST = Prepared(
    AuthFailure.delete().where(
        _OF_ADDRESS,
        _IS_OVER
        | rowid(AuthFailure).not_in(
            AuthFailure.select(rowid(AuthFailure))
            .where(_OF_ADDRESS)
            .order_by(AuthFailure.at.desc(), rowid(AuthFailure).desc())
            .limit(BURST)
        ),
    )
)
_NUMBER_OF_ADDRESS = Prepared(AuthFailure.select(fn.count(AuthFailure.at)).where(_OF_ADDRESS))
_NUMBER = Prepared(AuthFailure.select(fn.count(AuthFailure.at)))
_NEWEST = Prepared(AuthFailure.select(fn.max(rowid(AuthFailure))))
_PRUNE = Prepared(AuthFailure.delete().where(_IS_OVER))
# In place of a partner, for db.transaction: failures of all addresses are counted, and bounded.
_TURN = "failed authentications"
_REMOVE_UP_TO = Prepared(AuthFailure.delete().where(rowid(AuthFailure) <= slot("last")))
_BEGIN_BURST = Prepared(AuthBurst.insert(slots("address", "alerted_at")).on_conflict("nothing"))
_END_BURST = Prepared(AuthBurst.delete().where(AuthBurst.address == slot("address")))
_END_BURSTS = Prepared(
    AuthBurst.delete().where(AuthBurst.address.not_in(AuthFailure.select(AuthFailure.address)))
)


def record_failure(address: str, now: int) -> None:
    """Record a failed authentication from ``address``; the tenth within a minute starts a burst,
    which raises one alert.
    """
    address = client_addresses.find_network(address)
    with db.transaction(durable=False, partner=_TURN):
        _ADD.execute(address=address, at=now)
        _limit_table(now)
        _KEEP_NEWEST.execute(address=address, **_compute_bounds(now))
        if _NUMBER_OF_ADDRESS.value(address=address) < BURST:
            _END_BURST.execute(address=address)
        elif _BEGIN_BURST.execute(address=address, alerted_at=now):
            _raise_alert(address, now)


def _raise_alert(address: str, now: int) -> None:
    subject: str | None = address
    name, message = BURST_ALERT, f"{BURST} failed authentications within a minute from {address}."
    raised = alerts.count_since((BURST_ALERT, FLOOD_ALERT), now - clock.HOUR, now)
    if raised > MOST_ALERTS:
        return
    if raised == MOST_ALERTS:
        name, subject = FLOOD_ALERT, None
        message = (
            f"Bursts of failed authentications from over {MOST_ALERTS} networks within an hour; "
            "others raise no alert."
        )
    alerts.raise_alert(name, "warning", message, now, subject_id=subject)


def _limit_table(now: int) -> None:
    """Bound the table: when it is large, remove expired failures, then the oldest."""
    if _NUMBER.value() > MOST_KEPT:
        _PRUNE.execute(**_compute_bounds(now))
        newest = _NEWEST.value() or 0
        _REMOVE_UP_TO.execute(last=newest - MOST_KEPT // 2)
        _END_BURSTS.execute()


def prune(now: int) -> None:
    """Remove addresses without a failure in the last minute."""
    with db.transaction(durable=False):
        _PRUNE.execute(**_compute_bounds(now))
        _END_BURSTS.execute()


def _compute_bounds(now: int) -> dict[str, int]:
    """Return when a failure that counts was made: after ``before``, until ``latest``."""
    return {"before": now - WINDOW, "latest": now + clock.SKEW}
