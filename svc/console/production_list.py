"""The list of productions: what its URL asks for, the URL of a search,
and the links to the pages of both directions.
"""

from typing import Any
from urllib.parse import urlencode

from flask import request

from svc.base.errors import InvalidRequest
from svc.console import access, query_args, sorting, time_zone
from svc.console.query_args import ShownPartner
from svc.domain import paging
from svc.domain.lifecycle import stages
from svc.domain.paging import Page
from svc.domain.productions import search as production_search
from svc.domain.productions.search import Search

_BAD_CURSOR = (
    "The address of this page is not complete: it names no place in this list, so the first page "
    "is shown."
)


STATUSES = (*stages.GROUPS, *stages.STAGES)  # that the list is filtered by
DAY_CHOICES = {"trigger": "Trigger", "end": "End"}  # what the days of the filters are of


def read_search(shown_partner: ShownPartner) -> Search:
    """Return the search that the URL of the list asks for."""
    since, until = query_args.read_days()
    return Search(
        shown_partner.partner_id,
        query_args.read_identifier("account"),
        None,
        since,
        until,
        query_args.read_text("q"),
        _is_oldest_first(),
        stage=query_args.read_choice("status", STATUSES),
        by_end=query_args.read_text("by") == "end",
    )


def is_filtered(search: Search) -> bool:
    """Return whether a user has narrowed the list, apart from the partner."""
    return any(_list_parameters(search).values())


def make_address(search: Search) -> str:
    """Return the URL of the list of a search, as a user of the same partner, or an operator,
    opens it.
    """
    parameters = _list_parameters(search)
    query = urlencode({name: value for name, value in parameters.items() if value})
    return access.link("productions_pages.index") + (f"?{query}" if query else "")


def _list_parameters(search: Search) -> dict[str, str | None]:
    """Return the filters of the URL, each with its value; empty or None: it does not narrow."""
    return {
        "q": search.words,
        "status": search.stage,
        "account": search.account_id,
        "by": "end" if search.by_end else None,
        "from": time_zone.find_day(search.since) if search.since else None,
        "to": time_zone.find_day(search.until) if search.until else None,
    }


def _is_oldest_first() -> bool:
    return sorting.read_order(sorting.BY_TIME) == sorting.OLDEST


def list_productions(search: Search) -> dict[str, Any]:
    """Return the page of a search that the URL asks for, as the list's template takes it,
    with the links to its neighbours.
    """
    before, after = (_page(name) for name in ("before", "cursor"))
    if before.is_first or search.words:
        listed: dict[str, Any] = production_search.list_page(search, after)
        is_first = after.is_first
    else:
        listed = production_search.list_page_before(search, before)
        is_first = listed["isFirst"]
    return {"listed": listed, **_links(listed, is_first or bool(search.words), search)}


def _page(name: str) -> Page:
    try:
        return paging.make_page(request.args.get(name, ""), query_args.ROWS_ON_A_PAGE)
    except InvalidRequest:
        query_args.note_field_error("cursor", _BAD_CURSOR)
        return Page(query_args.ROWS_ON_A_PAGE)


def _links(listed: dict[str, Any], is_first: bool, search: Search) -> dict[str, Any]:
    """Return ``first``, ``back`` and ``on``: the links of the pager,
    each a text and a URL, or None.
    """
    rows = listed["data"]
    back, on = ("Older", "Newer") if search.oldest_first else ("Newer", "Older")
    first = "Oldest" if search.oldest_first else "Newest"
    back_to = paging.encode(rows[0]["created_at"], rows[0]["id"]) if rows else None
    return {
        "first": None if is_first else (first, query_args.current_url(cursor=None, before=None)),
        "back": None
        if is_first or back_to is None
        else (back, query_args.current_url(cursor=None, before=back_to)),
        "on": (on, query_args.current_url(cursor=listed["nextCursor"], before=None))
        if listed["hasMore"]
        else None,
    }
