"""Estimates and batches: what comes before a trigger, and what triggers many."""

from typing import Any

from flask import Response, g

from svc.api.answer_docs import Replays, document_answers
from svc.api.context import now, service
from svc.api.envelope import make_accepted_response, make_json_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once, wrap_in_transaction
from svc.api.schemas import briefing as shapes
from svc.api.schemas.common import IdempotencyHeader, Nothing, PageQuery
from svc.api.schemas.productions import Brief as BriefShape
from svc.domain import scopes
from svc.domain.access.idempotency import FirstAnswer
from svc.domain.briefing import batches, estimate
from svc.domain.briefing.batches import Order
from svc.domain.lifecycle import batch_rows
from svc.domain.lifecycle.batch_rows import Batch
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import accounts
from svc.domain.tables.partners import Account

bp = Blueprint("briefing", __name__, description="Estimates, and batches of briefs.")

LARGEST = 4 * 2**20  # bytes of a batch
_NOT_FOUND = "`NOT_FOUND`: no such object, or not permitted to this key."
BATCH_REFUSED = "`BATCH_REFUSED`: mode `atomic`, and at least one brief would be refused."
BUSY = (
    f"The batches of an account may have {batches.MOST_A_MINUTE:,} items in a minute, and a "
    "partner sends one at a time."
)


@bp.route("/v1/accounts/<account_id>/productions/estimate", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=accounts.find_for_trigger)
@bp.arguments(BriefShape)
@document_answers(
    200,
    shapes.Estimate,
    "The estimate. Nothing is triggered, reserved or kept.",
    e403="`INSUFFICIENT_SCOPE`: the account is not permitted.",
    e404="`NOT_FOUND`: the identifier in the path is not a UUID.",
)
def estimate_production(account: Account, brief: Brief) -> Response:
    """Estimate a production

    Cost, duration, time of completion and warnings of a brief, and all gates that would refuse it
    now.
    """
    return make_json_response(estimate.estimate_brief(account, brief, now(), service().prices))


@bp.route("/v1/accounts/<account_id>/batches", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=accounts.find_for_trigger, longest=LARGEST)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.BatchOrder)
@document_answers(
    202,
    shapes.Batch,
    "The briefs are accepted or refused; the items of the batch say which.",
    headers=("Location",),
    replays=Replays.PARTNER,
    e403="`INSUFFICIENT_SCOPE`: the account is not permitted.",
    e404="`NOT_FOUND`: the identifier in the path is not a UUID.",
    e409=BATCH_REFUSED,
    e429=BUSY,
)
def trigger_batch(account: Account, headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Trigger a batch of productions

    Each brief passes every gate as if it were triggered alone. The body may have 4 MiB. With an
    `Idempotency-Key`, a request that was interrupted is continued by repeating it: no brief is
    triggered twice. A webhook that names `batch.completed` hears when the last production has
    ended.
    """
    return trigger_and_answer(account, body["mode"], body["items"], headers["key"])


def trigger_and_answer(
    account: Account, mode: str, briefs: list[Brief], key: str | None, request_hash: bytes = b""
) -> Response:
    """Trigger a batch, and return the answer with it.

    ``request_hash``: the SHA-256 of the request, if the briefs were made of it.
    """
    settings = service().settings
    order = Order(
        account,
        mode,
        briefs,
        settings.production_ttl_hours,
        service().prices,
        g.correlation_id,
        key,
        request_hash,
    )
    return make_batch_response(*batches.trigger(order, now()))


def make_batch_response(batch: Batch, is_repeated: bool) -> Response:
    """Return the answer with a batch, which may be that of an earlier request."""
    headers = {"Idempotent_Replayed": "true"} if is_repeated else {}
    return make_json_response(
        batch_rows.represent(batch), 202, Location=f"/v1/batches/{batch['id']}", **headers
    )


@bp.route("/v1/accounts/<account_id>/batches", methods=["GET"])
@require_scope(scopes.READ, resource=accounts.find, query=True)
@bp.arguments(PageQuery, location="query")
@document_answers(200, shapes.BatchList, "The batches, newest first.", e404=_NOT_FOUND)
def list_batches(account: Account, query: dict[str, Any]) -> Response:
    """List the batches of an account"""
    return make_json_response(batch_rows.list_page(account["id"], query["page"]))


@bp.route("/v1/batches/<batch_id>", methods=["GET"])
@require_scope(scopes.READ, resource=batches.find)
@document_answers(200, shapes.Batch, "The batch with its briefs by state.", e404=_NOT_FOUND)
def get_batch(batch: Batch) -> Response:
    """Get a batch"""
    return make_json_response(batch_rows.represent(batch))


@bp.route("/v1/batches/<batch_id>/items", methods=["GET"])
@require_scope(scopes.READ, resource=batches.find, query=True)
@bp.arguments(PageQuery, location="query")
@document_answers(
    200, shapes.BatchItemList, "The items, in the order of the request.", e404=_NOT_FOUND
)
def list_batch_items(batch: Batch, query: dict[str, Any]) -> Response:
    """List the items of a batch"""
    return make_json_response(batch_rows.list_items(batch, query["page"]))


@bp.route("/v1/batches/<batch_id>/cancel", methods=["POST"])
@require_scope(scopes.CANCEL, resource=batches.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    202,
    shapes.Batch,
    "The productions that have not ended are being cancelled.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
)
def cancel_batch(batch: Batch, headers: dict[str, Any], _: dict[str, Any]) -> Response:
    """Cancel a batch

    Every production of the batch that has not ended is cancelled; those that are published stay.
    """

    def cancel() -> dict[str, Any]:
        batches.cancel(batch, now(), g.correlation_id)
        return batch_rows.represent(batch_rows.load_batch(batch["id"]))

    return answer_once(headers["key"], {}, wrap_in_transaction(cancel), make_accepted_response)


@bp.route("/v1/batches/<batch_id>/resume", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=batches.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    202,
    shapes.Batch,
    "What the cancellation of the batch had cancelled is triggered again.",
    replays=Replays.PARTNER,
    e403="`ACCOUNT_NOT_ACTIVE`: the account is not `Active` or `Pilot`.",
    e404=_NOT_FOUND,
    e409=(
        "`BATCH_NOT_CANCELLED`: nothing to resume. `BATCH_CANCELLING`: the cancellation is not "
        "complete. `BUDGET_GATE_1_FAILED`, `BUDGET_GATE_2_FAILED`, `CONCURRENCY_LIMIT_REACHED`, "
        "`SENSITIVITY_RULE_SUPPRESSED`, `DISK_QUOTA_REACHED`: as for a trigger."
    ),
    e429="The daily production quota, as for a trigger.",
)
def resume_batch(batch: Batch, headers: dict[str, Any], _: dict[str, Any]) -> Response:
    """Resume a cancelled batch

    Each production that the cancellation of the batch had cancelled is triggered again as a new
    one, through every gate, with its script, what reviewers changed of it, and their approval. One
    that was cancelled by itself, or rejected, stays so. The first refusal ends it: what was resumed
    before stays, and the same call goes on from there.
    """

    def resume(first: FirstAnswer) -> dict[str, Any]:
        # Triggering takes a transaction for each. After a crash in between, the repetition goes on
        # with the rest.
        batches.resume(
            batch,
            now(),
            g.correlation_id,
            service().settings.production_ttl_hours,
            service().prices,
        )
        with first.transaction(g.caller.partner_id) as keep:
            return keep(batch_rows.represent(batch_rows.load_batch(batch["id"])))

    return answer_once(headers["key"], {}, resume, make_accepted_response)
