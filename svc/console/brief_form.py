"""What the forms of productions and templates have in common: the account,
and the choices to begin with.
"""

from dataclasses import dataclass
from typing import Any

from svc.base import ids
from svc.base.errors import RateLimitExceeded, ServiceError, ServiceUnavailable
from svc.console import access, query_args
from svc.domain import locales
from svc.domain.lifecycle import script_review
from svc.domain.lifecycle.briefs import Brief
from svc.domain.productions import admin as production_admin
from svc.domain.tables.partners import Account

_BY_MODEL = (
    "A model writes the script after the trigger. To read it first, let it wait for approval."
)


@dataclass(frozen=True)
class ShownScenes:
    """The scenes of the script of a brief.

    ``scenes`` None: ``problem`` says why; without one, they are being made.
    """

    scenes: list[dict[str, Any]] | None = None
    problem: str = ""


def list_accounts(partner_id: str | None) -> tuple[list[Account], Account | None]:
    """Return the accounts of a partner in which the person may trigger,
    and the one that the address names, or the first.
    """
    there = production_admin.list_accounts(access.viewer(), partner_id) if partner_id else []
    return there, next(
        (each for each in there if each["id"] == query_args.read_text("account")),
        there[0] if there else None,
    )


def has_model() -> bool:
    """Return whether a model is configured that writes scripts, and translates captions."""
    return access.service().prices.has_script_model


def choose_default_values(offered: dict[str, Any]) -> dict[str, str]:
    """Return language, country, avatar and project type of a new form.

    ``offered``: the account as the API shows it.
    """
    return {
        "languageId": ids.derive_id("language", "en"),
        "countryId": ids.derive_id("country", "US"),
        "avatarId": offered["avatars"][0]["avatarId"] if offered["avatars"] else "",
        "projectTypeSlug": offered["defaultProjectTypeSlug"],
    }


def outline_scenes(account: Account, brief: Brief) -> ShownScenes:
    """Return the scenes of a brief that an estimate has checked.

    They are made beside the request, which does not wait.
    """
    if has_model():
        return ShownScenes(problem=_BY_MODEL)
    try:
        service = access.service()
        scenes = service.previews.begin_outline(
            account, brief, access.now(), access.name_thread_owner()
        )
    except (RateLimitExceeded, ServiceUnavailable):
        return ShownScenes()  # others are made first
    except ServiceError as refused:
        return ShownScenes(problem=refused.message)
    if scenes is None:
        return ShownScenes()
    language = locales.list_languages()[brief.language_id]["code"]
    return ShownScenes(
        [script_review.represent_scene(each, language, service.prices) for each in scenes]
    )
