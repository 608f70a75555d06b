"""Saved filters of the console's lists: what of a list's address is saved,
and what is shown above the list.
"""

from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from flask import request

from svc.console import access
from svc.domain.people import saved_filters


class List(NamedTuple):
    """A list whose filters can be saved.

    ``names``: the parameters of its address that are saved.
    """

    endpoint: str
    names: tuple[str, ...]


LISTS = {
    "productions": List(
        "productions_pages.index", ("q", "status", "partner", "account", "by", "from", "to", "sort")
    ),
    "webhooks": List("webhooks_pages.index", ("status", "partner", "sort")),
    "deliveries": List(
        "webhooks_pages.deliveries",
        ("status", "type", "webhook", "endpoint", "production", "partner", "from", "to", "sort"),
    ),
    "requests": List(
        "requests_pages.index",
        ("q", "status", "code", "method", "path", "key", "partner", "from", "to", "sort"),
    ),
    "accounts": List("account_pages.index", ("search", "status", "environment", "partner", "sort")),
    "partners": List("partner_pages.index", ("search", "status", "tier", "sort")),
}


def extract_filters(list_name: str, text: str) -> str:
    """Return the filters in the query of an address, without what is no filter,
    such as the place in the list.
    """
    parameters = dict(parse_qsl(text))
    return urlencode(
        {name: parameters[name] for name in LISTS[list_name].names if parameters.get(name)}
    )


def list_filters(list_name: str) -> dict[str, Any]:
    """Return what is shown above a list: what its viewer saved, and the present filters."""
    query = extract_filters(list_name, request.query_string.decode("utf-8", "replace"))
    rows = saved_filters.list_saved(access.viewer().own_id, list_name)
    entries = [
        {
            **row,
            "address": make_address(list_name, row["query"]),
            "is_current": row["query"] == query,
        }
        for row in rows
    ]
    is_saved = any(each["is_current"] for each in entries)
    return {
        "list": list_name,
        "entries": entries,
        "query": query,
        "can_save": bool(query) and not is_saved,
    }


def make_address(list_name: str, query: str) -> str:
    """Return the address of a list with these filters."""
    return access.link(LISTS[list_name].endpoint) + (f"?{query}" if query else "")
