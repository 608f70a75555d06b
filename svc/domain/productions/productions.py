"""The productions of the partner API: trigger, read, list, cancel."""

import functools
import json
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from svc.base import clock, ids, states
from svc.base.errors import AlreadyTerminal, CancelInProgress, CancellationNotPermitted, InvalidDateFormat, NotFound
from svc.base.steps import STEPS
from svc.base.text import json_text
from svc.domain import brief_warnings, rows
from svc.domain.access import idempotency
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.productions import briefs, estimates, gates, lifecycle, render_queue, sandbox, steps
from svc.domain.productions.briefs import Brief
from svc.domain.tables.partners import Account, BriefedAccount
from svc.domain.tables.productions import AddressedProduction, EnteredProduction, ListedProduction, ShownProduction
from svc.domain.usage import ledger, model_costs
from svc.domain.webhooks import events
from svc.store import database, wake
from svc.store.read_cache import ReadCache

_platforms = ReadCache("estate")  # of an account: its connected platforms, sorted
_CONNECTED = "SELECT platform, connection_id FROM connected_platforms WHERE account_id = ? AND status = 'Connected' ORDER BY 1"
_COUNT_DAY = """
    INSERT INTO production_days (account_id, day, triggered) VALUES (?, ?, 1)
    ON CONFLICT (account_id, day) DO UPDATE SET triggered = production_days.triggered + 1
"""
_FIND = """
    SELECT p.id, p.partner_id, p.account_id, p.status, p.api_triggered, p.created_at, p.updated_at,
           a.environment, a.creator
    FROM productions p JOIN accounts a ON a.id = p.account_id WHERE p.id = ?
"""
_found = ReadCache("productions")  # rows of _FIND: between most polls nothing changes
_SHOWN = """
    SELECT p.*, (
        SELECT json_group_array(json_object('platform', platform, 'status', status, 'platformPostId', platform_post_id))
        FROM (SELECT * FROM publications WHERE production_id = p.id ORDER BY platform) AS sorted
    ) AS platforms FROM productions p
"""


class Triggered(NamedTuple):
    """``text``: the JSON of the production. ``replayed``: it is the stored answer to the same Idempotency-Key."""

    production_id: str
    text: str
    replayed: bool


def trigger(
    account: Account,
    brief: Brief,
    now: int,
    *,
    correlation_id: str,
    ttl_hours: int | None,
    prices: model_costs.Prices,
    key: str | None = None,
    screening: gates.Screening | None = None,
) -> Triggered:
    """Trigger a production: all gates, its rows and its first event, in one transaction. A refused trigger changes nothing.

    ``ttl_hours``: until it expires; None: no API call triggered it. ``prices``: of the configured models, for the estimate
    that is reserved. ``key``: the Idempotency-Key. ``screening``: the result of :func:`screen`, from a caller that already
    has a transaction open. Raises PartnerNotActive and the errors of ``gates``, ``briefs.check`` and ``idempotency``.
    """
    scenario = sandbox.read(brief.metadata_md) if account["environment"] == "sandbox" else sandbox.NONE
    with idempotency.in_progress(account["partner_id"], key):
        screening = screening or screen(account["id"], brief, prices)
        return _trigger(account, brief, now, correlation_id, ttl_hours, key, prices, scenario, screening)


def _trigger(
    account: Account, brief: Brief, now: int, correlation_id: str, ttl_hours: int | None, key: str | None,
    prices: model_costs.Prices, scenario: sandbox.Scenario, screening: gates.Screening,
) -> Triggered:  # fmt: skip
    digest = brief.digest(account["id"]) if key else b""
    with database.write():
        stored = idempotency.recall(account["partner_id"], key, digest, now) if key else None
        if stored:
            return Triggered(stored["production_id"], stored["answer"], True)
        account = briefs.check(brief, account["id"])
        model_cost = prices.estimate(brief.length)
        for check in gates.checks(account, brief, account["price"] + model_cost, screening, now):
            check()
        row = _insert(account, brief, now, correlation_id, ttl_hours, scenario, screening.warnings)
        platforms = _publish_later(row)
        database.execute(_COUNT_DAY, (account["id"], clock.day(now)))
        ledger.reserve(row["id"], account, account["price"], model_cost, now)
        queued = {"status": states.QUEUED, "expiresAt": clock.text(row["expires_at"])}
        events.record(row, "production.queued", queued, now, sequence=row["last_sequence"])
        answer = json_text.text(_view(row, platforms))
        if key:
            idempotency.remember(account["partner_id"], key, digest, row["id"], answer, now)
        wake.on_commit()
    return Triggered(row["id"], answer, False)


