"""The productions of the partner API: trigger, read, cancel."""

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, get_type_hints

from svc.base import clock, ids, states
from svc.base.errors import (
    AlreadyTerminal,
    CancelInProgress,
    CancellationNotPermitted,
    NotFound,
)
from svc.base.steps import STEPS
from svc.base.text import json_text
from svc.domain.access import idempotency
from svc.domain.caller import Caller
from svc.domain.lifecycle import (
    brief_warnings,
    briefs,
    completion_estimates,
    gates,
    lifecycle,
    render_queue,
    sandbox,
    step_queues,
)
from svc.domain.lifecycle.briefs import Brief
from svc.domain.productions import view
from svc.domain.tables.access import StoredAnswer
from svc.domain.tables.partners import Account, BriefedAccount
from svc.domain.tables.productions import AddressedProduction, EnteredProduction, ListedProduction
from svc.domain.translation import translations
from svc.domain.usage import ledger, model_costs
from svc.domain.webhooks import event_types, events
from svc.store import wake
from svc.store.database import Row, db
from svc.store.models import partners
from svc.store.models import productions as models
from svc.store.models.productions import ShownProduction
from svc.store.models.publishing import ConnectedPlatform, Publication
from svc.store.models.usage import ProductionDay
from svc.store.queries import Prepared, slot, slots
from svc.store.read_cache import ReadCache

_platforms = ReadCache("estate")  # of an account: its connected platforms, sorted
_CONNECTED = Prepared(
    ConnectedPlatform.select(ConnectedPlatform.platform, ConnectedPlatform.connection_id)
    .where(
        ConnectedPlatform.account_id == slot("account_id"), ConnectedPlatform.status == "Connected"
    )
    .order_by(ConnectedPlatform.platform)
)
_COUNT_DAY = Prepared(
    ProductionDay.insert(slots("account_id", "day"), triggered=1).on_conflict(
        conflict_target=[ProductionDay.account_id, ProductionDay.day],
        update={ProductionDay.triggered: ProductionDay.triggered + 1},
    )
)
_PRODUCTION, _ACCOUNT = models.Production, partners.Account
_SHOWN = Prepared(view.SHOWN.where(models.Production.id == slot("id")), ListedProduction)
_FIND = Prepared(
    _PRODUCTION.select(
        _PRODUCTION.id,
        _PRODUCTION.partner_id,
        _PRODUCTION.account_id,
        _PRODUCTION.status,
        _PRODUCTION.api_triggered,
        _PRODUCTION.created_at,
        _PRODUCTION.updated_at,
        _ACCOUNT.environment,
        _ACCOUNT.creator,
    )
    .join(_ACCOUNT, on=_ACCOUNT.id == _PRODUCTION.account_id)
    .where(_PRODUCTION.id == slot("id")),
    AddressedProduction,
)
# The columns that a trigger does not set, but its answer shows.
_UNSET = dict.fromkeys(get_type_hints(ShownProduction).keys() - lifecycle.OWN_COLUMNS)
_found = ReadCache("productions")  # rows of _FIND: between most polls nothing changes


@dataclass(frozen=True)
class Triggered:
    """``replayed``: it is the stored answer to the same Idempotency-Key."""

    production_id: str
    replayed: bool
    _render: Callable[[], str]

    @functools.cached_property
    def text(self) -> str:
        """The JSON of the production."""
        return self._render()

    def prepare(self) -> None:
        """Make the text before it is asked for."""
        _ = self.text


def trigger(
    account: Account,
    brief: Brief,
    now: int,
    *,
    correlation_id: str,
    ttl_hours: int | None,
    prices: model_costs.Prices,
    key: str | None = None,
    digest: bytes | None = None,
    screenings: Sequence[gates.Screening] = (),
) -> Triggered:
    """Trigger a production: all gates, its rows and its first event, in one transaction. A refused
    trigger changes nothing.

    A brief in several languages triggers a production for each, all or none; the first is returned.

    ``ttl_hours``: until it expires; None: no API call triggered it. ``prices``: of the configured
    models, for the estimate that is reserved. ``key``: the Idempotency-Key;
    ``digest``: of the request that it is for, if the brief alone does not tell that; None: of the
    brief. ``screenings``: the result of :func:`screen_before_trigger`, from a caller that already
    has a transaction open.
    Raises PartnerNotActive and the errors of ``gates``, ``briefs.check``, ``translations.check``
    and ``idempotency``.
    """
    order = _Order(account, now, correlation_id, ttl_hours, prices)
    translations.check(brief, prices)
    key = idempotency.make_stored_key(account["environment"], account["creator"], key)
    if not key:
        return _trigger_order(order, brief, screenings, None, b"")
    digest = digest or brief.digest(account["id"])
    with idempotency.lock_key(account["partner_id"], key):
        return _trigger_order(order, brief, screenings, key, digest)


