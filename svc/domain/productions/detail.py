"""All data of one production for the console: names, events with their deliveries,
files, cost, retries.
"""

import json
import zlib
from typing import Any

from svc.base import states
from svc.base.errors import NotFound
from svc.domain import locales
from svc.domain.lifecycle import stages
from svc.domain.tables.productions import (
    Deliverable,
    Production,
    ProductionNames,
    ProductionState,
    Publication,
    Retry,
)
from svc.domain.tables.webhooks import Event, EventDelivery
from svc.store.expressions import JOIN, fn
from svc.store.models import partners, publishing, webhooks
from svc.store.models import productions as models
from svc.store.models.usage import LedgerEntry
from svc.store.queries import Prepared, slot

MOST_EVENTS = 200
THUMBNAIL = "thumbnail.webp"  # the small picture of a production for lists, beside its files

_PRODUCTION, _EVENT, _FILE = models.Production, webhooks.Event, models.Deliverable
_EVENTS = Prepared(
    _EVENT.select()
    .where(_EVENT.production_id == slot("production_id"))
    .order_by(_EVENT.position.desc())
    .limit(MOST_EVENTS),
    Event,
)
_DELIVERY, _SUBSCRIPTION, _ATTEMPT = webhooks.Delivery, webhooks.Subscription, webhooks.Attempt
_ANY_ATTEMPT = _ATTEMPT.alias("any_attempt")
_HEARD = Prepared(
    _DELIVERY.select(
        _DELIVERY.id,
        _DELIVERY.sequence,
        _DELIVERY.status,
        _DELIVERY.subscription_id,
        _DELIVERY.next_attempt_at,
        _DELIVERY.failures,
        fn.coalesce(_ATTEMPT.endpoint_url, _SUBSCRIPTION.endpoint_url).alias("endpoint_url"),
        _SUBSCRIPTION.deleted_at,
        _ATTEMPT.status_code,
    )
    .join(_SUBSCRIPTION, on=_SUBSCRIPTION.id == _DELIVERY.subscription_id)
    .join(
        _ATTEMPT,
        JOIN.LEFT_OUTER,
        on=_ATTEMPT.id
        == _ANY_ATTEMPT.select(fn.max(_ANY_ATTEMPT.id)).where(
            _ANY_ATTEMPT.delivery_id == _DELIVERY.id
        ),
    )
    .where(_DELIVERY.production_id == slot("production_id"), _DELIVERY.sequence >= slot("first"))
    .order_by(_DELIVERY.sequence, _DELIVERY.subscription_id),
    EventDelivery,
)
_PUBLICATIONS = Prepared(
    publishing.Publication.select()
    .where(publishing.Publication.production_id == slot("production_id"))
    .order_by(publishing.Publication.platform),
    Publication,
)
_FILES = Prepared(
    _FILE.select().where(_FILE.production_id == slot("production_id")).order_by(_FILE.position),
    Deliverable,
)
_STAGE = [getattr(_PRODUCTION, name) for name in stages.COLUMNS.split(", ")]
_GROUP = Prepared(
    _PRODUCTION.select(_PRODUCTION.id, *_STAGE, _PRODUCTION.language_id)
    .where(
        _PRODUCTION.group_id.is_null(False),
        _PRODUCTION.group_id == slot("group"),
        _PRODUCTION.account_id == slot("account"),
        _PRODUCTION.id != slot("id"),
    )
    .order_by(_PRODUCTION.created_at, _PRODUCTION.id)
    .limit(100)
)
_RETRIES = Prepared(
    _PRODUCTION.select(_PRODUCTION.id, *_STAGE, _PRODUCTION.created_at)
    .where(_PRODUCTION.retry_of == slot("id"))
    .order_by(_PRODUCTION.created_at),
    Retry,
)


class ProductionDetail(Production):
    """A production with its cost and the names of everything that it refers to."""

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


