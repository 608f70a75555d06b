"""Search for partners, customers, accounts and avatars: lists for operators, newest first, by name or id."""

import functools
from typing import Any

from svc.domain.paging import Page, newest_first
from svc.domain.tables.partners import ListedAccount, ListedAvatar, ListedCustomer, ListedPartner
from svc.store.expressions import SQL, fn, place_of
from svc.store.models import partners
from svc.store.models.people import User
from svc.store.queries import Prepared, slot

Listed = ListedPartner | ListedCustomer | ListedAccount | ListedAvatar

MOST = 100  # entries of a drop-down list
_PARTNER, _CUSTOMER, _ACCOUNT, _AVATAR = partners.Partner, partners.Customer, partners.Account, partners.Avatar
_ANY_ACCOUNT = _ACCOUNT.alias("any_account")
_ACCOUNTS = _ANY_ACCOUNT.select(fn.count(SQL("1")))
_PEOPLE = User.select(fn.count(SQL("1"))).where(User.partner_id == _PARTNER.id)
_PARTNER_NAME, _CUSTOMER_NAME = _PARTNER.name.alias("partner_name"), _CUSTOMER.name.alias("customer_name")
_LISTS: dict[str, tuple[Any, Any, type[Listed]]] = {  # the model, its query, and the type of its rows
    "partner": (
        _PARTNER,
        _PARTNER.select(
            _PARTNER,
            _ACCOUNTS.where(_ANY_ACCOUNT.partner_id == _PARTNER.id).alias("accounts"),
            _PEOPLE.alias("people"),
        ),
        ListedPartner,
    ),
    "customer": (
        _CUSTOMER,
        _CUSTOMER.select(
            _CUSTOMER,
            _PARTNER_NAME,
            _ACCOUNTS.where(_ANY_ACCOUNT.customer_id == _CUSTOMER.id).alias("accounts"),
        ).join(_PARTNER, on=_PARTNER.id == _CUSTOMER.partner_id),
        ListedCustomer,
    ),
    "account": (
        _ACCOUNT,
        _ACCOUNT.select(_ACCOUNT, _PARTNER_NAME, _CUSTOMER_NAME)
        .join_from(_ACCOUNT, _PARTNER, on=_PARTNER.id == _ACCOUNT.partner_id)
        .join_from(_ACCOUNT, _CUSTOMER, on=_CUSTOMER.id == _ACCOUNT.customer_id),
        ListedAccount,
    ),
    "avatar": (
        _AVATAR,
        _AVATAR.select(_AVATAR, _CUSTOMER_NAME, _CUSTOMER.partner_id, _PARTNER_NAME)
        .join(_CUSTOMER, on=_CUSTOMER.id == _AVATAR.customer_id)
        .join(_PARTNER, on=_PARTNER.id == _CUSTOMER.partner_id),
        ListedAvatar,
    ),
}
_FILTERS: dict[str, dict[str, Any]] = {
    "partner_id": {
        "customer": _CUSTOMER.partner_id, "account": _ACCOUNT.partner_id, "avatar": _CUSTOMER.partner_id,
    },
    "customer_id": {"account": _ACCOUNT.customer_id, "avatar": _AVATAR.customer_id},
    "status": {"partner": _PARTNER.status, "account": _ACCOUNT.status},
    "tier": {"partner": _PARTNER.tier},
    "environment": {"account": _ACCOUNT.environment},
}  # fmt: skip


def page(kind: str, page: Page, *, search: str | None = None, **filters: str | None) -> dict[str, Any]:
    """Return a page of ``kind`` ("partner", "customer", "account", "avatar"). ``search``: a part of the name, or an id.
    ``filters``: partner_id, customer_id, status, tier, environment; None matches all."""
    given = {name: value for name, value in filters.items() if value is not None}
    if search:
        given["search"] = search.strip()
    return page.envelope(_query(kind, *given).rows(**page.params, **given), lambda row: row)


@functools.cache
def _query(kind: str, *filters: str) -> Prepared[Listed]:
    """Return the query of a page of a kind with these filters given."""
    model, query, row_type = _LISTS[kind]
    for name in filters:
        if name == "search":
            has_part = place_of(fn.lower(slot("search")), fn.lower(model.name)) > 0
            query = query.where((model.id == slot("search")) | has_part)
        else:
            query = query.where(_FILTERS[name][kind] == slot(name))
    return Prepared(newest_first(query, model.created_at, model.id), row_type)


def all_rows(kind: str, **filters: str | None) -> list[Listed]:
    """Return the newest MOST rows of a kind, for a drop-down list; beyond that, users search."""
    newest: list[Listed] = page(kind, Page(MOST), **filters)["data"]
    return newest
