"""Throttling of sign-ins: by network, by account, and by devices that the account's owner has used before.

Somebody who guesses at an account must not lock out its owner. So tries from browsers that never signed in to it are
counted together, and a browser that has done so (it holds a signed cookie that says so) is counted by itself. Of IPv6 a whole
/64 counts as one: whoever has one address there has all of them.
"""

import ipaddress

from svc.base import clock
from svc.base.errors import TooManySignIns
from svc.store import database

WINDOW = 15 * clock.MINUTE
BY_ADDRESS = 20  # tries in a window from one network, whatever the account
BY_ACCOUNT = 50  # at one account from unknown devices everywhere; one network alone does not get there
BY_PAIR = 8  # at one account from one network
BY_DEVICE = 10  # at its own account from a device that is known

_COUNT = """
    INSERT INTO sign_in_tries (subject, since, tries) VALUES (:subject, :now, 1)
    ON CONFLICT (subject) DO UPDATE SET tries = iif(since <= :start, 1, tries + 1), since = iif(since <= :start, :now, since)
    WHERE since <= :start OR tries < :limit
"""
_FULL = "SELECT since FROM sign_in_tries WHERE subject = ? AND since > ? AND tries >= ?"
_TRIES = "SELECT tries FROM sign_in_tries WHERE subject = ?"


def subjects(account: str, address: str, device: str | None) -> dict[str, int]:
    """What a try counts towards, each with its limit. ``device``: of the account's own, already verified; None: unknown."""
    if device is not None:
        return {f"device {device}": BY_DEVICE}
    place = network(address)
    return {
        f"address {place}": BY_ADDRESS,
        f"account {account}": BY_ACCOUNT,
        f"account {account} address {place}": BY_PAIR,
    }


def network(address: str) -> str:
    """What an address counts as: an IPv4 address as itself, also where IPv6 wraps it; of IPv6 the /64."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


def check(counted: dict[str, int], now: int) -> None:
    """TooManySignIns: no try is left. Costs no transaction, so that a flood costs next to nothing."""
    for subject, limit in counted.items():
        row = database.row(_FULL, (subject, now - WINDOW, limit))
        if row is not None:
            raise TooManySignIns(retry_after=clock.seconds_until(row["since"] + WINDOW, now))


def begin(counted: dict[str, int], now: int) -> None:
    """Count a try before its password is looked at, so that many at once cannot slip by. TooManySignIns: none is left."""
    with database.write(durable=False):
        for subject, limit in counted.items():
            row = {"subject": subject, "now": now, "start": now - WINDOW, "limit": limit}
            if not database.execute(_COUNT, row):
                since = database.one("SELECT since FROM sign_in_tries WHERE subject = ?", (subject,))["since"]
                raise TooManySignIns(retry_after=clock.seconds_until(since + WINDOW, now))


def count(subject: str, now: int) -> int:
    """Count something that is not refused, however often: how often it was in the present window. Inside write()."""
    database.execute(_COUNT, {"subject": subject, "now": now, "start": now - WINDOW, "limit": 2**62})
    return int(database.one(_TRIES, (subject,))["tries"])


def succeeded(counted: dict[str, int]) -> None:
    """A try was right: it does not count."""
    with database.write(durable=False):
        for subject in counted:
            database.execute("UPDATE sign_in_tries SET tries = max(0, tries - 1) WHERE subject = ?", (subject,))


def prune(now: int) -> None:
    """Forget windows that are over."""
    with database.write(durable=False):
        database.execute("DELETE FROM sign_in_tries WHERE since <= ?", (now - WINDOW,))
