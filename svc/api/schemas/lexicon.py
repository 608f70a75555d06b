"""Schemas of an account's pronunciation lexicon."""

from marshmallow import Schema, fields

from svc.api.schemas.fields import List, Text, identifier, text, time
from svc.domain.partners import lexicon

_WRITTEN = (
    "The word as it is written, or several. With a capital letter: only this form; without: "
    "every form."
)
_SPOKEN = "What is said instead, with at least as many words."


class LexiconEntry(Schema):
    written = Text(
        longest=lexicon.LONGEST_WRITTEN,
        shortest=1,
        trim=True,
        required=True,
        metadata={"description": _WRITTEN, "example": "SQL"},
    )
    spoken = Text(
        longest=lexicon.LONGEST_SPOKEN,
        shortest=1,
        trim=True,
        required=True,
        metadata={"description": _SPOKEN, "example": "sequel"},
    )


class NewLexicon(Schema):
    entries = List(
        fields.Nested(LexiconEntry),
        most=lexicon.MOST_ENTRIES,
        required=True,
        metadata={
            "description": (
                f"The whole lexicon, at most {lexicon.MOST_ENTRIES} entries; none to empty it."
            )
        },
    )


class Pronunciation(Schema):
    written = text(description=_WRITTEN, example="SQL")
    spoken = text(description=_SPOKEN, example="sequel")


class Lexicon(Schema):
    accountId = identifier(description="The account.")
    entries = fields.List(
        fields.Nested(Pronunciation),
        metadata={"description": "In the order in which they were sent."},
    )
    updatedAt = time(nullable=True, description="When it was last changed; null: never set.")
