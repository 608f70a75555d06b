"""What the forms of productions and templates have in common: the account, and the choices to begin with."""

from typing import Any

from svc.base import ids
from svc.console import query_args
from svc.console.sign_in import access
from svc.domain.productions import admin as production_admin
from svc.domain.tables.partners import Account


def accounts_for(partner_id: str | None) -> tuple[list[Account], Account | None]:
    """Return the accounts of a partner in which the person may trigger, and the one that the address names, or the first."""
    there = production_admin.accounts(access.viewer(), partner_id) if partner_id else []
    return there, next((each for each in there if each["id"] == query_args.text("account")), there[0] if there else None)


def has_model() -> bool:
    """Return whether a model is configured that writes scripts, and translates captions."""
    return access.service().prices.has_script_model


def defaults(offered: dict[str, Any]) -> dict[str, str]:
    """Return language, country, avatar and project type of a new form. ``offered``: the account as the API shows it."""
    return {
        "languageId": ids.named("language", "en"),
        "countryId": ids.named("country", "US"),
        "avatarId": offered["avatars"][0]["avatarId"] if offered["avatars"] else "",
        "projectTypeSlug": offered["defaultProjectTypeSlug"],
    }
