"""Schemas of scripts that are reviewed."""

from typing import Any

from marshmallow import Schema, fields, post_load, validate

from svc.api.schemas.fields import List, Text, WholeNumber, count, identifier, number, text, time
from svc.domain.briefing import rejection
from svc.domain.lifecycle import lifecycle, script_review

_STAYS = "; left out, it stays as it is."


class SceneVisual(Schema):
    kind = text(
        description="`quote`, `number`, `table`, `bars`, `code`, … ; empty: none.", example="bars"
    )
    text = text(description="The quotation, the figure, the lines of code.", example="")
    columns = fields.List(
        fields.String(),
        metadata={"description": "Of a table or chart.", "example": ["Place", "Metres"]},
    )
    rows = fields.List(
        fields.List(fields.String()),
        metadata={"description": "Of a table or chart.", "example": [["Fundy", "16"]]},
    )


class Scene(Schema):
    sceneId = count(description="The scene; it stays the same in all versions.", example=1)
    heading = text(
        description="Shown above it, and said first where it begins a section.",
        example="The moon pulls",
    )
    narration = text(
        description="What is said, besides heading and points.",
        example="The sea rises towards the moon.",
    )
    points = fields.List(
        fields.String(),
        metadata={"description": "List items, shown and said.", "example": ["Twice a day"]},
    )
    keyPhrase = text(
        nullable=True,
        description=(
            "Words of the narration, or the heading, that are shown large; null: chosen by meaning."
        ),
        example=None,
    )
    picture = text(description="What its illustration shows; empty: none.", example="moon")
    visual = fields.Nested(
        SceneVisual, metadata={"description": "What it shows besides; it cannot be changed."}
    )
    estimatedSeconds = number(description="About how long it is spoken.", example=6.2)
    estimatedCost = number(
        description="What a configured model would charge for speaking it.", example=0.0
    )


class Script(Schema):
    productionId = identifier(description="The production.")
    version = count(description="1: as it was written; each change adds 1.", example=1)
    review = text(
        nullable=True,
        one_of=(lifecycle.AWAITED, lifecycle.APPROVED),
        description=(
            "Whether it awaits its review or is approved; null: nobody reviews it, as that was not "
            "asked for, or the production ended first."
        ),
        example=lifecycle.AWAITED,
    )
    title = text(
        description="Of the production. Opening and closing scenes are not among the scenes.",
        example="How tides work",
    )
    estimatedDurationSeconds = count(description="About how long the video would play.", example=40)
    estimatedCost = number(
        description="Of the production, in the operator's currency.", example=9.0
    )
    scenes = fields.List(
        fields.Nested(Scene), metadata={"description": "In the order in which they are shown."}
    )
    createdAt = time(description="When this version was made.")
    expiresAt = time(
        nullable=True,
        description="When the production fails if it is not released by then.",
        example=None,
    )


class SceneChange(Schema):
    sceneId = WholeNumber(
        validate=validate.Range(1, 2**31),
        load_default=None,
        allow_none=True,
        metadata={"description": "A scene of the script; left out: a new one.", "example": 1},
    )
    heading = Text(
        longest=script_review.LONGEST_HEADING,
        load_default=None,
        allow_none=True,
        metadata={"description": f"Its heading{_STAYS}", "example": "The moon pulls"},
    )
    narration = Text(
        longest=script_review.LONGEST_NARRATION,
        load_default=None,
        allow_none=True,
        metadata={
            "description": f"What is said{_STAYS}",
            "example": "The sea rises towards the moon.",
        },
    )
    points = List(
        Text(longest=script_review.LONGEST_POINT, shortest=1),
        most=script_review.MOST_POINTS,
        load_default=None,
        allow_none=True,
        metadata={
            "description": f"List items{_STAYS} Those of a table or chart cannot be changed.",
            "example": None,
        },
    )
    keyPhrase = Text(
        longest=script_review.LONGEST_HEADING,
        load_default=None,
        allow_none=True,
        metadata={
            "description": (
                f"Words of the narration, or the heading, to show large; empty: all of it{_STAYS}"
            ),
            "example": None,
        },
    )
    picture = Text(
        longest=script_review.LONGEST_PICTURE,
        load_default=None,
        allow_none=True,
        metadata={
            "description": f"What its illustration shows, in a word or two; empty: none{_STAYS}",
            "example": None,
        },
    )

    @post_load
    def rename_fields(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {
            "scene": data["sceneId"],
            "heading": data["heading"],
            "narration": data["narration"],
            "points": data["points"],
            "key_phrase": data["keyPhrase"],
            "picture": data["picture"],
        }


class ScriptChange(Schema):
    version = WholeNumber(
        validate=validate.Range(1, 2**31),
        required=True,
        metadata={
            "description": "The version that was changed; another one is refused.",
            "example": 1,
        },
    )
    scenes = List(
        fields.Nested(SceneChange),
        fewest=1,
        most=script_review.MOST_SCENES,
        required=True,
        metadata={"description": "All scenes, in their order. One that is left out is removed."},
    )


class SceneChoice(Schema):
    sceneId = WholeNumber(
        validate=validate.Range(1, 2**31),
        required=True,
        metadata={"description": "A scene of the script.", "example": 1},
    )


class ScenePreview(Schema):
    sceneId = count(description="The scene.", example=1)
    mediaType = text(one_of=("video/mp4",), description="What `content` is.", example="video/mp4")
    content = text(
        description="A small video of the scene with its narration, in Base64.",
        example="AAAAIGZ0eXA=",
    )


class Approval(Schema):
    may_be_absent = True

    version = WholeNumber(
        validate=validate.Range(1, 2**31),
        load_default=None,
        allow_none=True,
        metadata={"description": "The version that was read; left out: the latest.", "example": 1},
    )


class Rejection(Approval):
    reason = Text(
        shortest=1,
        longest=rejection.LONGEST_REASON,
        trim=True,
        load_default=None,
        allow_none=True,
        metadata={
            "description": "Why; it becomes `errorMessage`.",
            "example": "The figures are last year's.",
        },
    )
