"""``/v1/partner/requests``: the request history."""

from flask import g

from svc.api.docs import answers
from svc.api.envelope import answer
from svc.api.guard import needs
from svc.api.parsing import Blueprint
from svc.api.schemas.usage import HistoryQuery, RequestList
from svc.api.service import now, service
from svc.domain import history

bp = Blueprint("usage", __name__, description="What a partner has used.")


@bp.route("/v1/partner/requests", methods=["GET"])
@needs(query=True)
@bp.arguments(HistoryQuery, location="query")
@answers(
    bp, 200, RequestList, "The requests, newest first.",
    e400="`INVALID_LIMIT`: `limit` is outside 1 to 100.",
    e422="`DATE_RANGE_TOO_WIDE`, `INVALID_DATE_FORMAT`, `INVALID_STATUS_CLASS`.",
)  # fmt: skip
def list_requests(query):
    """List the requests that the partner made"""
    service().finisher.flush()  # so that the requests before this one are there with their answers
    since, until = history.window(query["since"], query["until"], now())
    status_class = query["status"]
    return answer(history.page(g.caller, since, until, status_class and int(status_class), query["page"]))