def screen(account_id: str, brief: Brief, prices: model_costs.Prices) -> gates.Screening:
    """Match a brief with the sensitivity rules, and find its warnings. Call it before the transaction that triggers."""
    screening = gates.screen(briefs.account_for(brief, account_id), brief)
    return screening._replace(warnings=brief_warnings.stored(brief, account_id, prices.has_script_model))


def _insert(
    account: BriefedAccount, brief: Brief, now: int, correlation_id: str, ttl_hours: int | None,
    scenario: sandbox.Scenario | None, warnings: str | None,
) -> EnteredProduction:  # fmt: skip
    """Insert the production and return its row, with the columns that its view and its first event need."""
    scenario = None if scenario == sandbox.NONE else scenario
    lane = render_queue.lane_of(account["environment"])
    is_reviewed = brief.review == "script" or (brief.review is None and bool(account["script_review"]))
    estimated_at = estimates.at_trigger(brief.length, now, account["partner_id"], lane)
    columns = {
        "id": ids.new(now), "partner_id": account["partner_id"], "account_id": account["id"],
        "customer_id": account["customer_id"], "title": briefs.title_for(account, brief), "topic": brief.topic,
        "subject_override": brief.subject_override, "language_id": brief.language_id, "country_id": brief.country_id,
        "avatar_id": brief.avatar_id, "project_type": account["project_type"], "metadata_md": brief.metadata_md,
        "api_triggered": int(ttl_hours is not None),
        "auto_release": int(account["auto_release"] and not (scenario and scenario.hold_in == states.AWAITING_APPROVAL)),
        "scenario": scenario and scenario.to_json(), "held_in": scenario and scenario.hold_in,
        "correlation_id": correlation_id, "steps_complete": 0, "steps_total": len(STEPS), "current_step": None,
        "step_fraction": 0.0, "error_code": None, "error_message": None, "failed_step": None, "last_sequence": 1,
        "created_at": now, "expires_at": None if ttl_hours is None else now + ttl_hours * clock.HOUR,
        "cancel_requested_at": None, "estimated_at": estimated_at, "promised_at": estimated_at, "lane": lane,
        "not_before": None if scenario and scenario.hold_in == states.QUEUED else now, "external_id": brief.external_id,
        "warnings": warnings, "review": lifecycle.REQUESTED if is_reviewed else None,
    }  # fmt: skip
    return cast(EnteredProduction, lifecycle.enter(columns, now))  # the dict itself: this is the hot path


def _publish_later(row: EnteredProduction) -> list[dict[str, Any]]:
    """Insert the publications of a new production, one for each connected platform; return the ``platforms`` of its view."""
    account_id = row["account_id"]
    connected = _platforms.get(account_id, lambda: [tuple(each) for each in database.rows(_CONNECTED, (account_id,))])
    database.execute_many(
        "INSERT INTO publications (production_id, platform, account_id, connection_id) VALUES (?, ?, ?, ?)",
        [(row["id"], platform, account_id, connection_id) for platform, connection_id in connected],
    )
    return [{"platform": platform, "status": "Pending", "platformPostId": None} for platform, _ in connected]


def find(caller: Caller, production_id: str, account_id: str | None = None) -> AddressedProduction:
    """Return the row of a production. NotFound: the key may not address it, or it is not of ``account_id``."""
    row = _found.get(production_id, lambda: rows.first(AddressedProduction, _FIND, (production_id,)))
    if (
        row is None
        or (account_id is not None and row["account_id"] != account_id)
        or not caller.reaches(row["account_id"], row["partner_id"], row["environment"], row["creator"])
    ):
        raise NotFound("There is no such production among those that this key may address.")
    return row


def page(
    account_id: str, page: Page, *, status: list[str], since: int | None, until: int | None, external_id: str | None = None
) -> dict[str, Any]:
    """Return a page of an account's productions, newest first. ``since``, ``until``: of creation, milliseconds.

    InvalidDateFormat: ``since`` is after ``until``."""
    if since is not None and until is not None and since > until:
        raise InvalidDateFormat("`from` must not be after `to`.")
    chosen: Sequence[str | None] = [None] if external_id else status or [None]
    # One indexed keyset query for each status, merged: none of them reads more than a page.
    matches = [row for state in chosen for row in _page_of(account_id, state, page, since, until, external_id, status)]
    matches.sort(key=lambda row: (row["created_at"], row["id"]), reverse=True)
    return page.envelope(matches[: page.limit + 1], _listed)


