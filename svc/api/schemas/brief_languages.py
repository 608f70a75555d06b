"""Fields of a brief that name languages besides its own."""

from marshmallow import ValidationError

from svc.api.schemas.fields import Id, List
from svc.domain.productions import briefs


def further_languages() -> List:
    return _languages(
        briefs.MOST_LANGUAGES,
        "Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one "
        "`groupId`.",
    )


def caption_languages() -> List:
    return _languages(
        briefs.MOST_CAPTION_LANGUAGES,
        "Languages into which the model that writes scripts translates the captions; the production's own is left out. Each "
        "becomes a SubRip and a WebVTT file among the deliverables.",
    )


def _languages(most: int, description: str) -> List:
    return List(
        Id(), most=most, load_default=list, validate=_each_once, metadata={"description": description, "example": []}
    )  # fmt: skip


def _each_once(languages: list[str]) -> None:
    if len(set(languages)) < len(languages):
        raise ValidationError("Name each language once.")
