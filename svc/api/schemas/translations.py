"""Schemas of translations that people make of briefs."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, validates_schema

from svc.api.schemas.fields import List, Text, identifier, text, time
from svc.domain.lifecycle import lifecycle
from svc.domain.translation import segments, xliff

_XLIFF = (
    '<?xml version="1.0"?><xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" '
    'srcLang="en" trgLang="es"/>'
)


class Segment(Schema):
    segmentId = text(description="The segment.", example="topic-1")
    field = text(
        one_of=segments.FIELDS, description="The text of the brief that it is of.", example="topic"
    )
    source = text(
        description="As it was triggered. Markup in it, such as `**` or `|`, is to stay.",
        example="How tides work",
    )
    target = text(nullable=True, description="Its translation; null: there is none.", example=None)


class Translation(Schema):
    productionId = identifier(description="The production.")
    status = text(
        one_of=(lifecycle.AWAITED, lifecycle.DONE, lifecycle.ENDED),
        description=(
            "Whether it is awaited or done; `Ended`: the production ended before it was translated."
        ),
        example=lifecycle.AWAITED,
    )
    sourceLanguage = text(description="BCP 47.", example="en")
    targetLanguage = text(description="BCP 47.", example="es")
    segments = fields.List(
        fields.Nested(Segment), metadata={"description": "What is to be translated, in its order."}
    )
    xliff = text(
        description="The same as an XLIFF 2.0 file, for translators' programs.", example=_XLIFF
    )
    translatedAt = time(
        nullable=True, description="When the translation was received.", example=None
    )


class TranslatedSegment(Schema):
    segmentId = Text(
        longest=segments.LONGEST_NAME,
        shortest=1,
        required=True,
        metadata={"description": "The segment.", "example": "topic-1"},
    )
    target = Text(
        longest=segments.LONGEST_TARGET,
        shortest=1,
        required=True,
        metadata={"description": "Its translation.", "example": "Cómo funcionan las mareas"},
    )


class NewTranslation(Schema):
    """All segments, or the file with them."""

    segments = List(
        fields.Nested(TranslatedSegment),
        fewest=1,
        most=segments.MOST,
        load_default=None,
        allow_none=True,
        metadata={
            "description": "The translated segments, all of them; or send `xliff`.",
            "example": [{"segmentId": "topic-1", "target": "Cómo funcionan las mareas"}],
        },
    )
    xliff = Text(
        longest=xliff.LONGEST,
        shortest=1,
        load_default=None,
        allow_none=True,
        metadata={
            "description": "The XLIFF file with its targets filled in, in place of `segments`.",
            "example": None,
        },
    )

    @validates_schema
    def check_one_is_given(self, data: dict[str, Any], **_: Any) -> None:
        if (data["segments"] is None) == (data["xliff"] is None):
            raise ValidationError("Send either segments or xliff.", "segments")
        names = [segment["segmentId"] for segment in data["segments"] or ()]
        if len(set(names)) < len(names):
            raise ValidationError("Send each segment once.", "segments")
