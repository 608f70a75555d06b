"""What people do with scripts and translations in the console; each is entered in the audit log."""

from collections.abc import Mapping, Sequence
from typing import Any

from svc.base.errors import NotYours
from svc.domain.audit import audit
from svc.domain.briefing import corrections, rejection
from svc.domain.lifecycle import script_review
from svc.domain.people.users import Viewer
from svc.domain.productions import detail as production_detail
from svc.domain.productions.detail import ProductionDetail
from svc.domain.translation import translations
from svc.domain.usage.model_costs import Prices


def change(
    viewer: Viewer, production_id: str, version: int, scenes: Sequence[Mapping[str, Any]], now: int
) -> None:
    """Store the next version of a script.

    NotFound; NotYours: the viewer changes nothing; and as script_review.change.
    """
    production = _find_changeable(viewer, production_id)
    with audit.recording(
        viewer.actor, "script.change", production["title"], now, **_describe_subject(production)
    ):
        script_review.change(production_id, version, scenes, now)


def approve(viewer: Viewer, production_id: str, version: int, now: int) -> None:
    """Let a production go on with its script.

    NotFound; NotYours: the viewer changes nothing; and as script_review.approve.
    """
    production = _find_changeable(viewer, production_id)
    with audit.recording(
        viewer.actor, "script.approve", production["title"], now, **_describe_subject(production)
    ):
        script_review.approve(production_id, version, now)


def change_and_approve(
    viewer: Viewer, production_id: str, version: int, scenes: Sequence[Mapping[str, Any]], now: int
) -> None:
    """Let a production go on with these scenes: as the next version of its script, if they differ
    from those of ``version``.

    The errors are those of :func:`change` and :func:`approve`. Interrupted between the two, it
    waits with the next version.
    """
    _find_changeable(viewer, production_id)
    if script_review.changes_anything(production_id, version, scenes):
        change(viewer, production_id, version, scenes, now)
        version += 1
    approve(viewer, production_id, version, now)


def reject(viewer: Viewer, production_id: str, version: int, reason: str | None, now: int) -> None:
    """End a production whose script is rejected.

    NotFound; NotYours: the viewer changes nothing; and as rejection.reject.
    """
    production = _find_changeable(viewer, production_id)
    with audit.recording(
        viewer.actor,
        "script.reject",
        production["title"],
        now,
        **_describe_subject(production),
        after={"reason": reason},
    ):
        rejection.reject(production_id, version, reason, now)


def reopen(viewer: Viewer, production_id: str, now: int) -> None:
    """Let a rendered production be corrected.

    NotFound; NotYours: the viewer changes nothing; and as corrections.reopen.
    """
    production = _find_changeable(viewer, production_id)
    with audit.recording(
        viewer.actor, "script.reopen", production["title"], now, **_describe_subject(production)
    ):
        corrections.reopen(production_id, now)


def save_draft(
    viewer: Viewer, production_id: str, targets: Mapping[str, str], version: int, now: int
) -> None:
    """Keep some translated texts of a brief.

    NotFound; NotYours: the viewer changes nothing; and as translations.save_draft.
    """
    production = _find_changeable(viewer, production_id)
    with audit.recording(
        viewer.actor, "translation.draft", production["title"], now, **_describe_subject(production)
    ):
        translations.save_draft(production_id, targets, version)


def translate(
    viewer: Viewer, production_id: str, targets: Mapping[str, str], now: int, prices: Prices
) -> None:
    """Set the translated texts of a brief.

    NotFound; NotYours: the viewer changes nothing; and as translations.set_translation.
    """
    production = _find_changeable(viewer, production_id)
    with audit.recording(
        viewer.actor,
        "production.translate",
        production["title"],
        now,
        **_describe_subject(production),
    ):
        translations.set_translation(production_id, targets, now, prices)


def _find_changeable(viewer: Viewer, production_id: str) -> ProductionDetail:
    production = production_detail.find(viewer.partner_id, production_id)
    if not viewer.may_change:
        raise NotYours()
    return production


def _describe_subject(production: ProductionDetail) -> dict[str, Any]:
    partner_id = production["partner_id"]
    return {"subject_id": production["id"], "partner_id": partner_id, "in_turn_of": partner_id}
