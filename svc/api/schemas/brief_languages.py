"""Fields of a brief that name languages besides its own."""

from typing import Any

from marshmallow import ValidationError, fields, validate

from svc.api.schemas.fields import Id

MOST_LANGUAGES = 50  # of a brief, besides its own
MOST_CAPTION_LANGUAGES = 10


def further_languages() -> "fields.List[Any]":
    return _languages(
        MOST_LANGUAGES,
        "Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one "
        "`groupId`.",
    )


def caption_languages() -> "fields.List[Any]":
    return _languages(
        MOST_CAPTION_LANGUAGES,
        "Languages into which the model that writes scripts translates the captions; the production's own is left out. Each "
        "becomes a SubRip and a WebVTT file among the deliverables.",
    )


def _languages(most: int, description: str) -> "fields.List[Any]":
    return fields.List(
        Id(), load_default=list, validate=[validate.Length(0, most), _each_once],
        metadata={"description": description, "example": []},
    )  # fmt: skip


def _each_once(languages: list[str]) -> None:
    if len(set(languages)) < len(languages):
        raise ValidationError("Name each language once.")
