"""The request history in the console: filters, search by correlation ID,
and a page for each request with its effects.
"""

import json

from flask import redirect, render_template

from svc.console import access, query_args, sorting
from svc.console.page_blueprint import make_section
from svc.domain.usage import refusals
from svc.domain.usage import search as request_search

pages = make_section("requests_pages", "/requests")

_CLASSES = {"2": 2, "4": 4, "5": 5}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@pages.get("/")
def index():
    shown_partner = query_args.selected_partner(or_nobody=True)
    correlation = query_args.read_text("q")
    access.service().recorder.flush()
    if correlation:
        return _search_correlation(shown_partner, correlation)
    since, until = query_args.read_days()
    status, filters = query_args.read_choice("status", _CLASSES), _read_filters()
    page = sorting.read_page(sorting.BY_TIME, 50)
    listed = request_search.list_page(
        shown_partner.partner_id,
        page,
        status_class=_CLASSES.get(status or ""),
        since=since,
        until=until,
        filters=filters,
    )
    return _list(
        shown_partner, listed, any((status, since, until, shown_partner.typed, *filters.values()))
    )


def _read_filters() -> dict[str, str | None]:
    """Return the filters that are not answered by an index."""
    return {
        "method": query_args.read_choice("method", METHODS),
        "path": query_args.read_text("path") or None,
        "key_prefix": query_args.read_text("key").rstrip("…") or None,
        "error_code": query_args.read_text("code").upper() or None,
    }


def _explain_refusal(entry) -> dict | None:
    """Return the answer to a refused request and what was sent; None: it was not refused,
    or too long ago.
    """
    refusal = refusals.find(entry["partner_id"], entry["id"])
    if refusal is None:
        return None
    try:
        answer = json.loads(refusal["answer"])
    except ValueError:  # its end is cut off
        answer = {}
    return {**refusal, "message": answer.get("message"), "fields": answer.get("fields") or {}}


def _search_correlation(shown_partner, correlation: str):
    rows = request_search.find_by_correlation(shown_partner.partner_id, correlation)
    if len(rows) == 1:
        return redirect(access.link("requests_pages.show", number=rows[0]["id"]), 303)
    if sorting.read_order(sorting.BY_TIME) == sorting.OLDEST:
        rows.reverse()
    return _list(shown_partner, {"data": rows, "hasMore": False}, True)


def _list(shown_partner, listed: dict, filtered: bool) -> str:
    return render_template(
        "requests.html",
        title="Requests",
        listed=listed,
        shown_partner=shown_partner,
        filtered=filtered,
        days=access.service().settings.history_days,
        recent=request_search.RECENT,
        methods=METHODS,
        **query_args.pager_links(listed),
    )


@pages.get("/<int(max=9223372036854775807):number>")
def show(number: int):
    entry = request_search.find(access.viewer().partner_id, number)
    same = [
        row
        for row in request_search.find_by_correlation(entry["partner_id"], entry["correlation_id"])
        if row["id"] != number
    ]
    return render_template(
        "request.html",
        title=f"{entry['method']} {entry['path']}",
        asked_for=entry,
        caused=request_search.find_caused(entry),
        refusal=_explain_refusal(entry),
        kept_days=access.service().settings.refusal_days,
        same=same,
    )
