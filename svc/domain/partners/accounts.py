"""Accounts with their avatars, project types and platforms, as the API returns them."""

import json
from typing import Any

from svc.base import clock
from svc.base.errors import InsufficientScope, NotFound
from svc.domain.caller import Caller
from svc.domain.paging import Page, page_newest_first
from svc.domain.tables import partners as tables
from svc.domain.tables.partners import Account
from svc.store.expressions import elements
from svc.store.models import partners as models
from svc.store.models.publishing import ConnectedPlatform
from svc.store.queries import Prepared, slot
from svc.store.read_cache import ReadCache

_found = ReadCache("estate")
_ACCOUNT, _AVATAR, _TYPE = models.Account, models.Avatar, models.ProjectType
_PAGE = Prepared(
    page_newest_first(
        _ACCOUNT.select().where(
            _ACCOUNT.partner_id == slot("partner_id"),
            _ACCOUNT.environment == slot("environment"),
            (slot("environment") == "live") | (_ACCOUNT.creator == slot("creator")),
            slot("permitted").cast("text").is_null() | _ACCOUNT.id.in_(elements(slot("permitted"))),
        ),
        _ACCOUNT.created_at,
        _ACCOUNT.id,
    ),
    Account,
)
_FIND = Prepared(_ACCOUNT.select().where(_ACCOUNT.id == slot("id")), Account)
_AVATARS = Prepared(
    _AVATAR.select(_AVATAR.id, _AVATAR.name, _AVATAR.language_ids)
    .where(_AVATAR.customer_id == slot("customer_id"))
    .order_by(_AVATAR.created_at, _AVATAR.id)
)
_PLATFORMS = Prepared(
    ConnectedPlatform.select(ConnectedPlatform.platform, ConnectedPlatform.status)
    .where(ConnectedPlatform.account_id == slot("account_id"))
    .order_by(ConnectedPlatform.platform)
)
_TYPES = Prepared(
    _TYPE.select().where(_TYPE.account_id == slot("account_id")).order_by(_TYPE.slug),
    tables.ProjectType,
)


def list_page(caller: Caller, page: Page) -> dict[str, Any]:
    """Return a page of the accounts that the key may address, newest first."""
    permitted = None if caller.permitted is None else json.dumps(sorted(caller.permitted))
    accounts = _PAGE.rows(
        partner_id=caller.partner_id,
        environment=caller.account_environment,
        creator=caller.creator,
        permitted=permitted,
        **page.params,
    )
    return page.make_envelope(accounts, represent)


def load_account(account_id: str) -> Account:
    """Return an account, without regard to a key. LookupError: there is none."""
    return _FIND.one(id=account_id)


def find(caller: Caller, account_id: str) -> Account:
    """Return the row of an account. NotFound: there is none that the key may address."""
    row = _found.get(account_id, lambda: _FIND.row(id=account_id))
    if row is None or not caller.reaches(
        row["id"], row["partner_id"], row["environment"], row["creator"]
    ):
        raise NotFound(
            "There is no such account among those that this key may address; GET "
            "/v1/partner/accounts lists them."
        )
    return row


def find_for_trigger(caller: Caller, account_id: str) -> Account:
    """Return the row of an account.

    InsufficientScope: there is none that the key may address (DECISIONS.md §2).
    """
    try:
        return find(caller, account_id)
    except NotFound:
        raise InsufficientScope() from None


def represent(account: Account) -> dict[str, Any]:
    """Return an account as the API represents it."""
    avatars = _AVATARS.rows(customer_id=account["customer_id"])
    platforms = _PLATFORMS.rows(account_id=account["id"])
    types = _TYPES.rows(account_id=account["id"])
    return {
        "accountId": account["id"],
        "name": account["name"],
        "status": account["status"],
        "environment": account["environment"],
        "defaultProjectTypeSlug": account["default_project_type"],
        "projectTypes": [
            {
                "slug": row["slug"],
                "name": row["name"],
                "requiresSubjectOverride": needs_subject(row["title_template"]),
            }
            for row in types
        ],
        "avatars": [
            {
                "avatarId": row["id"],
                "name": row["name"],
                "languageIds": json.loads(row["language_ids"]) if row["language_ids"] else None,
            }
            for row in avatars
        ],
        "connectedPlatforms": [
            {"platform": row["platform"], "status": row["status"]} for row in platforms
        ],
        "createdAt": clock.format_time(account["created_at"]),
    }


def needs_subject(title_template: str) -> bool:
    """Return whether the title template of a project type contains ``{subject}``."""
    return "{subject}" in title_template