def find_triggered(account: Account, key: str | None, digest: bytes, now: int) -> Triggered | None:
    """Return the answer to an earlier request with the same ``key`` and ``digest``, as
    :func:`trigger` has them; None: there is none. IdempotencyKeyReused.
    """
    key = idempotency.make_stored_key(account["environment"], account["creator"], key)
    stored = idempotency.recall(account["partner_id"], key, digest, now) if key else None
    return _replay(stored) if stored else None


def _replay(stored: StoredAnswer) -> Triggered:
    return Triggered(stored["production_id"], True, lambda: stored["answer"])


class _Order(NamedTuple):
    """What the productions of a trigger share."""

    account: Account
    now: int
    correlation_id: str
    ttl_hours: int | None
    prices: model_costs.Prices


def _trigger_order(
    order: _Order,
    brief: Brief,
    screenings: Sequence[gates.Screening],
    key: str | None,
    digest: bytes,
) -> Triggered:
    partner_id, now = order.account["partner_id"], order.now
    each = brief.split_by_language(ids.make_id(now)) if brief.further_languages else [brief]
    screenings = screenings or screen_before_trigger(order.account["id"], brief, order.prices)
    with db.transaction(partner=partner_id):
        stored = idempotency.recall(partner_id, key, digest, now) if key else None
        if stored:
            return _replay(stored)
        left = range(len(each), 0, -1)
        first, *_ = [
            _enter_production(order, one, screening, number)
            for number, one, screening in zip(left, each, screenings, strict=True)
        ]
        if key:
            idempotency.remember(partner_id, key, digest, first.production_id, first.text, now)
        db.after_commit(first.prepare)  # while the disk writes
    return first  # the event of each has woken the engine


def _enter_production(
    order: _Order, brief: Brief, screening: gates.Screening, number: int
) -> Triggered:
    """Enter a production with its publications and its first event, if every gate lets it pass.
    Inside a transaction.

    ``number``: of productions, with this one, that are still to be entered together.
    """
    account, now = briefs.check(brief, order.account["id"]), order.now
    model_cost = order.prices.estimate(brief.length, len(brief.caption_languages))
    for check in gates.list_checks(
        account, brief, account["price"] + model_cost, screening, now, number
    ):
        check()
    row = _insert_production(order, account, brief, screening.warnings)
    platforms = _publish_later(row)
    if row["translation"]:
        translations.begin_translation(row["id"], brief, now)
    _COUNT_DAY.execute(account_id=account["id"], day=clock.format_day(now))
    ledger.reserve(row["id"], account, account["price"], model_cost, now)
    queued: event_types.ProductionQueued = {
        "status": states.QUEUED,
        "expiresAt": clock.format_time(row["expires_at"]),
    }
    events.record(row, event_types.PRODUCTION_QUEUED, queued, now, sequence=row["last_sequence"])
    if row["not_before"] is not None:
        db.announce(lambda: step_queues.find_queue_of_row(row, now))
    return Triggered(row["id"], False, lambda: json_text.text(view.represent(row, platforms)))


def screen_before_trigger(
    account_id: str, brief: Brief, prices: model_costs.Prices
) -> list[gates.Screening]:
    """Match a brief, in each of its languages, with the sensitivity rules, and find its warnings.

    Call it before the transaction that triggers.
    """
    warnings = brief_warnings.serialise_warnings(brief, account_id, prices.has_script_model)
    screened = gates.screen_each_language(
        briefs.find_account(brief, account_id), brief.split_by_language(ids.NIL)
    )
    return (
        [screening._replace(warnings=warnings) for screening in screened] if warnings else screened
    )


def _insert_production(
    order: _Order, account: BriefedAccount, brief: Brief, warnings: str | None
) -> EnteredProduction:
    """Insert the production and return its row, with the columns that its view and its
    first event need.
    """
    now, ttl_hours = order.now, order.ttl_hours
    scenario = sandbox.find_scenario_of_brief(account["environment"], brief.metadata_md)
    lane = render_queue.find_lane(account["environment"])
    is_reviewed = brief.review == "script" or (
        brief.review is None and bool(account["script_review"])
    )
    is_awaited = translations.is_awaited(brief, order.prices)
    estimated_at = (
        None
        if is_awaited
        else completion_estimates.estimate_after_trigger(
            brief.length, now, account["partner_id"], lane
        )
    )
    held_in = states.QUEUED if is_awaited else scenario and scenario.hold_in
    columns = {
        **_find_brief_columns(account, brief),
        "id": ids.make_id(now),
        "api_triggered": int(ttl_hours is not None),
        "auto_release": int(
            account["auto_release"]
            and not (scenario and scenario.hold_in == states.AWAITING_APPROVAL)
        ),
        "scenario": scenario and scenario.to_json(),
        "held_in": held_in,
        "correlation_id": order.correlation_id,
        "steps_complete": 0,
        "steps_total": len(STEPS),
        "step_fraction": 0.0,
        "last_sequence": 1,
        "created_at": now,
        "expires_at": None if ttl_hours is None else now + ttl_hours * clock.HOUR,
        "estimated_at": estimated_at,
        "promised_at": estimated_at,
        "lane": lane,
        "not_before": None if held_in == states.QUEUED else now,
        "warnings": warnings,
        "review": lifecycle.REQUESTED if is_reviewed else None,
        "translation": lifecycle.AWAITED if is_awaited else None,
        "revision": 1,
    }
    # the dict itself: this is the hot path
    return cast(EnteredProduction, _UNSET | lifecycle.insert_production(columns, now))


