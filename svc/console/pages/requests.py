"""The request history in the console: filters, search by correlation ID, and a page for each request with its effects."""

from flask import redirect, render_template

from svc.console import query_args
from svc.console.page_blueprint import section
from svc.console.sign_in import access
from svc.domain.usage import search as request_search

pages = section("requests_pages", "/requests")

_CLASSES = {"2": 2, "4": 4, "5": 5}


@pages.get("/")
def index():
    whose, correlation = query_args.whose(), query_args.text("q")
    access.service().recorder.flush()
    if correlation:
        return _searched(whose, correlation)
    since, until = query_args.days()
    status = query_args.one_of("status", _CLASSES)
    listed = request_search.page(
        whose.partner_id, query_args.page(50), status_class=_CLASSES.get(status or ""), since=since, until=until
    )
    return _list(whose, listed, any((status, since, until, whose.typed)))


def _searched(whose, correlation: str):
    rows = request_search.by_correlation(whose.partner_id, correlation)
    if len(rows) == 1:
        return redirect(access.link("requests_pages.show", number=rows[0]["id"]), 303)
    return _list(whose, {"data": rows, "hasMore": False}, True)


def _list(whose, listed: dict, filtered: bool) -> str:
    return render_template(
        "requests.html", title="Requests", listed=listed, whose=whose, filtered=filtered,
        days=access.service().settings.history_days, recent=request_search.RECENT, **query_args.turning(listed),
    )  # fmt: skip


@pages.get("/<int(max=9223372036854775807):number>")
def show(number: int):
    entry = request_search.find(access.viewer().partner_id, number)
    same = [row for row in request_search.by_correlation(entry["partner_id"], entry["correlation_id"]) if row["id"] != number]
    return render_template(
        "request.html",
        title=f"{entry['method']} {entry['path']}",
        asked_for=entry,
        caused=request_search.caused(entry),
        same=same,
    )