_ACCOUNT = partners.Account
_PARTNER = partners.Partner
_AVATAR = partners.Avatar
_TYPE = partners.ProjectType
_BEFORE = _PRODUCTION.alias("before")
_FIND = Prepared(
    _PRODUCTION.select(
        _PRODUCTION,
        _ACCOUNT.name.alias("account_name"),
        _ACCOUNT.environment,
        _ACCOUNT.creator,
        _PARTNER.name.alias("partner_name"),
        _AVATAR.name.alias("avatar_name"),
        _TYPE.name.alias("type_name"),
        LedgerEntry.reserved,
        LedgerEntry.settled,
        LedgerEntry.month,
        _BEFORE.id.alias("retried"),
    )
    .join(_ACCOUNT, on=_ACCOUNT.id == _PRODUCTION.account_id)
    .join(_PARTNER, on=_PARTNER.id == _PRODUCTION.partner_id)
    .join(_AVATAR, JOIN.LEFT_OUTER, on=_AVATAR.id == _PRODUCTION.avatar_id)
    .join(
        _TYPE,
        JOIN.LEFT_OUTER,
        on=(_TYPE.account_id == _PRODUCTION.account_id) & (_TYPE.slug == _PRODUCTION.project_type),
    )
    .join(LedgerEntry, JOIN.LEFT_OUTER, on=LedgerEntry.production_id == _PRODUCTION.id)
    .join(_BEFORE, JOIN.LEFT_OUTER, on=_BEFORE.id == _PRODUCTION.retry_of)
    .where(_PRODUCTION.id == slot("id")),
    ProductionDetail,
)


def find(partner_id: str | None, production_id: str) -> ProductionDetail:
    """Return a production with the names of what it refers to. NotFound: it is absent or another
    partner's.

    ``partner_id`` None: of any partner, for operators only.
    """
    row = _FIND.row(id=production_id)
    if row is None or partner_id not in (None, row["partner_id"]):
        raise NotFound("There is no such production.")
    return row


def find_locale_names(production: ProductionNames) -> dict[str, str]:
    """Return the names of its ``language`` and ``country``; an unknown one is empty."""
    language = locales.list_languages().get(production["language_id"])
    country = locales.list_countries().get(production["country_id"])
    return {
        "language": language["name"] if language else "",
        "country": country["name"] if country else "",
    }


def list_events(production_id: str) -> list[dict[str, Any]]:
    """Return its newest MOST_EVENTS events, newest first, each with its
    ``deliveries`` to subscriptions.
    """
    events = _EVENTS.rows(production_id=production_id)
    deliveries: dict[int, list[EventDelivery]] = {}
    for row in (
        _HEARD.rows(production_id=production_id, first=events[-1]["sequence"]) if events else ()
    ):
        deliveries.setdefault(row["sequence"], []).append(row)
    return [
        {**row, "data": json.loads(row["data"]), "deliveries": deliveries.get(row["sequence"], [])}
        for row in events
    ]


def list_publications(production_id: str) -> list[Publication]:
    """Return its publications, one for each platform."""
    return _PUBLICATIONS.rows(production_id=production_id)


def list_files(production: ProductionState) -> list[Deliverable]:
    """Return its deliverables; only some states have any."""
    if production["status"] not in states.STATES_WITH_DELIVERABLES:
        return []
    return _FILES.rows(production_id=production["id"])


def find_file(production: ProductionState, deliverable_id: str) -> Deliverable:
    """Return one of its deliverables. NotFound: it has no such file."""
    for deliverable in list_files(production):
        if deliverable["id"] == deliverable_id:
            return deliverable
    raise NotFound("This production has no such file.")


def list_retries(production_id: str) -> list[Retry]:
    """Return its retries, oldest first."""
    return _RETRIES.rows(id=production_id)


def list_other_languages(production: Production) -> list[dict[str, Any]]:
    """Return the ``id``, ``stage`` and ``language`` (its English name) of the same production
    in other languages.
    """
    if production["group_id"] is None:
        return []
    others = _GROUP.rows(
        group=production["group_id"], account=production["account_id"], id=production["id"]
    )
    languages = locales.list_languages()
    return [
        {
            "id": row["id"],
            "stage": stages.find_stage(row),
            "language": languages[row["language_id"]]["name"],
        }
        for row in others
    ]


def compute_page_version(
    production: ProductionDetail, events: list[dict[str, Any]], publications: list[Publication]
) -> str:
    """Return a text that changes with everything that a page about a running production shows."""
    deliveries = [
        (row["id"], row["status"], row["failures"])
        for event in events
        for row in event["deliveries"]
    ]
    sent = [(row["status"], row["next_attempt_at"], row["sent_bytes"]) for row in publications]
    checksum = zlib.crc32(repr((deliveries, sent)).encode())
    return f"{production['status']}-{production['updated_at']}-{checksum:x}"
