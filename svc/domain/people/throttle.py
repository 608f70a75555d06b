"""Throttling of sign-ins, by network, by account and by known device.

An attacker who guesses passwords must not lock out the user. So tries from browsers that never signed in to the account are
counted together, and a browser that did so before (it holds a signed cookie) is counted separately. An IPv6 /64 counts as one
network, because a single host usually controls all of its addresses.
"""

from svc.base import client_addresses, clock
from svc.base.errors import TooManySignIns
from svc.store import database

WINDOW = 15 * clock.MINUTE
BY_ADDRESS = 20  # tries in a window from one network, over all accounts
BY_ACCOUNT = 50  # at one account from all unknown devices; BY_PAIR stops a single network earlier
BY_PAIR = 8  # at one account from one network
BY_DEVICE = 10  # at one account from one known device

_COUNT = """
    INSERT INTO sign_in_tries AS t (subject, since, tries) VALUES (:subject, :now, 1)
    ON CONFLICT (subject) DO UPDATE SET
        tries = CASE WHEN t.since <= :start THEN 1 ELSE t.tries + 1 END,
        since = CASE WHEN t.since <= :start THEN :now ELSE t.since END
    WHERE t.since <= :start OR t.tries < :limit
"""
_FULL = "SELECT since FROM sign_in_tries WHERE subject = ? AND since > ? AND tries >= ?"
_TRIES = "SELECT tries FROM sign_in_tries WHERE subject = ?"


def subjects(account: str, address: str, device: str | None) -> dict[str, int]:
    """Return the counters of a try with their limits. ``device``: a verified device of the account; None: an unknown one."""
    if device is not None:
        return {f"device {device}": BY_DEVICE}
    source = client_addresses.network(address)
    return {
        f"address {source}": BY_ADDRESS,
        f"account {account}": BY_ACCOUNT,
        f"account {account} address {source}": BY_PAIR,
    }


def check(counted: dict[str, int], now: int) -> None:
    """Raise TooManySignIns if no try is left. This opens no write transaction, so that a flood costs little."""
    for subject, limit in counted.items():
        row = database.row(_FULL, (subject, now - WINDOW, limit))
        if row is not None:
            raise TooManySignIns(retry_after=clock.seconds_until(row["since"] + WINDOW, now))


def begin(counted: dict[str, int], now: int) -> None:
    """Count a try before its password is checked, so that parallel tries are counted. TooManySignIns: no try is left."""
    with database.write(durable=False):
        for subject, limit in counted.items():
            row = {"subject": subject, "now": now, "start": now - WINDOW, "limit": limit}
            if not database.execute(_COUNT, row):
                since = database.one("SELECT since FROM sign_in_tries WHERE subject = ?", (subject,))["since"]
                raise TooManySignIns(retry_after=clock.seconds_until(since + WINDOW, now))


def count(subject: str, now: int) -> int:
    """Count an event without a limit, and return its number in the current window. Call it inside write()."""
    database.execute(_COUNT, {"subject": subject, "now": now, "start": now - WINDOW, "limit": 2**62})
    return int(database.one(_TRIES, (subject,))["tries"])


def succeeded(counted: dict[str, int]) -> None:
    """Uncount a successful try."""
    with database.write(durable=False):
        for subject in counted:
            database.execute("UPDATE sign_in_tries SET tries = max(0, tries - 1) WHERE subject = ?", (subject,))


def prune(now: int) -> None:
    """Remove expired windows."""
    with database.write(durable=False):
        database.execute("DELETE FROM sign_in_tries WHERE since <= ?", (now - WINDOW,))
