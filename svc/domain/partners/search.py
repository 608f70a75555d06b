"""Search for partners, customers, accounts and avatars: lists for operators, newest first, by name or id."""

from typing import Any

from svc.domain import rows
from svc.domain.paging import Page
from svc.domain.tables.partners import ListedAccount, ListedAvatar, ListedCustomer, ListedPartner

Listed = ListedPartner | ListedCustomer | ListedAccount | ListedAvatar

MOST = 100  # entries of a drop-down list
_LISTS = {
    "partner": """
        SELECT p.*, (SELECT count(*) FROM accounts WHERE partner_id = p.id) AS accounts,
               (SELECT count(*) FROM users WHERE partner_id = p.id) AS people
        FROM partners p WHERE {where} ORDER BY p.created_at DESC, p.id DESC LIMIT :limit""",
    "customer": """
        SELECT p.*, w.name AS partner_name, (SELECT count(*) FROM accounts WHERE customer_id = p.id) AS accounts
        FROM customers p JOIN partners w ON w.id = p.partner_id
        WHERE {where} ORDER BY p.created_at DESC, p.id DESC LIMIT :limit""",
    "account": """
        SELECT p.*, w.name AS partner_name, c.name AS customer_name
        FROM accounts p JOIN partners w ON w.id = p.partner_id JOIN customers c ON c.id = p.customer_id
        WHERE {where} ORDER BY p.created_at DESC, p.id DESC LIMIT :limit""",
    "avatar": """
        SELECT p.*, c.name AS customer_name, c.partner_id, w.name AS partner_name
        FROM avatars p JOIN customers c ON c.id = p.customer_id JOIN partners w ON w.id = c.partner_id
        WHERE {where} ORDER BY p.created_at DESC, p.id DESC LIMIT :limit""",
}
_TYPES: dict[str, type[Listed]] = {
    "partner": ListedPartner,
    "customer": ListedCustomer,
    "account": ListedAccount,
    "avatar": ListedAvatar,
}
_FILTERS = {
    "partner_id": {"customer": "p.partner_id", "account": "p.partner_id", "avatar": "c.partner_id"},
    "customer_id": {"account": "p.customer_id", "avatar": "p.customer_id"},
    "status": {"partner": "p.status", "account": "p.status"},
    "tier": {"partner": "p.tier"},
    "environment": {"account": "p.environment"},
}


def page(kind: str, page: Page, *, search: str | None = None, **filters: str | None) -> dict[str, Any]:
    """Return a page of ``kind`` ("partner", "customer", "account", "avatar"). ``search``: a part of the name, or an id.
    ``filters``: partner_id, customer_id, status, tier, environment; None matches all."""
    terms, values = ["(p.created_at, p.id) < (:created, :id)"], page.params
    for name, value in filters.items():
        if value is not None:
            terms.append(f"{_FILTERS[name][kind]} = :{name}")
            values[name] = value
    if search:
        terms.append("(p.id = :search OR instr(lower(p.name), lower(:search)) > 0)")
        values["search"] = search.strip()
    sql = _LISTS[kind].format(where=" AND ".join(terms))
    return page.envelope(rows.every(_TYPES[kind], sql, values), lambda row: row)


def all_rows(kind: str, **filters: str | None) -> list[Listed]:
    """Return the newest MOST rows of a kind, for a drop-down list; beyond that, users search."""
    newest: list[Listed] = page(kind, Page(MOST), **filters)["data"]
    return newest
