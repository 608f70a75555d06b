"""All data of one production for the console: names, events with their deliveries, files, cost, retries."""

import json
import zlib
from typing import Any

from svc.base import states
from svc.base.errors import NotFound
from svc.domain import locales, rows
from svc.domain.productions import stages
from svc.domain.tables.productions import (
    Deliverable,
    Production,
    ProductionNames,
    ProductionState,
    Publication,
    Retry,
)
from svc.domain.tables.webhooks import Event, EventDelivery
from svc.store import database

MOST_EVENTS = 200
THUMBNAIL = "thumbnail.webp"  # the small picture of a production for lists, beside its files

_FIND = """
    SELECT p.*, a.name AS account_name, a.environment, a.creator, w.name AS partner_name, v.name AS avatar_name,
           t.name AS type_name,
           l.reserved, l.settled, l.month, (SELECT id FROM productions WHERE id = p.retry_of) AS retried
    FROM productions p JOIN accounts a ON a.id = p.account_id JOIN partners w ON w.id = p.partner_id
    LEFT JOIN avatars v ON v.id = p.avatar_id
    LEFT JOIN project_types t ON t.account_id = p.account_id AND t.slug = p.project_type
    LEFT JOIN ledger l ON l.production_id = p.id WHERE p.id = ?
"""
_EVENTS = "SELECT * FROM events WHERE production_id = ? ORDER BY position DESC LIMIT ?"
_HEARD = """
    SELECT d.id, d.sequence, d.status, d.subscription_id, d.next_attempt_at, d.failures,
           coalesce(t.endpoint_url, s.endpoint_url) AS endpoint_url,
           s.deleted_at, t.status_code
    FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
    LEFT JOIN attempts t ON t.id = (SELECT max(id) FROM attempts WHERE delivery_id = d.id)
    WHERE d.production_id = ? AND d.sequence >= ? ORDER BY d.sequence, d.subscription_id
"""
_PUBLICATIONS = "SELECT * FROM publications WHERE production_id = ? ORDER BY platform"
_FILES = "SELECT * FROM deliverables WHERE production_id = ? ORDER BY position"
_GROUP = f"""
    SELECT id, {stages.COLUMNS}, language_id FROM productions
    WHERE group_id IS NOT NULL AND group_id = :group AND account_id = :account AND id <> :id ORDER BY created_at, id LIMIT 100
"""
_RETRIES = f"SELECT id, {stages.COLUMNS}, created_at FROM productions WHERE retry_of = ? ORDER BY created_at"


class ProductionDetail(Production):
    """A production with the names of what it refers to, and its cost."""

    account_name: str
    environment: str
    creator: str | None
    partner_name: str
    avatar_name: str | None
    type_name: str | None
    reserved: int | None
    settled: int | None
    month: str | None
    retried: str | None  # the production that this one is a retry of, if it still exists


def find(partner_id: str | None, production_id: str) -> ProductionDetail:
    """Return a production with the names of what it refers to. NotFound: it is absent or another partner's.

    ``partner_id`` None: of any partner, for operators only.
    """
    row = rows.first(ProductionDetail, _FIND, (production_id,))
    if row is None or partner_id not in (None, row["partner_id"]):
        raise NotFound("There is no such production.")
    return row


def names(production: ProductionNames) -> dict[str, str]:
    """Return the names of its ``language`` and ``country``; an unknown one is empty."""
    language = locales.languages().get(production["language_id"])
    country = locales.countries().get(production["country_id"])
    return {"language": language["name"] if language else "", "country": country["name"] if country else ""}


def timeline(production_id: str) -> list[dict[str, Any]]:
    """Return its newest MOST_EVENTS events, newest first, each with its ``deliveries`` to subscriptions."""
    events = rows.every(Event, _EVENTS, (production_id, MOST_EVENTS))
    deliveries: dict[int, list[EventDelivery]] = {}
    for row in rows.every(EventDelivery, _HEARD, (production_id, events[-1]["sequence"])) if events else ():
        deliveries.setdefault(row["sequence"], []).append(row)
    return [{**row, "data": json.loads(row["data"]), "deliveries": deliveries.get(row["sequence"], [])} for row in events]


def publications(production_id: str) -> list[Publication]:
    """Return its publications, one for each platform."""
    return rows.every(Publication, _PUBLICATIONS, (production_id,))


def files(production: ProductionState) -> list[Deliverable]:
    """Return its deliverables; only some states have any."""
    if production["status"] not in states.HAS_DELIVERABLES:
        return []
    return rows.every(Deliverable, _FILES, (production["id"],))


def file(production: ProductionState, deliverable_id: str) -> Deliverable:
    """Return one of its deliverables. NotFound: it has no such file."""
    for deliverable in files(production):
        if deliverable["id"] == deliverable_id:
            return deliverable
    raise NotFound("This production has no such file.")


def retries(production_id: str) -> list[Retry]:
    """Return its retries, oldest first."""
    return rows.every(Retry, _RETRIES, (production_id,))


def in_other_languages(production: Production) -> list[dict[str, Any]]:
    """Return the ``id``, ``stage`` and ``language`` (its English name) of the same production in other languages."""
    if production["group_id"] is None:
        return []
    params = {"group": production["group_id"], "account": production["account_id"], "id": production["id"]}
    languages = locales.languages()
    return [
        {"id": row["id"], "stage": stages.of(row), "language": languages[row["language_id"]]["name"]}
        for row in database.rows(_GROUP, params)
    ]


def version(production: ProductionDetail, events: list[dict[str, Any]], publications: list[Publication]) -> str:
    """Return a text that changes with everything that a page about a running production shows."""
    deliveries = [(row["id"], row["status"], row["failures"]) for event in events for row in event["deliveries"]]
    sent = [(row["status"], row["next_attempt_at"], row["sent_bytes"]) for row in publications]
    return f"{production['status']}-{production['updated_at']}-{zlib.crc32(repr((deliveries, sent)).encode()):x}"
