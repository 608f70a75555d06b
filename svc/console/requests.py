"""The request history in the console: filters, search by correlation ID, and a page for each request with its effects."""

from flask import redirect, render_template

from svc.console import access, asked
from svc.console.section import section
from svc.domain import request_log

pages = section("requests_pages", "/requests")

_CLASSES = {"2": 2, "4": 4, "5": 5}


@pages.get("/")
def index():
    whose, correlation = asked.whose(), asked.text("q")
    access.service().recorder.flush()
    if correlation:
        return _searched(whose, correlation)
    since, until = asked.days()
    status = asked.one_of("status", _CLASSES)
    listed = request_log.page(
        whose.partner_id, asked.page(50), status_class=_CLASSES.get(status or ""), since=since, until=until
    )
    return _list(whose, listed, any((status, since, until, whose.typed)))


def _searched(whose, correlation: str):
    rows = request_log.by_correlation(whose.partner_id, correlation)
    if len(rows) == 1:
        return redirect(access.link("requests_pages.show", number=rows[0]["id"]), 303)
    return _list(whose, {"data": rows, "hasMore": False}, True)


def _list(whose, listed: dict, filtered: bool) -> str:
    return render_template(
        "requests.html", title="Requests", listed=listed, whose=whose, filtered=filtered,
        days=access.service().settings.history_days, recent=request_log.RECENT, **asked.turning(listed),
    )  # fmt: skip


@pages.get("/<int(max=9223372036854775807):number>")
def show(number: int):
    entry = request_log.find(access.viewer().partner_id, number)
    same = [row for row in request_log.by_correlation(entry["partner_id"], entry["correlation_id"]) if row["id"] != number]
    return render_template(
        "request.html", title=f"{entry['method']} {entry['path']}", asked_for=entry, caused=request_log.caused(entry), same=same
    )
