"""Productions as partners see them: triggered, read, listed, cancelled."""

import functools
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from svc.base import clock, ids, states
from svc.base.errors import AlreadyTerminal, CancelInProgress, CancellationNotPermitted, InvalidDateFormat, NotFound
from svc.base.steps import STEPS
from svc.base.text import json_text
from svc.domain import disk_quota, rows
from svc.domain.access import idempotency
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.partners import status as partner_status
from svc.domain.productions import briefs, estimates, gates, lifecycle, render_queue, sandbox, steps
from svc.domain.productions.briefs import Brief
from svc.domain.tables import Account, AddressedProduction, BriefedAccount
from svc.domain.usage import ledger, model_costs
from svc.domain.webhooks import events
from svc.store import database, wake
from svc.store.read_cache import Remembered

_platforms = Remembered("estate")  # of an account, those that are connected, in their order
_CONNECTED = "SELECT platform FROM connected_platforms WHERE account_id = ? AND status = 'Connected' ORDER BY platform"
_COUNT_DAY = """
    INSERT INTO production_days (account_id, day, triggered) VALUES (?, ?, 1)
    ON CONFLICT (account_id, day) DO UPDATE SET triggered = triggered + 1
"""
_FIND = """
    SELECT p.id, p.partner_id, p.account_id, p.status, p.api_triggered, p.created_at, p.updated_at,
           a.environment, a.creator
    FROM productions p JOIN accounts a ON a.id = p.account_id WHERE p.id = ?
"""
_found = Remembered("productions")  # rows of _FIND: most polls come when nothing has changed
_SHOWN = """
    SELECT p.*, (
        SELECT json_group_array(json_object('platform', platform, 'status', status, 'platformPostId', platform_post_id))
        FROM (SELECT * FROM publications WHERE production_id = p.id ORDER BY platform)
    ) AS platforms FROM productions p
"""


class Triggered(NamedTuple):
    """``text``: the JSON of the production. ``replayed``: it is the first answer to the same Idempotency-Key."""

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
    """Trigger a production: every gate, the production, its steps and its first event in one transaction.

    ``ttl_hours``: until it expires; None for one that no API call triggered. ``prices``: what configured models charge, of
    which an estimate is reserved. ``key``: the Idempotency-Key. ``screening``: of :func:`screen`, for a caller that has a
    transaction open already. The errors are PartnerNotActive and those of ``gates``, ``briefs.check`` and ``idempotency``; a
    refused trigger changes nothing.
    """
    scenario = sandbox.read(brief.metadata_md) if account["environment"] == "sandbox" else sandbox.NONE
    with idempotency.in_progress(account["partner_id"], key):
        screening = screening or screen(account["id"], brief)
        return _trigger(account, brief, now, correlation_id, ttl_hours, key, prices, scenario, screening)


def _trigger(
    account: Account, brief: Brief, now: int, correlation_id: str, ttl_hours: int | None, key: str | None,
    prices: model_costs.Prices, scenario: sandbox.Scenario, screening: gates.Screening,
) -> Triggered:  # fmt: skip
    digest = brief.digest(account["id"]) if key else b""
    with database.write():
        answered = idempotency.recall(account["partner_id"], key, digest, now) if key else None
        if answered:
            return Triggered(answered["production_id"], answered["answer"], True)
        account = briefs.check(brief, account["id"])
        for_models = prices.estimate(brief.length)
        _pass_gates(account, brief, account["price"] + for_models, screening, now)
        row = _insert(account, brief, now, correlation_id, ttl_hours, scenario)
        platforms = _publish_later(row)
        database.execute(_COUNT_DAY, (account["id"], clock.day(now)))
        ledger.reserve(row["id"], account, account["price"], for_models, now)
        queued = {"status": states.QUEUED, "expiresAt": clock.text(row["expires_at"])}
        events.record(row, "production.queued", queued, now, sequence=row["last_sequence"])
        answer = json_text.text(view(row, platforms))
        if key:
            idempotency.remember(account["partner_id"], key, digest, row["id"], answer, now)
        wake.on_commit()
    return Triggered(row["id"], answer, False)


def screen(account_id: str, brief: Brief) -> gates.Screening:
    """Match the sensitivity rules with a brief, before the transaction that triggers it."""
    return gates.screen(briefs.account_for(brief, account_id), brief)


def _pass_gates(account: BriefedAccount, brief: Brief, cost: int, screening: gates.Screening, now: int) -> None:
    partner_status.check(account["partner_status"])
    gates.account_status(account)
    gates.subject_override(account["title_template"], brief.subject_override)
    gates.sensitivity_rules(account, brief, screening)
    gates.budget(account, cost, clock.month(now))
    gates.concurrency(account)
    gates.daily_quota(account, now)
    disk_quota.require_room(account["partner_id"])


def _insert(
    account: BriefedAccount, brief: Brief, now: int, correlation_id: str, ttl_hours: int | None,
    scenario: sandbox.Scenario | None,
) -> dict[str, Any]:  # fmt: skip
    """Enter the production; its row, with all that its view and its first event need."""
    scenario = None if scenario == sandbox.NONE else scenario
    lane = render_queue.lane_of(account["environment"])
    estimated_at = estimates.at_trigger(brief.length, now, account["partner_id"], lane)
    columns = {
        "id": ids.new(now), "partner_id": account["partner_id"], "account_id": account["id"],
        "customer_id": account["customer_id"],
        "title": briefs.title_for(account, brief), "topic": brief.topic,
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
    }  # fmt: skip
    return lifecycle.enter(columns, now)


