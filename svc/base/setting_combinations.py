"""Checks settings that make no sense together."""

from collections.abc import Iterator, Mapping
from typing import Any


def find_problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each combination that is wrong.

    ``values``: those of svc.base.settings that are set, by name.
    """
    backs_up = values.get("backup_every_hours") or values.get("backup_ship_seconds")
    if values.get("database_url") and backs_up:
        yield (
            "Beside SVC_DATABASE_URL no backups are scheduled: leave SVC_BACKUP_EVERY_HOURS and "
            "SVC_BACKUP_SHIP_SECONDS out, and let a timer run `python app.py backup FILE` "
            "(docs/scale.md)"
        )
    if (
        values.get("backup_ship_seconds")
        and not values.get("backup_every_hours")
        and not values.get("database_url")
    ):
        yield (
            "SVC_BACKUP_EVERY_HOURS is missing: SVC_BACKUP_SHIP_SECONDS ships the database's "
            "changes between scheduled backups, which alone hold the media"
        )
    if values.get("render_workers") == 0 and not (
        values.get("database_url") and values.get("storage_url")
    ):
        yield (
            "SVC_RENDER_WORKERS is '0'; it should be a whole number from 1 to 64: with 0, workers "
            "run the steps, which needs SVC_DATABASE_URL and SVC_STORAGE_URL (docs/scale.md)"
        )
    if values.get("speech_languages") and not values.get("speech_url"):
        yield (
            "SVC_SPEECH_URL is missing: SVC_SPEECH_LANGUAGES names the languages that its "
            "endpoint speaks"
        )
    for name in ("script", "speech"):
        if values.get(f"{name}_url") and not values.get(f"{name}_model"):
            yield f"SVC_{name.upper()}_MODEL is missing: SVC_{name.upper()}_URL needs it"
