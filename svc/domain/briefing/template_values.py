"""The variables of a template, and the filling of a brief with values, which are hostile until they are checked."""

import datetime
import re
from decimal import Decimal, InvalidOperation
from typing import Any

from svc.base.errors import InvalidRequest
from svc.base.text import front_matter
from svc.base.text.text_rules import is_storable
from svc.domain.productions import briefs

TYPES = ("text", "markdown", "number", "date", "choice")
MOST_VARIABLES, MOST_CHOICES, LONGEST_VALUE = 50, 100, 4096
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}", re.ASCII)
FILLED = ("topic", "subjectOverride", "metadataMD", "externalId")  # the fields of a brief that may have variables

_LONGEST = {  # of what is triggered
    "topic": briefs.TOPIC.longest,
    "subjectOverride": briefs.SUBJECT.longest,
    "metadataMD": briefs.METADATA.longest,
    "externalId": briefs.EXTERNAL_ID.longest,
}
_PLACE = re.compile(r"\{\{[ \t]*([^{}\n]*?)[ \t]*\}\}")
_MARKDOWN = re.compile(r"([\\`*_{}<>#+\-.!|~$:&^=\"'])")
_BRACKETS = {"[": "&#91;", "]": "&#93;"}  # with a backslash they would begin a formula


def names_in(brief: dict[str, Any]) -> dict[str, list[str]]:
    """Return the variables that each field of a brief names."""
    return {field: [found[1] for found in _PLACE.finditer(brief.get(field) or "")] for field in FILLED}


def check_variables(variables: list[dict[str, Any]], brief: dict[str, Any]) -> None:
    """Check the variables of a template against its brief. InvalidRequest: names what is wrong with which."""
    wrong: dict[str, list[str]] = {}
    declared = [variable["name"] for variable in variables]
    for number, variable in enumerate(variables):
        if problem := _problem(variable, declared[:number]):
            wrong[f"variables[{number}]"] = [problem]
    for field, names in names_in(brief).items():
        longest, length = _LONGEST[field], len(brief.get(field) or "")
        if not names and length > longest:
            wrong[field] = [f"Without variables it may have {longest:,} characters; it has {length:,}."]
        unknown = [name for name in names if name not in declared]
        if unknown:
            wrong[field] = [f"{', '.join(unknown)[:200]} is not among the variables; declare it or remove it."]
    types = {variable["name"]: variable["type"] for variable in variables}
    for field, names in names_in(brief).items():
        if field != "metadataMD" and any(types.get(name) == "markdown" for name in names):
            wrong.setdefault(field, []).append("A variable of type markdown may be used in metadataMD only.")
    _raise(wrong)


def _problem(variable: dict[str, Any], earlier: list[str]) -> str | None:
    if not NAME.fullmatch(variable["name"]):
        return "A name begins with a letter and has at most 40 letters, digits and underscores."
    if variable["name"] in earlier:
        return f"There are two variables {variable['name']}."
    if (variable["type"] == "choice") != bool(variable["choices"]):
        return "A variable of type choice needs choices; others have none."
    for name in ("default", "example"):
        if variable[name] is not None and (problem := _unfit(variable, variable[name])):
            return f"{name}: {problem}"
    return None


def fill(brief: dict[str, Any], variables: list[dict[str, Any]], values: dict[str, str]) -> dict[str, Any]:
    """Return a brief with its variables replaced by ``values``, or by their defaults.

    In ``metadataMD`` a value is the text that it is, never markup, unless its variable is of type markdown; elsewhere it is one
    line. A value is not filled again. InvalidRequest: a value is missing, unknown, or does not fit its variable.
    """
    known = {variable["name"]: variable for variable in variables}
    wrong = {f"values.{name}": ["The template has no such variable."] for name in values if name not in known}
    used: dict[str, str] = {}
    for name, variable in known.items():
        value = values.get(name, variable["default"])
        if value is None or (value == "" and variable["required"]):
            if variable["required"]:
                wrong[f"values.{name}"] = ["This value is required."]
            value = ""
        elif value != "" and (problem := _unfit(variable, value)):
            wrong[f"values.{name}"] = [problem]
        used[name] = value
    _raise(wrong)
    filled = dict(brief)
    for field in FILLED:
        if brief.get(field):
            filled[field] = _filled(field, brief[field], known, used)
    return filled


def _filled(field: str, text: str, known: dict[str, dict[str, Any]], values: dict[str, str]) -> str:
    matter = _length_of_matter(text) if field == "metadataMD" else 0

    def value(found: re.Match[str]) -> str:
        raw, kind = values[found[1]], known[found[1]]["type"]
        if field != "metadataMD":
            return _one_line(raw)
        if kind == "markdown" and found.start() >= matter:
            return raw
        escaped = _MARKDOWN.sub(r"\\\1", _one_line(raw))
        return "".join(_BRACKETS.get(letter, letter) for letter in escaped)

    filled = _PLACE.sub(value, text)
    return _with_matter_of(text, filled) if field == "metadataMD" else filled


def _length_of_matter(text: str) -> int:
    """Return how many characters at the beginning are front matter."""
    return 0 if front_matter.split(text)[0] is None else len(text) - len(front_matter.split(text)[1])


def _with_matter_of(template: str, filled: str) -> str:
    """Return a filled text whose front matter is that of its template, and none if the template has none.

    Whatever comes to the very beginning, be it by an empty value before it or in two pieces. InvalidRequest: a value ends the
    template's front matter.
    """
    own, made = front_matter.split(template)[0], front_matter.split(filled)[0]
    if own is None:
        return filled if made is None else f"\n{filled}"
    if made is None or made.count("\n") != own.count("\n"):
        _raise({"metadataMD": ["With these values its front matter is no longer front matter, or ends earlier."]})
    return filled


def _unfit(variable: dict[str, Any], value: str) -> str | None:
    """Return what is wrong with a value; None: nothing."""
    if not is_storable(value):
        return "Must not contain control characters or lone surrogates."
    if len(value) > LONGEST_VALUE:
        return f"Must have at most {LONGEST_VALUE:,} characters."
    if variable["type"] == "number" and not _is_number(value):
        return "Must be a number such as 12.5."
    if variable["type"] == "date" and not _is_date(value):
        return "Must be a date such as 2026-11-20."
    if variable["type"] == "choice" and value not in variable["choices"]:
        return f"Must be one of {', '.join(variable['choices'])[:300]}."
    return None


def _is_number(value: str) -> bool:
    try:
        return value.isascii() and Decimal(value).is_finite() and len(value) <= 40
    except InvalidOperation:
        return False


def _is_date(value: str) -> bool:
    try:
        return len(value) == 10 and bool(datetime.date.fromisoformat(value))
    except ValueError:
        return False


def _one_line(value: str) -> str:
    return " ".join(value.split())


def _raise(wrong: dict[str, list[str]]) -> None:
    if wrong:
        raise InvalidRequest("; ".join(f"{name}: {texts[0]}" for name, texts in wrong.items()), fields=wrong)
