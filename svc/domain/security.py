"""Failed authentications: a burst of them from one address raises one alert, and never a refusal."""

from svc.base import clock
from svc.domain import alerts
from svc.store import database

WINDOW = clock.MINUTE
BURST = 10  # specification, "Other constants"
NAME = "AuthenticationFailureBurst"

_KEEP_NEWEST = """
    DELETE FROM auth_failures WHERE address = :address AND (at <= :since OR rowid NOT IN (
        SELECT rowid FROM auth_failures WHERE address = :address ORDER BY at DESC, rowid DESC LIMIT :burst))
"""


def failed(address: str, now: int) -> None:
    """Enter a failed authentication from ``address``; the tenth within a minute begins a burst, which alerts once."""
    with database.write(durable=False):
        database.execute("INSERT INTO auth_failures VALUES (?, ?)", (address, now))
        database.execute(_KEEP_NEWEST, {"address": address, "since": now - WINDOW, "burst": BURST})
        recent = database.row("SELECT count(*) FROM auth_failures WHERE address = ?", (address,))[0]
        if recent < BURST:
            database.execute("DELETE FROM auth_bursts WHERE address = ?", (address,))
        elif database.execute("INSERT OR IGNORE INTO auth_bursts VALUES (?, ?)", (address, now)):
            message = f"{BURST} failed authentications within a minute from {address}."
            alerts.raise_alert(NAME, "warning", message, now, subject_id=address)


def prune(now: int) -> None:
    """Forget addresses that have been quiet for a minute."""
    with database.write(durable=False):
        database.execute("DELETE FROM auth_failures WHERE at <= ?", (now - WINDOW,))
        database.execute("DELETE FROM auth_bursts WHERE address NOT IN (SELECT address FROM auth_failures)")
