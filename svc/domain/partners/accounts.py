"""Accounts with their avatars, project types and platforms, as the API returns them."""

import json
from typing import Any

from svc.base import clock
from svc.base.errors import InsufficientScope, NotFound
from svc.domain import rows
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables.partners import Account
from svc.store import database
from svc.store.read_cache import ReadCache

_found = ReadCache("estate")
_PAGE = """
    SELECT * FROM accounts
    WHERE partner_id = :partner AND environment = :environment AND (:environment = 'live' OR creator = :creator)
      AND (:permitted IS NULL OR id IN (SELECT value FROM json_each(:permitted)))
      AND (created_at, id) < (:created, :id)
    ORDER BY created_at DESC, id DESC LIMIT :limit
"""


def page(caller: Caller, page: Page) -> dict[str, Any]:
    """Return a page of the accounts that the key may address, newest first."""
    permitted = None if caller.permitted is None else json.dumps(sorted(caller.permitted))
    accounts = rows.every(Account, _PAGE, {
        "partner": caller.partner_id, "environment": caller.account_environment, "creator": caller.creator,
        "permitted": permitted, **page.params,
    })  # fmt: skip
    return page.envelope(accounts, view)


def get(caller: Caller, account_id: str) -> dict[str, Any]:
    """Return an account. NotFound: there is none that the key may address."""
    return view(find(caller, account_id))


def find(caller: Caller, account_id: str) -> Account:
    """Return the row of an account. NotFound: there is none that the key may address."""
    row = _found.get(account_id, lambda: rows.first(Account, "SELECT * FROM accounts WHERE id = ?", (account_id,)))
    if row is None or not caller.reaches(row["id"], row["partner_id"], row["environment"], row["creator"]):
        raise NotFound("There is no such account among those that this key may address; GET /v1/partner/accounts lists them.")
    return row


def find_for_trigger(caller: Caller, account_id: str) -> Account:
    """Return the row of an account. InsufficientScope: there is none that the key may address (DECISIONS.md §2)."""
    try:
        return find(caller, account_id)
    except NotFound:
        raise InsufficientScope() from None


def view(account: Account) -> dict[str, Any]:
    """Return an account as the API represents it."""
    avatars = database.rows("SELECT * FROM avatars WHERE customer_id = ? ORDER BY created_at, id", (account["customer_id"],))
    platforms = database.rows(
        "SELECT platform, status FROM connected_platforms WHERE account_id = ? ORDER BY platform", (account["id"],)
    )
    types = database.rows("SELECT * FROM project_types WHERE account_id = ? ORDER BY slug", (account["id"],))
    return {
        "accountId": account["id"],
        "name": account["name"],
        "status": account["status"],
        "environment": account["environment"],
        "defaultProjectTypeSlug": account["default_project_type"],
        "projectTypes": [
            {"slug": row["slug"], "name": row["name"], "requiresSubjectOverride": needs_subject(row["title_template"])}
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
        "connectedPlatforms": [{"platform": row["platform"], "status": row["status"]} for row in platforms],
        "createdAt": clock.text(account["created_at"]),
    }


def needs_subject(title_template: str) -> bool:
    """Return whether the title template of a project type contains ``{subject}``."""
    return "{subject}" in title_template