def _find_brief_columns(account: BriefedAccount, brief: Brief) -> dict[str, Any]:
    """Return what a row has of the brief and of its account, as they are."""
    return {
        "partner_id": account["partner_id"],
        "account_id": account["id"],
        "customer_id": account["customer_id"],
        "title": briefs.make_title(account, brief),
        "topic": brief.topic,
        "subject_override": brief.subject_override,
        "language_id": brief.language_id,
        "country_id": brief.country_id,
        "avatar_id": brief.avatar_id,
        "project_type": account["project_type"],
        "metadata_md": brief.metadata_md,
        "external_id": brief.external_id,
        "group_id": brief.group_id,
        **{option: getattr(brief, option) for option in briefs.OPTIONS},
        "caption_languages": json.dumps(brief.caption_languages)
        if brief.caption_languages
        else None,
        "voice_model": briefs.find_voice_model(account, brief),
    }


def _publish_later(row: EnteredProduction) -> list[dict[str, Any]]:
    """Insert the publications of a new production, one for each connected platform;
    return the ``platforms`` of its view.
    """
    account_id = row["account_id"]
    connected = _platforms.get(
        account_id, lambda: [tuple(each) for each in _CONNECTED.rows(account_id=account_id)]
    )
    if connected:
        values = {"production_id": row["id"], "account_id": account_id}
        for number, (platform, connection_id) in enumerate(connected):
            values |= {f"platform{number}": platform, f"connection{number}": connection_id}
        _insert_publications_query(len(connected)).execute(**values)
    return [
        {"platform": platform, "status": "Pending", "platformPostId": None}
        for platform, _ in connected
    ]


@functools.cache
def _insert_publications_query(number: int) -> Prepared[Row]:
    """Return the query that inserts so many publications: many short statements cost more."""
    each = slots("production_id", "account_id")
    return Prepared(
        Publication.insert_many(
            [
                {
                    **each,
                    "platform": slot(f"platform{place}"),
                    "connection_id": slot(f"connection{place}"),
                }
                for place in range(number)
            ]
        )
    )


def find(caller: Caller, production_id: str, account_id: str | None = None) -> AddressedProduction:
    """Return the row of a production.

    NotFound: the key may not address it, or it is not of ``account_id``.
    """
    row = _found.get(production_id, lambda: _FIND.row(id=production_id))
    if (
        row is None
        or (account_id is not None and row["account_id"] != account_id)
        or not caller.reaches(
            row["account_id"], row["partner_id"], row["environment"], row["creator"]
        )
    ):
        raise NotFound("There is no such production among those that this key may address.")
    return row


def cancel(row: AddressedProduction, now: int, correlation_id: str | None) -> bool:
    """Request the cancel of a production, which the engine carries out; return False if it is
    ``Cancelled`` already.

    Cancelling a cancelled production is not an error and changes nothing.

    Raises:
        CancellationNotPermitted, AlreadyTerminal, CancelInProgress: See the specification, "By
        operation".
    """
    if not row["api_triggered"]:
        raise CancellationNotPermitted()
    return request_cancel(row["id"], now, correlation_id)


def request_cancel(production_id: str, now: int, correlation_id: str | None = None) -> bool:
    """Request the cancel of a production, for partner or operator; return False if it is
    ``Cancelled`` already.

    ``correlation_id``: of the causing request, for the event ``production.cancelled``.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        claimed = lifecycle.request_cancel(production_id, now, correlation_id)
        wake.wake_on_commit()
    if claimed:
        return True
    status = lifecycle.find_status(production_id)
    if status == states.CANCELLED:
        return False
    if status in states.TERMINAL_STATES:
        raise AlreadyTerminal(f"The production is {status} already and cannot be cancelled.")
    raise CancelInProgress()


def format_version(row: AddressedProduction) -> str:
    # every change visible in the status call increases updated_at
    return f"{row['id']}-{row['updated_at']}"


def format_status(row: AddressedProduction) -> str:
    """Return the JSON of the production object with its steps."""
    return _status_text(row["id"], format_version(row))


@functools.lru_cache(maxsize=1024)  # most polls return the same as the one before
def _status_text(production_id: str, version: str) -> str:
    return json_text.text(
        {**load_production(production_id), "steps": view.represent_steps(production_id)}
    )


def load_production(production_id: str) -> dict[str, Any]:
    """Return a production as it is now, for any caller. NotFound: there is none."""
    row = _SHOWN.row(id=production_id)
    if row is None:
        raise NotFound("There is no such production.")
    return view.represent_in_list(row)
