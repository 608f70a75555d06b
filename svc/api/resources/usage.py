"""``/v1/partner``: the request history and usage."""

from typing import Any

from flask import Response, g

from svc.api.answer_docs import document_answers
from svc.api.context import now, service
from svc.api.envelope import make_json_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.schemas.usage import HistoryQuery, RequestList, Usage, UsageQuery
from svc.domain import scopes
from svc.domain.productions import ceilings
from svc.domain.usage import counters as usage_counters
from svc.domain.usage import history

bp = Blueprint("usage", __name__, description="The usage of a partner.")


@bp.route("/v1/partner/requests", methods=["GET"])
@require_scope(query=True)
@bp.arguments(HistoryQuery, location="query")
@document_answers(
    200,
    RequestList,
    "The requests, newest first.",
    e400="`INVALID_LIMIT`: `limit` is not from 1 to 100.",
    e422=(
        "`DATE_RANGE_TOO_WIDE`: over 30 days. `INVALID_DATE_FORMAT`: not ISO 8601, or `from` "
        "after `to`. `INVALID_STATUS_CLASS`: not 2, 4 or 5."
    ),
)
def list_requests(query: dict[str, Any]) -> Response:
    """List the requests of the partner

    A test key sees the requests of test keys with the same sandbox accounts, a live key those of
    live keys. A key that is limited to some accounts does not see the requests of a key with other
    accounts.
    """
    service().recorder.flush()  # so that earlier requests are listed with their answers
    since, until = history.choose_window(query["since"], query["until"], now())
    status_class = query["status"]
    status_class = status_class and int(status_class)
    return make_json_response(
        history.list_page(
            g.caller,
            since,
            until,
            status_class,
            query["page"],
            query["correlation_id"],
            g.entry.row[0],
        )
    )


@bp.route("/v1/partner/usage", methods=["GET"])
@require_scope(scopes.PERFORMANCE, query=True)
@bp.arguments(UsageQuery, location="query")
@document_answers(
    200,
    Usage,
    "The usage by month, newest first.",
    e422="`INVALID_MONTHS_PARAM`: `months` is not from 1 to 12.",
)
def get_usage(query: dict[str, Any]) -> Response:
    """Get the usage of the last months

    Productions, seconds and spend cover the accounts that the key may access. Requests and webhook
    deliveries are those of all live keys of the partner or, for a test key, those of test keys with
    the same sandbox accounts.
    """
    service().recorder.flush()
    report = usage_counters.report(
        g.caller.partner_id, g.caller.tier, query["months"], now(), g.caller
    )
    return make_json_response(
        report | {"ceilings": ceilings.compare_with_ceilings(g.caller, now())}
    )
