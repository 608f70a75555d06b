"""The variables of a template, and the filling of a brief with values,
which are hostile until they are checked.
"""

import datetime
import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from svc.base import key_texts
from svc.base.api_fields import TextRule
from svc.base.errors import InvalidRequest
from svc.base.text import front_matter
from svc.base.text.text_rules import is_blank, is_storable
from svc.domain.briefing.template_places import Place, find_places, form_value
from svc.domain.lifecycle import briefs

TYPES = ("text", "markdown", "number", "date", "choice")
MOST_VARIABLES, MOST_CHOICES, LONGEST_VALUE = 50, 100, 4096
TEMPLATE_NAME = TextRule(1, 200, trim=True)
TEXT = TextRule(1, 1000, trim=True)  # with variables, which are longer than what takes their place
NOTES = TextRule(0, 8192, trim=False)
LONGEST_DESCRIPTION = 500  # of a variable
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}", re.ASCII)
# The fields of a brief that may have variables.
FILLED_FIELDS = ("topic", "subjectOverride", "metadataMD", "externalId")

_LONGEST = {  # of what is triggered
    "topic": briefs.TOPIC.longest,
    "subjectOverride": briefs.SUBJECT.longest,
    "metadataMD": briefs.METADATA.longest,
    "externalId": briefs.EXTERNAL_ID.longest,
}
# A variable. White space is trimmed afterwards: here it would be tried in every division.
_PLACE = re.compile(r"\{\{([^{}\n]*)\}\}")
# Python itself also reads 1_000, and 2026-W48-6
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_ESCAPED = str.maketrans(
    {letter: f"\\{letter}" for letter in "\\`*_{}<>#+-.!|~$:&^=\"'"}
    | {"[": "&#91;", "]": "&#93;"}  # with a backslash they would begin a formula
)


def list_variables_by_field(brief: dict[str, Any]) -> dict[str, list[str]]:
    """Return the variables that each field of a brief names."""
    return {field: _split_at_variables(brief.get(field) or "")[1::2] for field in FILLED_FIELDS}


def _split_at_variables(text: str) -> list[str]:
    """Return a text in parts: every other one, from the second on,
    is the name of a variable in its place.
    """
    return [
        part.strip(" \t") if number % 2 else part for number, part in enumerate(_PLACE.split(text))
    ]


def check_variables(variables: list[dict[str, Any]], brief: dict[str, Any]) -> None:
    """Check the variables of a template against its brief.

    InvalidRequest: names what is wrong with which.
    """
    wrong: dict[str, list[str]] = {}
    declared = [variable["name"] for variable in variables]
    for number, variable in enumerate(variables):
        if problem := _find_problem(variable, declared[:number]):
            wrong[f"variables[{number}]"] = [problem]
    for field, names in list_variables_by_field(brief).items():
        longest, length = _LONGEST[field], len(brief.get(field) or "")
        if not names and length > longest:
            wrong[field] = [
                f"Without variables it may have {longest:,} characters; it has {length:,}."
            ]
        unknown = [name for name in names if name not in declared]
        if unknown:
            wrong[field] = [
                f"{', '.join(unknown)[:200]} is not among the variables; declare it or remove it."
            ]
    types = {variable["name"]: variable["type"] for variable in variables}
    for field, names in list_variables_by_field(brief).items():
        if field != "metadataMD" and any(types.get(name) == "markdown" for name in names):
            wrong.setdefault(field, []).append(
                "A variable of type markdown may be used in metadataMD only."
            )
    _raise_if_wrong(wrong)


def _find_problem(variable: dict[str, Any], earlier: list[str]) -> str | None:
    if not NAME.fullmatch(variable["name"]):
        return "A name begins with a letter and has at most 40 letters, digits and underscores."
    if variable["name"] in earlier:
        return f"There are two variables {variable['name']}."
    if (variable["type"] == "choice") != bool(variable["choices"]):
        return "A variable of type choice needs choices; others have none."
    for name in ("default", "example"):
        if variable[name] is not None and (problem := _find_misfit(variable, variable[name])):
            return f"{name}: {problem}"
    return None


