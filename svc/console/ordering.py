"""Lists that are read in both directions: the order, the page that the URL asks for, and the links to its neighbours."""

from typing import Any

from flask import request

from svc.base.errors import InvalidRequest
from svc.console import query_args
from svc.domain import paging
from svc.domain.paging import Page
from svc.domain.productions import search as production_search
from svc.domain.productions.search import Search

ORDERS = {"newest": "Newest first", "oldest": "Oldest first"}
_BAD_CURSOR = "The address of this page is not complete: it names no place in this list, so the first page is shown."


def oldest_first() -> bool:
    """Return whether the list begins with the oldest. An unknown order is a mistake, which its field shows."""
    given = query_args.text("sort")
    if given and given not in ORDERS:
        query_args.mistake("sort", f"{given[:40]!r} is no order of this list; choose {' or '.join(ORDERS)}.")
    return given == "oldest"


def productions(search: Search) -> dict[str, Any]:
    """Return the page of a search that the URL asks for, as the list's template takes it, with the links to its neighbours."""
    before, after = (_page(name) for name in ("before", "cursor"))
    if before.is_first or search.words:
        listed: dict[str, Any] = production_search.page(search, after)
        is_first = after.is_first
    else:
        listed = production_search.page_before(search, before)
        is_first = listed["isFirst"]
    return {"listed": listed, **_links(listed, is_first or bool(search.words), search)}


def _page(name: str) -> Page:
    try:
        return paging.page_of(request.args.get(name, ""), query_args.ON_A_PAGE)
    except InvalidRequest:
        query_args.mistake("cursor", _BAD_CURSOR)
        return Page(query_args.ON_A_PAGE)


def _links(listed: dict[str, Any], is_first: bool, search: Search) -> dict[str, Any]:
    """Return ``first``, ``back`` and ``on``: the links of the pager, each a text and a URL, or None."""
    rows = listed["data"]
    back, on = ("Older", "Newer") if search.oldest_first else ("Newer", "Older")
    first = "Oldest" if search.oldest_first else "Newest"
    back_to = paging.encode(rows[0]["created_at"], rows[0]["id"]) if rows else None
    return {
        "first": None if is_first else (first, query_args.here(cursor=None, before=None)),
        "back": None if is_first or back_to is None else (back, query_args.here(cursor=None, before=back_to)),
        "on": (on, query_args.here(cursor=listed["nextCursor"], before=None)) if listed["hasMore"] else None,
    }
