"""``/v1/events``: the events of all productions that a key may see, as one feed."""

from typing import Any

from flask import Response, g, request

from svc.api.answer_docs import document_answers
from svc.api.envelope import make_json_response
from svc.api.guard import check_caller_again, require_scope
from svc.api.parsing import Blueprint
from svc.api.schemas.feed import EventFeed, FeedQuery
from svc.api.schemas.fields import find_list_name
from svc.domain import paging, scopes
from svc.domain.webhooks import events

bp = Blueprint("feed", __name__, description="All events as one feed.")

_ASK_AGAIN = 5  # seconds, if there was no event and the request did not wait


@bp.route("/v1/events", methods=["GET"])
@require_scope(scopes.READ, query=True)
@bp.arguments(FeedQuery, location="query")
@document_answers(
    200,
    EventFeed,
    "The events, oldest first; `nextCursor` is the position after them.",
    e422="`INVALID_DATE_FORMAT`: `from` is not ISO 8601.",
)
def follow_events(query: dict[str, Any]) -> Response:
    """Follow the events of every production that the key may see

    Send `nextCursor` as `cursor` to get the following events. With `waitSeconds`, the request waits
    until there is an event; it counts as one request. If too many requests are already waiting, it
    is answered immediately.
    """
    after, seconds = query["cursor"], 0 if request.method == "HEAD" else query["wait_seconds"]
    if after is None or after == events.LATEST:
        after = events.find_position(g.caller, query["since"], latest=after == events.LATEST)
    part, has_waited = events.wait_for_events(g.caller, after, query["limit"], seconds)
    if seconds:
        check_caller_again(scopes.READ)
    return make_json_response(
        {
            "data": [events.represent(row) for row in part.rows],
            "hasMore": part.has_more,
            "nextCursor": paging.encode(part.position, "feed", find_list_name()),
            "pollAfterSeconds": 0 if part.rows or part.has_more or has_waited else _ASK_AGAIN,
        }
    )
