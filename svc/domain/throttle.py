"""Throttling of sign-ins: by address, by account, and by devices that the account's owner has used before.

Somebody who guesses at an account must not lock out its owner. So tries from browsers that never signed in to it are
counted together, and a browser that has done so (it holds a signed cookie that says so) is counted by itself.
"""

from svc.base import clock
from svc.base.errors import TooManySignIns
from svc.store import database

WINDOW = 15 * clock.MINUTE
BY_ADDRESS = 20  # tries in a window from one address, whatever the account
BY_ACCOUNT = 50  # at one account from unknown devices everywhere; one address alone does not get there
BY_PAIR = 8  # at one account from one address
BY_DEVICE = 10  # at its own account from a device that is known

_COUNT = """
    INSERT INTO sign_in_tries (subject, since, tries) VALUES (:subject, :now, 1)
    ON CONFLICT (subject) DO UPDATE SET tries = iif(since <= :start, 1, tries + 1), since = iif(since <= :start, :now, since)
    WHERE since <= :start OR tries < :limit
"""


def subjects(account: str, address: str, device: str | None) -> dict[str, int]:
    """What a try counts towards, each with its limit. ``device``: of the account's own, already verified; None: unknown."""
    if device is not None:
        return {f"device {device}": BY_DEVICE}
    return {
        f"address {address}": BY_ADDRESS,
        f"account {account}": BY_ACCOUNT,
        f"account {account} address {address}": BY_PAIR,
    }


def begin(counted: dict[str, int], now: int) -> None:
    """Count a try before its password is looked at, so that many at once cannot slip by. TooManySignIns: none is left."""
    with database.write():
        for subject, limit in counted.items():
            row = {"subject": subject, "now": now, "start": now - WINDOW, "limit": limit}
            if not database.execute(_COUNT, row):
                since = database.row("SELECT since FROM sign_in_tries WHERE subject = ?", (subject,))["since"]
                raise TooManySignIns(retry_after=clock.seconds_until(since + WINDOW, now))


def succeeded(counted: dict[str, int]) -> None:
    """A try was right: it does not count."""
    with database.write(durable=False):
        for subject in counted:
            database.execute("UPDATE sign_in_tries SET tries = max(0, tries - 1) WHERE subject = ?", (subject,))


def prune(now: int) -> None:
    """Forget windows that are over."""
    with database.write(durable=False):
        database.execute("DELETE FROM sign_in_tries WHERE since <= ?", (now - WINDOW,))