def _publish_later(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Enter that a new production is to be published on what its account is connected with; the ``platforms`` of its view."""
    account_id = row["account_id"]
    connected = _platforms.get(account_id, lambda: [each for (each,) in database.rows(_CONNECTED, (account_id,))])
    database.execute_many(
        "INSERT INTO publications (production_id, platform, account_id) VALUES (?, ?, ?)",
        [(row["id"], platform, account_id) for platform in connected],
    )
    return [{"platform": platform, "status": "Pending", "platformPostId": None} for platform in connected]


def find(caller: Caller, production_id: str, account_id: str | None = None) -> AddressedProduction:
    """The row of a production that the key may address. NotFound otherwise, or if it is of another account."""
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
    """The productions of an account, newest first. ``status``: any of them; ``since``, ``until``: of their creation.

    InvalidDateFormat: ``since`` is after ``until``."""
    if since is not None and until is not None and since > until:
        raise InvalidDateFormat("`from` must not be after `to`.")
    chosen: Sequence[str | None] = [None] if external_id else status or [None]
    # One keyset read by index for each status, merged: none of them reads more than a page.
    found = [each for name in chosen for each in _page_of(account_id, name, page, since, until, external_id, status)]
    found.sort(key=lambda row: (row["created_at"], row["id"]), reverse=True)
    return page.envelope(found[: page.limit + 1], view)


def _page_of(
    account_id: str, status: str | None, page: Page, since: int | None, until: int | None, external_id: str | None,
    states_asked: list[str],
) -> list[database.Row]:  # fmt: skip
    which = "" if status is None else "AND status = :status"
    if external_id is not None:  # few have it, so their states are looked at one by one
        which = "AND external_id = :external AND (:states = '[]' OR status IN (SELECT value FROM json_each(:states)))"
    return database.rows(
        f"""{_SHOWN} WHERE account_id = :account {which} AND (created_at, id) < (:created, :id)
            AND created_at >= :since AND created_at <= :until ORDER BY created_at DESC, id DESC LIMIT :limit""",
        {
            "account": account_id,
            "status": status,
            "external": external_id,
            "states": json.dumps(states_asked),
            **page.params,
            "since": 0 if since is None else since,
            "until": 2**62 if until is None else until,
        },
    )


def cancel(row: AddressedProduction, now: int, correlation_id: str | None = None) -> bool:
    """Ask for a production to be stopped; the driver stops it and makes it ``Cancelled``. Whether there is anything to do.

    CancellationNotPermitted, AlreadyTerminal, CancelInProgress: specification, "By operation". Cancelling a cancelled one
    is no error and changes nothing.
    """
    if not row["api_triggered"]:
        raise CancellationNotPermitted()
    return request_cancel(row["id"], now, correlation_id)


def request_cancel(production_id: str, now: int, correlation_id: str | None = None) -> bool:
    """Claim the cancelling of a production, by partner or operator, unless it is ``Cancelled`` already.

    ``correlation_id``: of the request that asks for it, which the event ``production.cancelled`` carries.
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
    return f"{row['id']}-{row['updated_at']}"  # each change that the status call shows moves updated_at on


def status_text(row: AddressedProduction) -> str:
    """The JSON of the production object with its steps."""
    return _status_text(row["id"], version(row))


@functools.lru_cache(maxsize=1024)  # most polls find what the one before found
def _status_text(production_id: str, version: str) -> str:
    return json_text.text({**read(production_id), "steps": _steps(production_id)})


def read(production_id: str) -> dict[str, Any]:
    """A production as it is now, whoever asks. NotFound: there is none."""
    row = database.row(f"{_SHOWN} WHERE id = ?", (production_id,))
    if row is None:
        raise NotFound("There is no such production.")
    return view(row)


def view(row: database.Columns, platforms: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The production object, the same everywhere. ``row``: of ``_SHOWN``, where no ``platforms`` are given."""
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
        "progressPercent": min(100, int(100 * done / row["steps_total"])),
        "estimatedCompletionAt": text(row["estimated_at"] if status in (states.QUEUED, states.PRODUCING) else None),
        "errorCode": row["error_code"],
        "errorMessage": row["error_message"],
        "failedStep": row["failed_step"],
        "platforms": json.loads(row["platforms"]) if platforms is None else platforms,
        "pollAfterSeconds": states.POLL_AFTER_SECONDS.get(status),
        "createdAt": text(row["created_at"]),
        "updatedAt": text(row["updated_at"]),
        "expiresAt": text(row["expires_at"]),
        "cancelRequestedAt": text(row["cancel_requested_at"]),
        "externalId": row["external_id"],
    }


def _steps(production_id: str) -> list[dict[str, Any]]:
    """What the status call adds: the steps with their times."""
    return [
        {
            "name": each["name"],
            "status": each["status"],
            "startedAt": clock.text(each["started_at"]),
            "completedAt": clock.text(each["completed_at"]),
        }
        for each in steps.of(production_id)
    ]
