"""Everything about one production, for people: its steps, what was told to whom, its files, its cost, its relatives."""

import json
import zlib
from typing import Any

from svc.base import states
from svc.base.errors import NotFound
from svc.domain import locales, rows
from svc.domain.tables import Deliverable, Production, ProductionNames, ProductionState
from svc.store import database

MOST_EVENTS = 200

_FIND = """
    SELECT p.*, a.name AS account_name, a.environment, a.creator, w.name AS partner_name, v.name AS avatar_name,
           t.name AS type_name,
           l.reserved, l.settled, l.month, (SELECT id FROM productions WHERE id = p.retry_of) AS retried
    FROM productions p JOIN accounts a ON a.id = p.account_id JOIN partners w ON w.id = p.partner_id
    LEFT JOIN avatars v ON v.id = p.avatar_id
    LEFT JOIN project_types t ON t.account_id = p.account_id AND t.slug = p.project_type
    LEFT JOIN ledger l ON l.production_id = p.id WHERE p.id = ?
"""
_EVENTS = "SELECT * FROM events WHERE production_id = ? ORDER BY sequence DESC LIMIT ?"
_HEARD = """
    SELECT d.id, d.sequence, d.status, d.subscription_id, d.next_attempt_at, d.failures, s.endpoint_url, s.deleted_at,
           (SELECT status_code FROM attempts WHERE delivery_id = d.id ORDER BY id DESC LIMIT 1) AS status_code
    FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
    WHERE d.production_id = ? AND d.sequence >= ? ORDER BY d.sequence, d.subscription_id
"""
_PUBLICATIONS = "SELECT * FROM publications WHERE production_id = ? ORDER BY platform"
_FILES = "SELECT * FROM deliverables WHERE production_id = ? ORDER BY position"
_RETRIES = "SELECT id, status, created_at FROM productions WHERE retry_of = ? ORDER BY created_at"


class WholeProduction(Production):
    """A production with the names that belong to it, and what it costs."""

    account_name: str
    environment: str
    creator: str | None
    partner_name: str
    avatar_name: str | None
    type_name: str | None
    reserved: int | None
    settled: int | None
    month: str | None
    retried: str | None  # the production whose brief this one took up, if that is still there


def find(partner_id: str | None, production_id: str) -> WholeProduction:
    """The row of a production with the names that belong to it. NotFound: absent, or another partner's.

    ``partner_id`` None: whichever partner's, which is for operators alone.
    """
    row = rows.first(WholeProduction, _FIND, (production_id,))
    if row is None or partner_id not in (None, row["partner_id"]):
        raise NotFound("There is no such production.")
    return row


def names(production: ProductionNames) -> dict[str, str]:
    """Its ``language`` and ``country`` in words."""
    language = locales.languages().get(production["language_id"])
    country = locales.countries().get(production["country_id"])
    return {"language": language["name"] if language else "", "country": country["name"] if country else ""}


def timeline(production_id: str) -> list[dict[str, Any]]:
    """Its newest MOST_EVENTS events, newest first, each with the ``deliveries`` by which subscriptions got it."""
    found = database.rows(_EVENTS, (production_id, MOST_EVENTS))
    heard: dict[int, list[database.Row]] = {}
    for each in database.rows(_HEARD, (production_id, found[-1]["sequence"])) if found else ():
        heard.setdefault(each["sequence"], []).append(each)
    return [{**dict(each), "data": json.loads(each["data"]), "deliveries": heard.get(each["sequence"], [])} for each in found]


def publications(production_id: str) -> list[database.Row]:
    """Its share of each platform."""
    return database.rows(_PUBLICATIONS, (production_id,))


def files(production: ProductionState) -> list[Deliverable]:
    """Its deliverables, which a production has in some of its states alone."""
    if production["status"] not in states.HAS_DELIVERABLES:
        return []
    return rows.every(Deliverable, _FILES, (production["id"],))


def file(production: ProductionState, deliverable_id: str) -> Deliverable:
    """One of its deliverables. NotFound."""
    for each in files(production):
        if each["id"] == deliverable_id:
            return each
    raise NotFound("This production has no such file.")


def retries(production_id: str) -> list[database.Row]:
    """The productions that took up its brief again, oldest first."""
    return database.rows(_RETRIES, (production_id,))


def version(production: WholeProduction, events: list[dict[str, Any]]) -> str:
    """What changes whenever something changes that a page about it shows while it runs."""
    told = [(each["id"], each["status"], each["failures"]) for event in events for each in event["deliveries"]]
    return f"{production['status']}-{production['updated_at']}-{zlib.crc32(repr(told).encode()):x}"