class _Value:
    """A value of a variable, in the forms in which it stands in texts.

    Each is made once, however often it stands there.
    """

    def __init__(self, text: str, kind: str):
        self._text, self._is_markup = text, kind == "markdown"

    @functools.cached_property
    def line(self) -> str:
        """The value in one line."""
        return _collapse_spaces(self._text)

    @functools.cached_property
    def escaped(self) -> str:
        """The value in Markdown, as the text that it is."""
        return _escape_markdown(self.line)

    def least(self, field: str, place: Place) -> int:
        """Return a number of characters that it has at least in a field,
        without making its form in Markdown.
        """
        return len(self._text if self._stands_as_markup(field, place) else self.line)

    def _stands_as_markup(self, field: str, place: Place) -> bool:
        return self._is_markup and field == "metadataMD" and place is not Place.MATTER

    def within(self, field: str, place: Place) -> str:
        """Return the value in the form that a field takes: in Markdown as markup, if it is allowed
        and is markup, or else as plain text.
        """
        if field != "metadataMD":
            return self.line
        if self._stands_as_markup(field, place):
            return self._text
        return form_value(self.line, self.escaped, place)


class ReadTemplate:
    """A template's brief and variables, to be filled any number of times:
    its texts and its defaults are read once.
    """

    def __init__(self, brief: dict[str, Any], variables: list[dict[str, Any]]):
        self._brief = brief
        self._known = {variable["name"]: variable for variable in variables}
        self.names = self._known.keys()
        self._defaults = {
            name: _check_value(variable, variable["default"])
            for name, variable in self._known.items()
        }
        self._parts = {
            field: _split_at_variables(brief[field]) for field in FILLED_FIELDS if brief.get(field)
        }
        notes = brief.get("metadataMD") or ""
        length = _measure_front_matter(notes)
        in_matter = len(_PLACE.findall(notes[:length]))
        self._places = (Place.MATTER,) * in_matter + find_places(
            tuple(_split_at_variables(notes[length:])[::2])
        )

    def fill(self, values: Mapping[str, str | float]) -> dict[str, Any]:
        """Return the brief with its variables replaced by ``values``, or by their defaults.

        In ``metadataMD`` a value is the text that it is, never markup, unless its variable is of
        type markdown; elsewhere it is one line. A value is not filled again. InvalidRequest: a
        value is missing, unknown, or does not fit its variable; or a text becomes too long, which
        is found out before it is made.
        """
        wrong = {
            f"values.{name}": ["The template has no such variable."]
            for name in values
            if name not in self._known
        }
        used: dict[str, _Value] = {}
        for name, variable in self._known.items():
            used[name], problem = (
                _check_value(variable, values[name]) if name in values else self._defaults[name]
            )
            if problem:
                wrong[f"values.{name}"] = [problem]
        _raise_if_wrong(wrong)
        filled = {
            field: _fill_text(field, parts, used, self._places)
            for field, parts in self._parts.items()
        }
        if "metadataMD" in filled:
            filled["metadataMD"] = _restore_front_matter(
                self._brief["metadataMD"], filled["metadataMD"]
            )
        return self._brief | filled


def _check_value(variable: dict[str, Any], value: str | float | None) -> tuple[_Value, str | None]:
    """Return a value, and what is wrong with it; None: nothing.

    ``value``: None if none is given.
    """
    try:
        text = format_value(variable, value)
    except ValueError as bad:
        return _Value("", variable["type"]), str(bad)
    if text is None or (is_blank(text) and variable["required"]):
        return _Value("", variable["type"]), "This value is required." if variable[
            "required"
        ] else None
    return _Value(text, variable["type"]), _find_misfit(variable, text) if text else None


