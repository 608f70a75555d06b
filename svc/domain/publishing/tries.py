"""Exchanges with places that people began in the console and that take long: they see here how each went."""

from typing import TypedDict

from svc.base import clock, ids
from svc.domain import rows
from svc.store import database

LONGEST = 2 * clock.MINUTE  # after which one without an end was lost with its process; the exchange itself has a deadline
_SHOWN = clock.HOUR
_LOST = "The server was restarted meanwhile. Try it once more."

_OF_ACCOUNT = """
    SELECT * FROM connection_tries WHERE account_id = ? AND begun_at > ? ORDER BY begun_at DESC, id DESC LIMIT 10
"""


class Try(TypedDict):
    """A row of ``connection_tries``. ``ended_at``: None while it goes on. ``problem``: None if it went well."""

    id: str
    account_id: str
    production_id: str | None
    title: str
    begun_at: int
    ended_at: int | None
    problem: str | None


def begin(account_id: str, production_id: str | None, title: str, now: int) -> str:
    """Enter an exchange that goes on; return its id."""
    try_id = ids.new(now)
    with database.write():
        database.execute("DELETE FROM connection_tries WHERE account_id = ? AND begun_at <= ?", (account_id, now - _SHOWN))
        database.insert("connection_tries", {
            "id": try_id, "account_id": account_id, "production_id": production_id, "title": title, "begun_at": now,
        })  # fmt: skip
    return try_id


def end(try_id: str, problem: str | None, now: int) -> None:
    """Enter how an exchange went."""
    with database.write():
        database.execute("UPDATE connection_tries SET ended_at = ?, problem = ? WHERE id = ?", (now, problem, try_id))


def of_account(account_id: str, now: int) -> list[Try]:
    """Return the exchanges of the last hour with the places of an account, the newest first."""
    return _ended_if_lost(rows.every(Try, _OF_ACCOUNT, (account_id, now - _SHOWN)), now)


def of_production(account_id: str, production_id: str, now: int) -> list[Try]:
    """Return those about what was published of a production."""
    return [each for each in of_account(account_id, now) if each["production_id"] == production_id]


def _ended_if_lost(found: list[Try], now: int) -> list[Try]:
    for each in found:
        if each["ended_at"] is None and each["begun_at"] <= now - LONGEST:
            each["ended_at"], each["problem"] = each["begun_at"] + LONGEST, _LOST
    return found
