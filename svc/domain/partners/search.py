"""Search for partners, customers, accounts and avatars by name or id: lists by time or by name."""

import functools
from typing import Any

from svc.domain.paging import Page, page_by_key, page_by_text
from svc.domain.tables.partners import ListedAccount, ListedAvatar, ListedCustomer, ListedPartner
from svc.store.expressions import SQL, fn, indexed, position_of
from svc.store.models import partners
from svc.store.models.people import User
from svc.store.queries import Prepared, slot

Listed = ListedPartner | ListedCustomer | ListedAccount | ListedAvatar

MOST = 100  # entries of a drop-down list
BY_NAME = "name"  # what a page is ``of`` that is sorted by name; any other one is sorted by time
_PARTNER = partners.Partner
_CUSTOMER = partners.Customer
_ACCOUNT = partners.Account
_AVATAR = partners.Avatar
_ANY_ACCOUNT = _ACCOUNT.alias("any_account")
_ACCOUNTS = _ANY_ACCOUNT.select(fn.count(SQL("1")))
_PEOPLE = User.select(fn.count(SQL("1"))).where(User.partner_id == _PARTNER.id)
_PARTNER_NAME = _PARTNER.name.alias("partner_name")
_CUSTOMER_NAME = _CUSTOMER.name.alias("customer_name")
# By the name of the list: the model, its query, and the type of its rows.
_LISTS: dict[str, tuple[Any, Any, type[Listed]]] = {
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
        "customer": _CUSTOMER.partner_id,
        "account": _ACCOUNT.partner_id,
        "avatar": _CUSTOMER.partner_id,
    },
    "customer_id": {"account": _ACCOUNT.customer_id, "avatar": _AVATAR.customer_id},
    "status": {"partner": _PARTNER.status, "account": _ACCOUNT.status},
    "tier": {"partner": _PARTNER.tier},
    "environment": {"account": _ACCOUNT.environment},
}

# The filters that leave few rows, which an index of their own finds.
_OWNERS = {"partner_id", "customer_id"}


def list_page(
    kind: str, page: Page, *, search: str | None = None, **filters: str | None
) -> dict[str, Any]:
    """Return a page of ``kind`` ("partner", "customer", "account", "avatar"). ``search``: a part of
    the name, or an id. ``filters``: partner_id, customer_id, status, tier, environment; None
    matches all."""
    present = {name: value for name, value in filters.items() if value is not None}
    if search:
        present["search"] = search.strip()
    by_name = page.of == BY_NAME
    query = _page_query(
        kind, *present, by_name=by_name, ascending=page.ascending, is_first=page.is_first
    )
    rows = query.rows(**query.select_values({**page.params, **present}))
    return page.make_envelope(
        rows, lambda row: row, lambda row: (0 if by_name else row["created_at"], row["id"])
    )


@functools.cache
def _page_query(
    kind: str, *filters: str, by_name: bool = False, ascending: bool = False, is_first: bool = False
) -> Prepared[Listed]:
    """Return the query of a page of a kind with these filters given."""
    model, query, row_type = _LISTS[kind]
    if by_name and not _OWNERS & set(filters):
        return Prepared(_sorted_query(kind, filters, ascending, is_first), row_type)
    query = _filter_query(
        query, model, {name: _FILTERS[name][kind] for name in filters if name != "search"}, filters
    )
    if by_name:
        return Prepared(
            page_by_text(query, model, model.alias("last_row"), _lower_name, ascending, is_first),
            row_type,
        )
    return Prepared(page_by_key(query, model.created_at, model.id, ascending), row_type)


def _filter_query(query: Any, model: Any, columns: dict[str, Any], filters: tuple[str, ...]) -> Any:
    """Return a query of the rows that have these values.

    ``columns``: that of each filter but ``search``.
    """
    for name, column in columns.items():
        query = query.where(column == slot(name))
    if "search" in filters:
        has_part = position_of(fn.lower(slot("search")), fn.lower(model.name)) > 0
        query = query.where((model.id == slot("search")) | has_part)
    return query


def _sorted_query(kind: str, filters: tuple[str, ...], ascending: bool, is_first: bool) -> Any:
    """Return the query of a page of all partners or accounts, whose rows are found in the index of
    their names.

    Without the hint SQLite reads and sorts the whole table as soon as there is a filter.
    """
    model, query, _ = _LISTS[kind]
    named = model.alias("named")
    columns = {name: getattr(named, name) for name in filters if name != "search"}
    matching = named.select(named.id).from_(indexed(named, f"{kind}s_by_name"))
    matching = page_by_text(
        _filter_query(matching, named, columns, filters),
        named,
        model.alias("last_row"),
        _lower_name,
        ascending,
        is_first,
    )
    order = (_lower_name(model), model.id)
    return query.where(model.id.in_(matching)).order_by(
        *(each.asc() if ascending else each.desc() for each in order)
    )


def _lower_name(model: Any) -> Any:
    """Return the name by which a list is sorted, as in the indexes
    partners_by_name and accounts_by_name.
    """
    return fn.lower(model.name)


def list_rows(kind: str, **filters: str | None) -> list[Listed]:
    """Return the newest MOST rows of a kind, for a drop-down list; beyond that, users search."""
    newest: list[Listed] = list_page(kind, Page(MOST), **filters)["data"]
    return newest
