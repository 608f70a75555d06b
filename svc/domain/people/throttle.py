"""Throttling of sign-ins, by network, by account and by known device.

An attacker who guesses passwords must not lock out the user. So tries from browsers that never
signed in to the account are counted together, and a browser that did so before (it holds a signed
cookie) is counted separately. An IPv6 /64 counts as one network, because a single host usually
controls all of its addresses.
"""

from svc.base import client_addresses, clock
from svc.base.errors import TooManySignIns
from svc.store.database import db
from svc.store.expressions import Case, greatest
from svc.store.models.people import SignInTry
from svc.store.queries import Prepared, slot

WINDOW = 15 * clock.MINUTE
BY_ADDRESS = 20  # tries in a window from one network, over all accounts
BY_ACCOUNT = 50  # at one account from all unknown devices; BY_PAIR stops a single network earlier
BY_PAIR = 8  # at one account from one network
BY_DEVICE = 10  # at one account from one known device

_SKEW = clock.MINUTE  # by which the clocks of processes on other machines may differ
# A window that begins in the future is of before the clock was set back: nobody waits for that.
_IS_OVER = (SignInTry.since <= slot("start")) | (SignInTry.since > slot("latest"))
_COUNT = Prepared(
    SignInTry.insert(subject=slot("subject"), since=slot("now"), tries=1).on_conflict(
        conflict_target=[SignInTry.subject],
        update={
            SignInTry.tries: Case(None, [(_IS_OVER, 1)], SignInTry.tries + 1),
            SignInTry.since: Case(None, [(_IS_OVER, slot("now").cast("bigint"))], SignInTry.since),
        },
        where=_IS_OVER | (SignInTry.tries < slot("limit")),
    )
)
_OF_SUBJECT = SignInTry.subject == slot("subject")
_FULL = Prepared(
    SignInTry.select(SignInTry.since).where(
        _OF_SUBJECT, ~_IS_OVER, SignInTry.tries >= slot("limit")
    )
)
_SINCE = Prepared(SignInTry.select(SignInTry.since).where(_OF_SUBJECT))
_TRIES = Prepared(SignInTry.select(SignInTry.tries).where(_OF_SUBJECT))
_UNCOUNT = Prepared(SignInTry.update(tries=greatest(0, SignInTry.tries - 1)).where(_OF_SUBJECT))
_PRUNE = Prepared(SignInTry.delete().where(SignInTry.since <= slot("start")))


def list_counters(account: str, address: str, device: str | None) -> dict[str, int]:
    """Return the counters of a try with their limits.

    ``device``: a verified device of the account; None: an unknown one.
    """
    if device is not None:
        return {f"device {device}": BY_DEVICE}
    source = client_addresses.find_network(address)
    return {
        f"address {source}": BY_ADDRESS,
        f"account {account}": BY_ACCOUNT,
        f"account {account} address {source}": BY_PAIR,
    }


def check(counted: dict[str, int], now: int) -> None:
    """Raise TooManySignIns if no try is left.

    This opens no write transaction, so that a flood costs little.
    """
    for subject, limit in counted.items():
        row = _FULL.row(subject=subject, limit=limit, **_bounds(now))
        if row is not None:
            raise TooManySignIns(retry_after=clock.count_seconds_until(row["since"] + WINDOW, now))


def count_try(counted: dict[str, int], now: int) -> None:
    """Count a try before its password is checked, so that parallel tries are counted.

    TooManySignIns: no try is left.
    """
    with db.transaction(durable=False):
        for subject, limit in counted.items():
            if not _COUNT.execute(subject=subject, now=now, limit=limit, **_bounds(now)):
                since = _SINCE.value(subject=subject)
                raise TooManySignIns(retry_after=clock.count_seconds_until(since + WINDOW, now))


def count_event(subject: str, now: int) -> int:
    """Count an event without a limit, and return its number in the current window.

    Call it inside a transaction.
    """
    _COUNT.execute(subject=subject, now=now, limit=2**62, **_bounds(now))
    return int(_TRIES.value(subject=subject))


def uncount_try(counted: dict[str, int]) -> None:
    """Uncount a successful try."""
    with db.transaction(durable=False):
        for subject in counted:
            _UNCOUNT.execute(subject=subject)


def prune(now: int) -> None:
    """Remove expired windows."""
    with db.transaction(durable=False):
        _PRUNE.execute(start=now - WINDOW)


def _bounds(now: int) -> dict[str, int]:
    """Return when a window that is not over may have begun: after ``start``, until ``latest``."""
    return {"start": now - WINDOW, "latest": now + _SKEW}
