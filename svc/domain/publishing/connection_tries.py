"""Records how exchanges with places go that people began in the console, as they may take long."""

from typing import TypedDict

from svc.base import clock, ids
from svc.store.database import db
from svc.store.models.publishing import ConnectionTry
from svc.store.queries import Prepared, slot, slots

# The age at which a try without an end was lost with its process; the exchange itself has a
# deadline.
LONGEST_TRY = 2 * clock.MINUTE
_SHOWN = clock.HOUR
_LOST = "The server was restarted meanwhile. Try it once more."


class Try(TypedDict):
    """A row of ``connection_tries``.

    ``ended_at``: None while it goes on. ``problem``: None if it went well.
    """

    id: str
    account_id: str
    production_id: str | None
    title: str
    begun_at: int
    ended_at: int | None
    problem: str | None


_OF_ACCOUNT = Prepared(
    ConnectionTry.select()
    .where(ConnectionTry.account_id == slot("account_id"), ConnectionTry.begun_at > slot("since"))
    .order_by(ConnectionTry.begun_at.desc(), ConnectionTry.id.desc())
    .limit(10),
    Try,
)
_FORGET = Prepared(
    ConnectionTry.delete().where(
        ConnectionTry.account_id == slot("account_id"),
        (ConnectionTry.begun_at <= slot("before")) | (ConnectionTry.begun_at > slot("latest")),
    )
)
_BEGIN = Prepared(
    ConnectionTry.insert(slots("id", "account_id", "production_id", "title", "begun_at"))
)
_END = Prepared(
    ConnectionTry.update(ended_at=slot("now"), problem=slot("problem")).where(
        ConnectionTry.id == slot("id")
    )
)


def begin_try(account_id: str, production_id: str | None, title: str, now: int) -> str:
    """Enter an exchange that goes on; return its id."""
    try_id = ids.make_id(now)
    with db.transaction():
        _FORGET.execute(account_id=account_id, before=now - _SHOWN, latest=now + clock.SKEW)
        _BEGIN.execute(
            id=try_id, account_id=account_id, production_id=production_id, title=title, begun_at=now
        )
    return try_id


def end_try(try_id: str, problem: str | None, now: int) -> None:
    """Enter how an exchange went."""
    with db.transaction():
        _END.execute(id=try_id, problem=problem, now=now)


def list_tries_of_account(account_id: str, now: int) -> list[Try]:
    """Return the exchanges of the last hour with the places of an account, the newest first."""
    return _end_lost(_OF_ACCOUNT.rows(account_id=account_id, since=now - _SHOWN), now)


def list_tries_of_production(account_id: str, production_id: str, now: int) -> list[Try]:
    """Return the tries about the publications of a production."""
    return [
        each
        for each in list_tries_of_account(account_id, now)
        if each["production_id"] == production_id
    ]


def _end_lost(tries: list[Try], now: int) -> list[Try]:
    for each in tries:
        # one of the future was begun before the clock was set back
        if each["ended_at"] is None and abs(now - each["begun_at"]) >= LONGEST_TRY:
            each["ended_at"], each["problem"] = min(each["begun_at"] + LONGEST_TRY, now), _LOST
    return tries
