"""Failed authentications: a burst from one address raises one alert and blocks nothing.

An IPv6 /64 counts as one address, because a single host usually controls all of it. An attacker with many networks causes at
most MOST_ALERTS alerts per hour and one more that says so.
"""

from svc.base import client_addresses, clock
from svc.domain.monitoring import alerts
from svc.store import database

WINDOW = clock.MINUTE
BURST = 10  # specification, "Other constants"
NAME = "AuthenticationFailureBurst"
FLOOD = "AuthenticationFailureFlood"  # raised once an hour instead of more than MOST_ALERTS bursts
MOST_ALERTS = 50
MOST_KEPT = 5000  # stored failures of the last minute

_BEGIN_BURST = "INSERT INTO auth_bursts (address, alerted_at) VALUES (?, ?) ON CONFLICT DO NOTHING"
_KEEP_NEWEST = """
    DELETE FROM auth_failures WHERE address = :address AND (at <= :since OR rowid NOT IN (
        SELECT rowid FROM auth_failures WHERE address = :address ORDER BY at DESC, rowid DESC LIMIT :burst))
"""


def failed(address: str, now: int) -> None:
    """Record a failed authentication from ``address``; the tenth within a minute starts a burst, which raises one alert."""
    address = client_addresses.network(address)
    with database.write(durable=False):
        database.execute("INSERT INTO auth_failures (address, at) VALUES (?, ?)", (address, now))
        _bound(now)
        database.execute(_KEEP_NEWEST, {"address": address, "since": now - WINDOW, "burst": BURST})
        recent = database.one("SELECT count(*) FROM auth_failures WHERE address = ?", (address,))[0]
        if recent < BURST:
            database.execute("DELETE FROM auth_bursts WHERE address = ?", (address,))
        elif database.execute(_BEGIN_BURST, (address, now)):
            _alert(address, now)


def _alert(address: str, now: int) -> None:
    subject: str | None = address
    name, message = NAME, f"{BURST} failed authentications within a minute from {address}."
    raised = alerts.number_since((NAME, FLOOD), now - clock.HOUR)
    if raised > MOST_ALERTS:
        return
    if raised == MOST_ALERTS:
        name, subject = FLOOD, None
        message = f"Bursts of failed authentications from over {MOST_ALERTS} networks within an hour; others raise no alert."
    alerts.raise_alert(name, "warning", message, now, subject_id=subject)


def _bound(now: int) -> None:
    """Bound the table: when it is large, remove expired failures, then the oldest."""
    if database.one("SELECT count(*) FROM auth_failures")[0] > MOST_KEPT:
        database.execute("DELETE FROM auth_failures WHERE at <= ?", (now - WINDOW,))
        newest = database.one("SELECT max(rowid) FROM auth_failures")[0] or 0
        database.execute("DELETE FROM auth_failures WHERE rowid <= ?", (newest - MOST_KEPT // 2,))
        database.execute("DELETE FROM auth_bursts WHERE address NOT IN (SELECT address FROM auth_failures)")


def prune(now: int) -> None:
    """Remove addresses without a failure in the last minute."""
    with database.write(durable=False):
        database.execute("DELETE FROM auth_failures WHERE at <= ?", (now - WINDOW,))
        database.execute("DELETE FROM auth_bursts WHERE address NOT IN (SELECT address FROM auth_failures)")
