"""The orders of the console's lists: the address of a page names one, to which the heads of its
columns lead.

A list is sorted only by what has an index, or where it is short, as that of one partner's webhooks.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from flask import request

from svc.console import query_args
from svc.domain import paging
from svc.domain.paging import Page
from svc.domain.partners import search as partner_search
from svc.domain.webhooks import admin as webhook_admin

NEWEST, OLDEST = "newest", "oldest"
# What a page is of, and whether the smallest is first, by the name of each order.
Orders = Mapping[str, tuple[str, bool]]
BY_TIME: Orders = {NEWEST: ("", False), OLDEST: ("", True)}


def _add_descending(*columns: str) -> Orders:
    """Return the orders of columns: by ``name`` from the smallest on,
    by ``-name`` from the largest.
    """
    return {f"{sign}{name}": (name, not sign) for name in columns for sign in ("", "-")}


BY_NAME: Orders = {**BY_TIME, **_add_descending(partner_search.BY_NAME)}
WEBHOOKS: Orders = {
    **BY_TIME,
    **_add_descending(
        webhook_admin.BY_ENDPOINT, webhook_admin.BY_FAILURES, webhook_admin.BY_SUCCESS
    ),
}


def read_order(orders: Collection[str], default: str = NEWEST) -> str:
    """Return the order that the address names.

    An unknown one is a mistake, which the list shows.
    """
    text = query_args.read_text("sort")
    if text and text not in orders:
        names = ", ".join(orders)
        query_args.note_field_error(
            "sort", f"{text[:40]!r} is no order of this list; these are: {names}."
        )
    return text if text in orders else default


def read_page(orders: Orders, limit: int = query_args.ROWS_ON_A_PAGE) -> Page:
    """Return the requested page of a list in the requested order.

    InvalidRequest: the cursor is of another order.
    """
    of, ascending = orders[read_order(orders)]
    return paging.make_page(request.args.get("cursor", ""), limit, of, ascending)


def sort_rows(listed: Collection[Any], columns: Mapping[str, Callable[[Any], Any]]) -> list[Any]:
    """Return all rows of a short list in the requested order; those that are alike stay as they
    were.

    ``columns``: the value of a row by the name of each column.
    """
    order = read_order(_add_descending(*columns), "")
    if not order:
        return list(listed)
    return sorted(listed, key=columns[order.removeprefix("-")], reverse=order.startswith("-"))