def _page_of(
    account_id: str, status: str | None, page: Page, since: int | None, until: int | None, external_id: str | None,
    statuses: list[str],
) -> list[ListedProduction]:  # fmt: skip
    condition = "" if status is None else "AND status = :status"
    if external_id is not None:  # few productions share it, so their states are compared row by row
        condition = "AND external_id = :external AND (:states = '[]' OR status IN (SELECT value FROM json_each(:states)))"
    return rows.every(
        ListedProduction,
        f"""{_SHOWN} WHERE account_id = :account {condition} AND (created_at, id) < (:created, :id)
            AND created_at >= :since AND created_at <= :until ORDER BY created_at DESC, id DESC LIMIT :limit""",
        {
            "account": account_id, "status": status, "external": external_id, "states": json.dumps(statuses), **page.params,
            "since": 0 if since is None else since, "until": 2**62 if until is None else until,
        },
    )  # fmt: skip


def cancel(row: AddressedProduction, now: int, correlation_id: str | None = None) -> bool:
    """Request the cancel of a production, which the engine carries out; return False if it is ``Cancelled`` already.

    CancellationNotPermitted, AlreadyTerminal, CancelInProgress: specification, "By operation". Cancelling a cancelled
    production is not an error and changes nothing.
    """
    if not row["api_triggered"]:
        raise CancellationNotPermitted()
    return request_cancel(row["id"], now, correlation_id)


def request_cancel(production_id: str, now: int, correlation_id: str | None = None) -> bool:
    """Request the cancel of a production, for partner or operator; return False if it is ``Cancelled`` already.

    ``correlation_id``: of the causing request, for the event ``production.cancelled``.
    """
    with database.write():
        claimed = lifecycle.request_cancel(production_id, now, correlation_id)
        wake.on_commit()
    if claimed:
        return True
    status = lifecycle.status_of(production_id)
    if status == states.CANCELLED:
        return False
    if status in states.TERMINAL:
        raise AlreadyTerminal(f"The production is {status} already and cannot be cancelled.")
    raise CancelInProgress()


def version(row: AddressedProduction) -> str:
    return f"{row['id']}-{row['updated_at']}"  # every change visible in the status call increases updated_at


def status_text(row: AddressedProduction) -> str:
    """Return the JSON of the production object with its steps."""
    return _status_text(row["id"], version(row))


@functools.lru_cache(maxsize=1024)  # most polls return the same as the one before
def _status_text(production_id: str, version: str) -> str:
    return json_text.text({**read(production_id), "steps": _steps(production_id)})


def read(production_id: str) -> dict[str, Any]:
    """Return a production as it is now, for any caller. NotFound: there is none."""
    row = rows.first(ListedProduction, f"{_SHOWN} WHERE id = ?", (production_id,))
    if row is None:
        raise NotFound("There is no such production.")
    return _listed(row)


def _listed(row: ListedProduction) -> dict[str, Any]:
    return _view(row, json.loads(row["platforms"]))


def _view(row: ShownProduction, platforms: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the production object of the API."""
    text, status = clock.text, row["status"]
    done = row["steps_complete"] + min(row["step_fraction"], 0.99)
    return {
        "productionId": row["id"],
        "accountId": row["account_id"],
        "status": status,
        "title": row["title"],
        "topic": row["topic"],
        "subjectOverride": row["subject_override"],
        "languageId": row["language_id"],
        "countryId": row["country_id"],
        "avatarId": row["avatar_id"],
        "projectTypeSlug": row["project_type"],
        "metadataMD": row["metadata_md"],
        "apiTriggered": bool(row["api_triggered"]),
        "stepsComplete": row["steps_complete"],
        "stepsTotal": row["steps_total"],
        "currentStep": row["current_step"],
        "holdReason": states.SCRIPT_REVIEW if row["review"] == lifecycle.AWAITED and status == states.PRODUCING else None,
        "progressPercent": min(100, int(100 * done / row["steps_total"])),
        "estimatedCompletionAt": text(row["estimated_at"] if status in (states.QUEUED, states.PRODUCING) else None),
        "errorCode": row["error_code"],
        "errorMessage": row["error_message"],
        "failedStep": row["failed_step"],
        "platforms": platforms,
        "pollAfterSeconds": states.POLL_AFTER_SECONDS.get(status),
        "createdAt": text(row["created_at"]),
        "updatedAt": text(row["updated_at"]),
        "expiresAt": text(row["expires_at"]),
        "cancelRequestedAt": text(row["cancel_requested_at"]),
        "externalId": row["external_id"],
        "warnings": json.loads(row["warnings"]) if row["warnings"] else [],
    }


def _steps(production_id: str) -> list[dict[str, Any]]:
    """Return the steps with their times, which the status call adds."""
    return [
        {
            "name": step["name"], "status": step["status"],
            "startedAt": clock.text(step["started_at"]), "completedAt": clock.text(step["completed_at"]),
        }
        for step in steps.of(production_id)
    ]  # fmt: skip
