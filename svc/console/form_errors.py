"""The errors of a form in the words of its labels, each once, and the field of each."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from flask import g

from svc.base.errors import MOST_NAMED, ServiceError
from svc.domain.lifecycle import briefs

# What forms call the API's fields; what is not here is called alike.
WORDS = {
    "topic": "Topic", "projectTypeSlug": "Project type", "subjectOverride": "Subject",
    "languageId": "Language", "countryId": "Country", "avatarId": "Avatar", "metadataMD": "Notes",
    "externalId": "Your own reference", "languageIds": "Further languages",
    "captionLanguageIds": "Translated captions", "keyPhrase": "Key phrase",
    "picture": "Illustration", "endpointUrl": "Endpoint", "eventTypes": "Event types",
    "accountIds": "Accounts", "overlapHours": "Hours of overlap",
    "allowedIpRanges": "Allowed addresses", "expiresAt": "end",
    **{option.name: option.label for option in briefs.OPTIONS.values()},
}  # fmt: skip
_INNER_CAPITALS = "|".join(name for name in WORDS if not name.islower())
_NAME = re.compile(rf"`?(?<![\w/.])({_INNER_CAPITALS})(?![\w/])`?")
_PLACE = re.compile(r"\b(scene|variable|item)s\[(\d+)\](?:\.(\w+))?")
_VALUE = re.compile(r"\bvalues\.(\w+)")


class WrongField(NamedTuple):
    """A field that the page shows with its errors. ``id``: of its control."""

    id: str
    label: str


def reword(text: str) -> str:
    """Return a message in the form's words, not the API's names: "Scene 2" for ``scenes[1]``."""
    text = _PLACE.sub(_place, _VALUE.sub(r"\1", text))
    return _NAME.sub(lambda match: WORDS[match[1]], text)


def _place(match: re.Match[str]) -> str:
    field = f", {find_label(match[3])}" if match[3] else ""
    thing = {"item": "Row"}.get(match[1], match[1].capitalize())  # of a table
    return f"{thing} {int(match[2]) + 1}{field}"


def find_label(name: str) -> str:
    """Return the name in forms of a field of the API, or of a form that names it alike."""
    if name in WORDS:
        return WORDS[name]
    words = reword(name)
    return words if words != name else name.replace("_", " ").capitalize()


def note_field(id: str, label: str, errors: Sequence[str]) -> str:
    """Store a field with errors for the summary at the top of the page.

    Macros call it; it returns an empty text.
    """
    if errors:
        _list_noted().setdefault(WrongField(id, label), tuple(errors))
    return ""


def is_first_wrong(id: str) -> bool:
    """Return whether this field is the first of the page with errors, which has the focus."""
    return next((each.id for each in _list_noted()), None) == id


def summarise(error: ServiceError | None) -> tuple[list[WrongField], list[str]]:
    """Return the fields with errors, and what the error says besides that none of them shows."""
    noted = _list_noted()
    if error is None:
        return list(noted), []
    shown = {message for messages in noted.values() for message in messages}
    others = [
        reword(text) if text == error.message else f"{find_label(name)}: {reword(text)}"
        for name, messages in error.all_fields.items()
        for text in messages
        if text not in shown
    ]
    others = list(dict.fromkeys(others))
    if more := len(others[MOST_NAMED:]):
        others[MOST_NAMED:] = [f"And {more:,} more."]
    return list(noted), others or ([] if noted else [reword(error.message)])


def _list_noted() -> dict[WrongField, tuple[str, ...]]:
    noted: dict[WrongField, tuple[str, ...]] = g.setdefault("wrong_fields", {})
    return noted
