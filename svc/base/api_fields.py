"""Declares fields of the API beside the column, function or attribute that each belongs to;
schemas, views, forms, tools and the document are made of these declarations.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, get_args, get_type_hints

from svc.base import clock


class Kind(Enum):
    """What a value is in JSON. In a row a time is milliseconds, a flag 0 or 1, and a list of
    identifiers a JSON text or None. Objects have a schema of their own in ``svc.api.schemas``."""

    TEXT = "text"
    IDENTIFIER = "identifier"  # a UUID
    COUNT = "count"
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"
    IDENTIFIERS = "identifiers"
    OBJECTS = "objects"


_CONVERTERS: dict[Kind, Callable[[Any], Any]] = {
    Kind.FLAG: bool,
    Kind.TIME: clock.format_time,
    Kind.IDENTIFIERS: lambda text: json.loads(text) if text else [],
}


@dataclass(frozen=True)
class Shown:
    """How the API shows a value.

    ``name``: the name of the field. ``one_of``: its possible values, if they are words. ``more``:
    further keywords of its JSON Schema, such as ``example`` and ``maximum``.
    """

    name: str
    kind: Kind
    description: str
    one_of: tuple[str, ...]
    more: dict[str, Any]

    @property
    def convert(self) -> Callable[[Any], Any] | None:
        """The function that converts a value of a row to JSON; None: it stays as it is."""
        return _CONVERTERS.get(self.kind)


def shown(
    name: str, kind: Kind, description: str, *, one_of: tuple[str, ...] = (), **keywords: Any
) -> Shown:
    """Return how the API shows a value, as :class:`Shown` takes it."""
    return Shown(name, kind, description, one_of, keywords)


class TextRule(NamedTuple):
    """The permitted length of a text in characters, and whether surrounding white space is trimmed
    before counting.

    The permitted characters are defined in :mod:`svc.base.text.text_rules`.
    """

    shortest: int
    longest: int
    trim: bool


@dataclass(frozen=True)
class Option:
    """A field that a brief may leave out.

    ``rule``: the words to choose from, or the rule of a text. ``label``: its name in forms.
    ``unset``: what forms show where it is left out.
    """

    name: str
    rule: tuple[str, ...] | TextRule
    description: str
    label: str
    unset: str
    example: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words to choose from; empty if the option is a text."""
        return () if isinstance(self.rule, TextRule) else self.rule


def list_options(brief: type) -> dict[str, Option]:
    """Return the options of a dataclass, by their attributes: those that it annotates with an
    :class:`Option`."""
    return {
        attribute: each
        for attribute, hint in get_type_hints(brief, include_extras=True).items()
        for each in getattr(hint, "__metadata__", ())
        if isinstance(each, Option)
    }


def list_shown_columns(row: type) -> dict[str, tuple[Shown, bool]]:
    """Return by column how the API shows it, and whether its field can be null.

    ``row``: a TypedDict or a NamedTuple, which annotates these columns with a :class:`Shown`.
    """
    columns = {}
    for column, hint in get_type_hints(row, include_extras=True).items():
        for each in getattr(hint, "__metadata__", ()):
            if isinstance(each, Shown):
                is_list = each.kind is Kind.IDENTIFIERS  # an empty one for None
                columns[column] = each, is_nullable(hint.__origin__) and not is_list
    return columns


def is_nullable(hint: Any) -> bool:
    """Return whether values of a type can be None."""
    return type(None) in get_args(hint)
