"""``/v1/partner``: the request history and usage."""

from typing import Any

from flask import Response, g

from svc.api.docs import answers
from svc.api.envelope import answer
from svc.api.guard import needs
from svc.api.parsing import Blueprint
from svc.api.schemas.usage import HistoryQuery, RequestList, Usage, UsageQuery
from svc.api.service import now, service
from svc.base import scopes
from svc.domain import history, usage

bp = Blueprint("usage", __name__, description="What a partner has used.")


@bp.route("/v1/partner/requests", methods=["GET"])
@needs(query=True)
@bp.arguments(HistoryQuery, location="query")
@answers(
    200, RequestList, "The requests, newest first.",
    e400="`INVALID_LIMIT`: `limit` is outside 1 to 100.",
    e422="`DATE_RANGE_TOO_WIDE`: over 30 days. `INVALID_DATE_FORMAT`: not ISO 8601, or `from` after `to`. "
    "`INVALID_STATUS_CLASS`: not 2, 4 or 5.",
)  # fmt: skip
def list_requests(query: dict[str, Any]) -> Response:
    """List the requests that the partner made

    A test key sees those of the test keys that reach the same sandbox accounts, a live key those of live keys; a key that is
    limited to some accounts sees none of a key that reaches others.
    """
    service().recorder.flush()  # so that the requests before this one are there with their answers
    since, until = history.window(query["since"], query["until"], now())
    status_class = query["status"]
    status_class = status_class and int(status_class)
    return answer(history.page(g.caller, since, until, status_class, query["page"], query["correlation_id"]))


@bp.route("/v1/partner/usage", methods=["GET"])
@needs(scopes.PERFORMANCE, query=True)
@bp.arguments(UsageQuery, location="query")
@answers(200, Usage, "The usage by month, newest first.", e422="`INVALID_MONTHS_PARAM`: `months` is outside 1 to 12.")
def get_usage(query: dict[str, Any]) -> Response:
    """Get the usage of the last months

    Productions, seconds and spend are of the accounts that the key may address. Requests and webhook deliveries are counted
    for the whole partner, whose keys share one budget.
    """
    service().recorder.flush()
    return answer(usage.report(g.caller.partner_id, g.caller.tier, query["months"], now(), g.caller))
