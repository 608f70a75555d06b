"""The production object of the API."""

import functools
import json
from typing import Any, get_type_hints

from svc.base import clock, states
from svc.domain.productions import gate_warnings, lifecycle, steps
from svc.domain.tables.productions import ListedProduction, ShownProduction
from svc.store.expressions import json_list_of_rows, json_object
from svc.store.models.productions import Production
from svc.store.models.publishing import Publication

_PLATFORMS = (
    Publication.select(Publication.platform, Publication.status, Publication.platform_post_id)
    .where(Publication.production_id == Production.id)
    .order_by(Publication.platform)
    .alias("them")
)
_PLATFORM = json_object(
    platform=_PLATFORMS.c.platform,
    status=_PLATFORMS.c.status,
    platformPostId=_PLATFORMS.c.platform_post_id,
)
SHOWN = Production.select(
    *(getattr(Production, column) for column in get_type_hints(ShownProduction)),
    Publication.select(json_list_of_rows(_PLATFORM)).from_(_PLATFORMS).alias("platforms"),
)  # the columns of a ListedProduction
# the JSON of what most productions of a list have: to read it takes longer than to compare it
_NONE = "[]"


def view_in_list(row: ListedProduction) -> dict[str, Any]:
    return view(row, [] if row["platforms"] == _NONE else json.loads(row["platforms"]))


def view(row: ShownProduction, platforms: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the production object of the API."""
    text, status = clock.text, row["status"]
    done = row["steps_complete"] + min(row["step_fraction"], 0.99)
    return {
        "productionId": row["id"],
        "accountId": row["account_id"],
        "status": status,
        "title": row["title"],
        "topic": row["topic"],
        "subjectOverride": row["subject_override"],
        "languageId": row["language_id"],
        "countryId": row["country_id"],
        "avatarId": row["avatar_id"],
        "projectTypeSlug": row["project_type"],
        "metadataMD": row["metadata_md"],
        "apiTriggered": bool(row["api_triggered"]),
        "stepsComplete": row["steps_complete"],
        "stepsTotal": row["steps_total"],
        "currentStep": row["current_step"],
        "holdReason": _hold_reason(row),
        "progressPercent": min(100, int(100 * done / row["steps_total"])),
        "estimatedCompletionAt": text(
            row["estimated_at"] if status in (states.QUEUED, states.PRODUCING) else None
        ),
        "errorCode": row["error_code"],
        "errorMessage": row["error_message"],
        "failedStep": row["failed_step"],
        "platforms": platforms,
        "pollAfterSeconds": states.POLL_AFTER_SECONDS.get(status),
        "createdAt": text(row["created_at"]),
        "updatedAt": text(row["updated_at"]),
        "expiresAt": text(row["expires_at"]),
        "cancelRequestedAt": text(row["cancel_requested_at"]),
        "externalId": row["external_id"],
        "look": row["look"],
        "theme": row["theme"],
        "captionLanguageIds": json.loads(row["caption_languages"])
        if row["caption_languages"]
        else [],
        "groupId": row["group_id"],
        "revision": row["revision"],
        "warnings": [
            *_warnings(row["warnings"]),
            *(gate_warnings.view(row) if row["gate_warnings"] else ()),
        ],
    }


@functools.lru_cache(maxsize=256)  # most have none, or the same few
def _warnings(stored: str | None) -> tuple[dict[str, str], ...]:
    return tuple(json.loads(stored)) if stored else ()


def _hold_reason(row: ShownProduction) -> str | None:
    if row["translation"] == lifecycle.AWAITED and row["status"] == states.QUEUED:
        return states.TRANSLATION
    return (
        states.SCRIPT_REVIEW
        if row["review"] == lifecycle.AWAITED and row["status"] == states.PRODUCING
        else None
    )


def view_steps(production_id: str) -> list[dict[str, Any]]:
    """Return the steps with their times, which the status call adds."""
    return [
        {
            "name": step["name"],
            "status": step["status"],
            "startedAt": clock.text(step["started_at"]),
            "completedAt": clock.text(step["completed_at"]),
        }
        for step in steps.list_steps(production_id)
    ]
