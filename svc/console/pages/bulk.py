"""Several productions or files at once: the list as CSV, release and retry of many,
all files in one archive.
"""

from dataclasses import dataclass
from typing import Any

from flask import flash, g, redirect, render_template, request

from svc.base.errors import InvalidRequest, NotFound, ServiceError
from svc.console import access, exports, production_list, query_args, saved_filters
from svc.console.page_blueprint import make_section
from svc.domain.briefing import admin as briefing_admin
from svc.domain.lifecycle import deliverables
from svc.domain.paging import Page
from svc.domain.people.users import Viewer
from svc.domain.productions import admin as production_admin
from svc.domain.productions import detail as production_detail
from svc.domain.productions import search as production_search
from svc.domain.productions.detail import ProductionDetail

pages = make_section("bulk", "/productions")

FILTERS = saved_filters.LISTS["productions"].names
_PLACE = ("cursor", "before")  # of a page in the list
_MOST_REASONS = 5  # that are told; the messages are in a cookie
_COLUMNS = {
    "Production id": lambda row: row["id"],
    "Title": lambda row: row["title"],
    "Status": lambda row: row["status"],
    "Error code": lambda row: row["error_code"] or "",
    "Partner": lambda row: row["partner_name"],
    "Account": lambda row: row["account_name"],
    "Account id": lambda row: row["account_id"],
    "Environment": lambda row: row["environment"],
    "Triggered (UTC)": lambda row: exports.format_spreadsheet_time(row["created_at"]),
    "Finished (UTC)": lambda row: exports.format_spreadsheet_time(row["finished_at"]),
}


@pages.get("/export.csv")
def export():
    """Send the productions that match the filters of the list as CSV."""
    search = production_list.read_search(query_args.selected_partner(or_nobody=True))
    if search.words:  # a search has one page
        return exports.make_csv_response(
            "productions", _COLUMNS, production_search.list_page(search, Page())["data"]
        )
    return exports.make_csv_response(
        "productions",
        _COLUMNS,
        exports.iterate_entries(lambda page: production_search.list_page(search, page)),
    )


@pages.post("/bulk")
def change_several():
    """Release or retry the productions that are selected; say how many, and why others were not.

    Before that, a page asks: it has their number and cost, and those that are left out.
    """
    person = access.viewer()
    chosen = request.form.getlist("production")[: query_args.ROWS_ON_A_PAGE]
    action, chosen = request.form.get("action", ""), list(dict.fromkeys(chosen))
    if action not in _WORDS or (action == "release" and not person.is_operator):
        raise NotFound()
    if chosen and "sure" not in request.form:
        return _confirm(person, action, chosen)
    refused: list[str] = []
    for production_id in chosen:
        try:
            _change(person, action, production_id)
        except ServiceError as refusal:
            refused.append(refusal.message)
    _report(action, len(chosen) - len(refused), refused)
    return redirect(_list(), 303)


_WORDS = {"release": "released", "retry": "triggered again"}


@dataclass(frozen=True)
class _Chosen:
    """A production that is selected. ``cost``: in millionths; ``refusal``: why it is left out."""

    production: ProductionDetail
    cost: int = 0
    refusal: str = ""


def _confirm(person: Viewer, action: str, chosen: list[str]) -> str:
    choices = [_choose_production(person, action, each) for each in chosen]
    return render_template(
        "bulk_confirm.html",
        title="Release several productions" if action == "release" else "Retry several productions",
        action=action,
        possible=[each for each in choices if not each.refusal],
        left_out=[each for each in choices if each.refusal],
        kept=_filters(),
        back=_list(),
        done=_WORDS[action],
    )


def _choose_production(person: Viewer, action: str, production_id: str) -> _Chosen:
    production = production_detail.find(person.partner_id, production_id)
    if action not in production_admin.list_allowed_actions(person, production):
        return _Chosen(production, refusal=f"It cannot be {_WORDS[action]} as it stands.")
    if action == "release":
        return _Chosen(production, production["reserved"] or 0)
    try:
        prices = access.service().prices
        return _Chosen(
            production, briefing_admin.estimate_retry_cost(person, production_id, prices)
        )
    except InvalidRequest as refused:
        wrong = " ".join(text for texts in refused.all_fields.values() for text in texts)
        return _Chosen(production, refusal=wrong or refused.message)


def _report(action: str, done: int, refused: list[str]) -> None:
    words = _WORDS[action]
    if not done and not refused:
        flash("Select productions first.", "info")
    if done:
        flash(f"{done} production{'' if done == 1 else 's'} {words}.", "good")
    for message in list(dict.fromkeys(refused))[:_MOST_REASONS]:
        flash(f"{refused.count(message)} could not be {words}: {message}", "bad")


def _change(person, action: str, production_id: str) -> None:
    if action == "release":
        production_admin.release(person, production_id, access.now())
    else:
        prices = access.service().prices
        production_admin.retry(person, production_id, access.now(), g.correlation_id, prices)


def _list() -> str:
    return access.link("productions_pages.index", **_filters())


def _filters() -> dict[str, str]:
    """Return the filters of the list from which a form was sent, and the place in it."""
    return {
        name: value for name in (*FILTERS, *_PLACE) if (value := request.form.get(name, "")[:200])
    }


@pages.get("/<production_id>/files.zip")
def all_files(production_id: str):
    """Send all deliverables of a production in one archive."""
    production = production_detail.find(access.viewer().partner_id, production_id)
    listed, store = production_detail.list_files(production), access.service().storage.files
    present = [each for each in listed if store.has(each["file"])]
    if not present:
        raise NotFound("This production has no files.")
    name = deliverables.make_file_name(production["title"], "files", None, "zip").removesuffix(
        ".zip"
    )
    return exports.make_zip_response(
        name, ((path, store.stream(each["file"])) for path, each in _names(production, present))
    )


def _names(production, files) -> list[tuple[str, Any]]:
    """Return the files with their names in an archive, each of which is there once."""
    named: dict[str, Any] = {}
    for each in files:
        name = deliverables.make_file_name(
            production["title"], each["type"], each["platform"], each["format"]
        ).replace("/", "-")
        named[f"{each['id']}-{name}" if name in named else name] = each
    return list(named.items())
