"""Productions: trigger, status, list, cancel, events."""

from typing import Any

from flask import Response, g

from svc.api.answer_docs import Replays, document_answers
from svc.api.context import now, service
from svc.api.envelope import answer_not_modified, make_etag_response, make_json_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.schemas import productions as shapes
from svc.api.schemas.common import IdempotencyHeader
from svc.base import states
from svc.domain import paging, scopes
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import accounts
from svc.domain.productions import listing, productions
from svc.domain.productions.listing import Listed
from svc.domain.tables.partners import Account
from svc.domain.tables.productions import AddressedProduction
from svc.domain.webhooks import events, long_polls

bp = Blueprint(
    "productions", __name__, description="Productions from the brief to the published video."
)

_NOT_FOUND = "`NOT_FOUND`: no such object, or not permitted to this key."
# How many seconds a cancellation waits for the work to stop before it answers 202, if a thread is
# free to wait.
_CANCEL_SECONDS = 3.0


@bp.route("/v1/accounts/<account_id>/productions", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=accounts.find_for_trigger)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Brief)
@document_answers(
    202,
    shapes.Production,
    "The production is accepted and queued.",
    headers=("Location",),
    replays=Replays.PARTNER,
    e403=(
        "`INSUFFICIENT_SCOPE`: the account is not permitted. `ACCOUNT_NOT_ACTIVE`: it is not "
        "`Active` or `Pilot`."
    ),
    e404="`NOT_FOUND`: the identifier in the path is not a UUID.",
    e409=(
        "`BUDGET_GATE_1_FAILED`, `BUDGET_GATE_2_FAILED`: the monthly spend ceiling of the account "
        "or of its customer. `CONCURRENCY_LIMIT_REACHED`: the maximum number of productions is "
        "running. `SENSITIVITY_RULE_SUPPRESSED`: a content rule. `DISK_QUOTA_REACHED`: the "
        "partner's files have reached their disk quota."
    ),
    e422="`SUBJECT_OVERRIDE_MISSING`: the title template contains `{subject}`.",
    e429="The daily production quota of the account resets at midnight UTC.",
)
def trigger_production(account: Account, headers: dict[str, Any], brief: Brief) -> Response:
    """Trigger a production"""
    parts = service()
    answer = productions.trigger(
        account,
        brief,
        parts.clock(),
        correlation_id=g.correlation_id,
        ttl_hours=parts.settings.production_ttl_hours,
        key=headers["key"],
        prices=parts.prices,
    )
    more = {"Idempotent_Replayed": "true"} if answer.replayed else {}
    location = f"/v1/accounts/{account['id']}/productions/{answer.production_id}"
    return make_json_response(answer.text, 202, Location=location, **more)


@bp.route("/v1/accounts/<account_id>/productions", methods=["GET"])
@require_scope(scopes.READ, resource=accounts.find, query=True)
@bp.arguments(shapes.ListQuery, location="query")
@document_answers(
    200,
    shapes.ProductionList,
    "The productions, newest first.",
    e404=_NOT_FOUND,
    e422="`INVALID_DATE_FORMAT`: not ISO 8601, or `from` after `to`.",
)
def list_productions(account: Account, query: dict[str, Any]) -> Response:
    """List the productions of an account"""
    page = query.pop("page")
    return make_json_response(listing.format_page(Listed(account["id"], **query), page))


@bp.route(
    "/v1/accounts/<account_id>/productions/<other_name:production_id>",
    methods=["GET"],
    endpoint="get_production_of_account",
)
@bp.route("/v1/productions/<production_id>", methods=["GET"], endpoint="get_production")
@require_scope(scopes.READ, resource=productions.find)
@document_answers(
    200, shapes.ProductionWithSteps, "The production with its steps.", etag=True, e404=_NOT_FOUND
)
def get_production(production: AddressedProduction) -> Response:
    """Get the status of a production"""
    version = productions.format_version(production)
    return answer_not_modified(version) or make_etag_response(
        productions.format_status(production), version
    )


@bp.route("/v1/productions/<production_id>", methods=["DELETE"])
@require_scope(scopes.CANCEL, resource=productions.find)
@document_answers(
    200,
    shapes.Production,
    "Cancelled.",
    also={202: "The work is still being stopped."},
    e403="`CANCELLATION_NOT_PERMITTED`: the production was not triggered through the API.",
    e404=_NOT_FOUND,
    e409="`ALREADY_TERMINAL`: the production is already `Published` or `Failed`. "
    "`CANCEL_IN_PROGRESS`: another cancellation is being processed.",
)
def cancel_production(production: AddressedProduction) -> Response:
    """Cancel a production

    Running work is stopped, unfinished publications are withdrawn, and partial files are removed.
    """
    if not productions.cancel(production, now(), g.correlation_id):
        return make_json_response(productions.load_production(production["id"]))
    ended, _ = long_polls.room.wait(
        production["partner_id"], _CANCEL_SECONDS, lambda: _find_ended(production["id"])
    )
    return (
        make_json_response(ended)
        if ended
        else make_json_response(productions.load_production(production["id"]), 202)
    )


def _find_ended(production_id: str) -> dict[str, Any] | None:
    production = productions.load_production(production_id)
    return production if production["status"] in states.TERMINAL_STATES else None


@bp.route("/v1/productions/<production_id>/events", methods=["GET"])
@require_scope(scopes.READ, resource=productions.find, query=True)
@bp.arguments(shapes.EventsQuery, location="query")
@document_answers(200, shapes.EventList, "The events, oldest first.", e404=_NOT_FOUND)
def list_events(production: AddressedProduction, query: dict[str, Any]) -> Response:
    """List the events of a production

    A receiver that missed events can catch up by sending the last `sequenceNumber` that it has
    seen.
    """
    page = query["page"]
    after = query["after_sequence"] if page.is_first else page.after[0]
    rows, has_more = events.list_after(production["id"], after, page.limit)
    cursor = paging.encode(rows[-1]["sequence"], production["id"], page.of) if has_more else None
    return make_json_response(
        {"data": [events.represent(row) for row in rows], "hasMore": has_more, "nextCursor": cursor}
    )