def format_value(variable: dict[str, Any], value: str | float | None) -> str | None:
    """Return a value as the text that it is, also where it is a number of JSON.

    ValueError: its variable takes no numbers.
    """
    if value is None or isinstance(value, str):
        return value
    if variable["type"] != "number":
        raise ValueError(f"Must be a string, as the variable is of type {variable['type']}.")
    return f"{Decimal(repr(int(value) if float(value).is_integer() else value)):f}"


def _fill_text(
    field: str, parts: list[str], values: dict[str, _Value], places: Sequence[Place]
) -> str:
    """Return a text with its values. InvalidRequest: these alone are longer than the field may be;
    the rest of it, which is that of the template and may lose its white space, is counted with the
    brief.

    ``places``: where the values stand in Markdown; in front matter none is markup.
    """
    texts, length = [], 0
    for number, part in enumerate(parts):
        if number % 2 == 0:
            texts.append(part)
            continue
        value = values[part]
        place = places[number // 2] if field == "metadataMD" else Place.TEXT
        if length + value.least(field, place) <= _LONGEST[field]:
            texts.append(value.within(field, place))
            length += len(texts[-1])
        else:
            length = _LONGEST[field] + 1
        if length > _LONGEST[field]:
            _raise_if_wrong(
                {
                    field: [
                        (
                            f"Must be at most {_LONGEST[field]:,} characters long; with these "
                            "values it is longer."
                        )
                    ]
                }
            )
    return "".join(texts)


def _measure_front_matter(text: str) -> int:
    """Return how many characters at the beginning are front matter."""
    return (
        0
        if front_matter.split_front_matter(text)[0] is None
        else len(text) - len(front_matter.split_front_matter(text)[1])
    )


def _restore_front_matter(template: str, filled: str) -> str:
    """Return a filled text whose front matter is that of its template, and none if the template has
    none.

    Whatever comes to the very beginning, be it by an empty value before it or in two pieces.
    InvalidRequest: a value ends the template's front matter.
    """
    own = front_matter.split_front_matter(template)[0]
    restored = front_matter.split_front_matter(filled)[0]
    if own is None:
        return filled if restored is None else f"\n{filled}"
    if restored is None or restored.count("\n") != own.count("\n"):
        _raise_if_wrong(
            {
                "metadataMD": [
                    "With these values its front matter is no longer front matter, or ends earlier."
                ]
            }
        )
    return filled


def _escape_markdown(line: str) -> str:
    """Return Markdown that means ``line``."""
    return line.translate(_ESCAPED)


def _find_misfit(variable: dict[str, Any], value: str) -> str | None:
    """Return why a value is not valid; None: it is."""
    if not is_storable(value):
        return "Must not contain control characters or lone surrogates."
    if key_texts.holds_key(value):
        return key_texts.REFUSAL
    if len(value) > LONGEST_VALUE:
        return f"Must have at most {LONGEST_VALUE:,} characters."
    if variable["type"] == "number" and not _is_number(value):
        return "Must be a number such as 12.5."
    if variable["type"] == "date" and not _is_date(value):
        return "Must be a date such as 2026-11-20."
    if variable["type"] == "choice" and _normalise_text(value) not in map(
        _normalise_text, variable["choices"]
    ):
        return f"Must be one of {', '.join(variable['choices'])[:300]}."
    return None


def _normalise_text(value: str) -> str:
    """Return a text in the form that is compared: macOS writes an ü as two characters."""
    return unicodedata.normalize("NFC", value)


def _is_number(value: str) -> bool:
    return len(value) <= 40 and bool(_NUMBER.fullmatch(value.strip()))


def _is_date(value: str) -> bool:
    try:
        return bool(_DATE.fullmatch(value) and datetime.date.fromisoformat(value))
    except ValueError:
        return False


def _collapse_spaces(value: str) -> str:
    return " ".join(value.split())


def _raise_if_wrong(wrong: dict[str, list[str]]) -> None:
    if wrong:
        raise InvalidRequest.from_fields(wrong)
