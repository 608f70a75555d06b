"""Fields of requests, stricter than marshmallow's own and with messages that name valid values;
fields of responses.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import request
from marshmallow import Schema, ValidationError, fields, validate

from svc.base import clock, ids, key_texts
from svc.base.api_fields import Kind, Option, Shown, TextRule
from svc.base.errors import InvalidDateFormat, InvalidRequest, ServiceError
from svc.base.text.text_rules import CONTROLS, INVISIBLE, is_blank, is_storable
from svc.domain import paging

_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_STORABLE = rf"^[^{CONTROLS}]*$"
# A text of which at least one character can be seen.
_VISIBLE = rf"^[^{CONTROLS}]*[^\s\u0085{CONTROLS}{INVISIBLE}][^{CONTROLS}]*$"


class _SelfChecked(fields.String):
    """A string that checks itself in ``_deserialize``, so that a string need not take marshmallow's
    way.

    ``_own_validators``: how many validators repeat what it checks, as they document it.
    """

    _own_validators = 0

    def deserialize(
        self,
        value: Any,
        attr: str | None = None,
        data: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        if isinstance(value, str) and len(self.validators) == self._own_validators:
            return self._deserialize(value, attr, data, **kwargs)
        return super().deserialize(value, attr, data, **kwargs)


class Text(_SelfChecked):
    """A string of storable characters: no lone surrogates, no control characters
    except white space. An API key is not stored either.
    """

    _own_validators = 1

    def __init__(self, *, longest: int, shortest: int = 0, trim: bool = False, **options: Any):
        super().__init__(**options)
        self.longest, self.shortest, self.trim = longest, shortest, trim
        self.validate_length = validate.Length(shortest, longest)
        self.validators.append(self.validate_length)  # also documents minLength and maxLength
        self.metadata = {"pattern": _VISIBLE if trim and shortest else _STORABLE, **self.metadata}

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if not isinstance(value, str):
            raise ValidationError("Must be a string.")
        if not is_storable(value):
            raise ValidationError("Must not contain control characters or lone surrogates.")
        if key_texts.holds_key(value):
            raise ValidationError(key_texts.REFUSAL)
        value = value.strip() if self.trim else value
        if not self.shortest <= len(value) <= self.longest:
            least = f"{self.shortest} to" if self.shortest else "at most"
            raise ValidationError(
                f"Must be {least} {self.longest} characters long; this is {len(value)}."
            )
        if self.trim and self.shortest and is_blank(value):
            raise ValidationError("Must have a character that can be seen.")
        return value


class TextOrNumber(Text):
    """A string, or a JSON number, which stays a number; the user of the value decides whether it
    may be one.
    """

    def __init__(self, **options: Any):
        super().__init__(**options)
        self.metadata = {"type": ["string", "number"], **self.metadata}

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return value
        if not isinstance(value, str):
            raise ValidationError("Must be a string or a number.")
        return super()._deserialize(value, attr, data, **kwargs)

    def _validate(self, value: Any) -> None:
        if isinstance(value, str):  # a number has no length
            super()._validate(value)


class Id(_SelfChecked):
    """A UUID in its canonical form, converted to lower case.

    ``otherwise``: what else would be right, for who sent no UUID.
    """

    def __init__(self, otherwise: str = "", **options: Any):
        super().__init__(**options)
        self.otherwise = otherwise
        self.metadata = {"format": "uuid", **self.metadata}

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        canonical = ids.normalise(value) if isinstance(value, str) else None
        if canonical is None:
            message = "Must be a UUID such as 0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f."
            raise ValidationError(f"{message} {self.otherwise}".rstrip())
        return canonical


class Code(fields.String):
    """The code of a language or a country, which becomes its identifier.

    ``identified``: finds that, or raises ValueError with what would be right.
    """

    def __init__(self, identified: Callable[[str], str], pattern: str, **options: Any):
        super().__init__(**options)
        self.identified = identified
        self.metadata = {"pattern": pattern, **self.metadata}

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if not isinstance(value, str):
            raise ValidationError("Must be a string.")
        try:
            return self.identified(value)
        except ValueError as unknown:
            raise ValidationError(str(unknown)) from None


class Instant(fields.String):
    """An ISO 8601 datetime, parsed to milliseconds since 1970 UTC.

    InvalidDateFormat: it is none, whatever the operation.
    """

    def __init__(self, **options: Any):
        super().__init__(**options)
        self.metadata = {"format": "date-time", "example": "2026-11-20T09:30:00Z", **self.metadata}

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        try:
            if not isinstance(value, str):
                raise ValueError(
                    "it must be a string, an ISO 8601 datetime such as 2026-11-20T09:30:00Z"
                )
            at = clock.parse(value)
        except (ValueError, OverflowError) as bad:
            raise InvalidDateFormat.from_fields({str(self.data_key or attr): [f"{bad}."]}) from None
        return at


class Whole(fields.Integer):
    """An integer in a query. ``refusal``: the error class for invalid values."""

    def __init__(
        self, low: int, high: int, *, refusal: type[ServiceError] = InvalidRequest, **options: Any
    ):
        super().__init__(validate=validate.Range(low, high), **options)
        self.low, self.high, self.refusal = low, high, refusal

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if not (
            isinstance(value, str)
            and _WHOLE.fullmatch(value)
            and self.low <= int(value) <= self.high
        ):
            name = self.data_key or attr
            message = f"{name} must be a whole number from {self.low} to {self.high}."
            raise self.refusal(message, fields={str(name): [message]})
        return int(value)


class WholeNumber(fields.Integer):
    """An integer in JSON: 24.0 is valid, true is not."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if type(value) is float and value.is_integer():
            return int(value)
        if type(value) is not int:
            raise ValidationError("Must be a whole number.")
        return value


class OneOf(fields.String):
    """One of several words. ``refusal``: the error class for other values."""

    def __init__(self, *allowed: str, refusal: type[ServiceError] = InvalidRequest, **options: Any):
        super().__init__(validate=validate.OneOf(allowed), **options)
        self.allowed, self.refusal = allowed, refusal

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if value not in self.allowed:
            # self.name: of the list that contains this field
            name = self.data_key or attr or self.name
            message = f"{name} must be one of {', '.join(self.allowed)}."
            raise self.refusal(message, fields={str(name): [message]})
        return value


class Flag(fields.Boolean):
    """True or false in a request, without marshmallow's other spellings."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if not isinstance(value, bool):
            raise ValidationError("Must be true or false.")
        return value


class List(fields.List[Any]):
    """An array of ``fewest`` to ``most`` entries, which are counted before one is read."""

    def __init__(self, entry: "fields.Field[Any]", *, most: int, fewest: int = 0, **options: Any):
        super().__init__(entry, **options)
        self.most, self.fewest = most, fewest
        self.metadata = {
            "maxItems": most,
            **({"minItems": fewest} if fewest else {}),
            **self.metadata,
        }

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if isinstance(value, list):  # not the characters of a text, or the fields of an object
            _check_number(len(value), self.fewest, self.most)
        return super()._deserialize(value, attr, data, **kwargs)


class Dict(fields.Dict):
    """An object of at most ``most`` members, whose names are not known.

    They are counted before one is read.
    """

    def __init__(self, *, most: int, **options: Any):
        super().__init__(**options)
        self.most = most
        self.metadata = {"maxProperties": most, **self.metadata}

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if isinstance(value, Mapping):
            _check_number(len(value), 0, self.most)
        # marshmallow's has no types
        return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]


def _check_number(number: int, fewest: int, most: int) -> None:
    if not fewest <= number <= most:
        least = f"{fewest} to" if fewest else "at most"
        raise ValidationError(f"Must have {least} {most:,} entries; this has {number:,}.")


class Cursor(fields.String):
    """The ``nextCursor`` of an earlier page, decoded to (created, id)."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        return paging.decode(value, find_list_name())


def find_list_name() -> str:
    """Return the name of the requested list, to which its cursors are bound.

    Equivalent paths have the same name.
    """
    name = (request.endpoint or "").rpartition(".")[2].replace("_partner_", "_")
    return " ".join([name, *(request.view_args or {}).values()]).lower()


def time(*, nullable: bool = False, data_key: str | None = None, **metadata: Any) -> fields.String:
    """Return a field for a time in a response."""
    with_format = {"format": "date-time", "example": "2026-11-20T09:30:00.000Z", **metadata}
    return fields.String(allow_none=nullable, data_key=data_key, metadata=with_format)


def identifier(*, nullable: bool = False, **metadata: Any) -> fields.String:
    """Return a field for a UUID in a response."""
    return fields.String(allow_none=nullable, metadata={"format": "uuid", **metadata})


def text(*, nullable: bool = False, one_of: tuple[str, ...] = (), **metadata: Any) -> fields.String:
    """Return a field for a string in a response. ``one_of``: its possible values."""
    return fields.String(
        allow_none=nullable, validate=validate.OneOf(one_of) if one_of else None, metadata=metadata
    )


def count(*, nullable: bool = False, **metadata: Any) -> fields.Integer:
    """Return a field for an integer in a response."""
    return fields.Integer(strict=True, allow_none=nullable, metadata={"minimum": 0, **metadata})


def number(*, nullable: bool = False, **metadata: Any) -> fields.Float:
    """Return a field for a number in a response."""
    return fields.Float(allow_none=nullable, metadata={"minimum": 0, **metadata})


def flag(**metadata: Any) -> fields.Boolean:
    """Return a field for a boolean in a response."""
    return fields.Boolean(metadata=metadata)


def make_response_field(
    shown: Shown, *, is_nullable: bool, schemas: Mapping[str, type[Schema]]
) -> "fields.Field[Any]":
    """Return the field for a value in a response that is declared as :class:`Shown`.

    ``schemas``: of the objects in a list, by the name of its field.
    """
    metadata = {"description": shown.description, **shown.more}
    match shown.kind:
        case Kind.TEXT:
            return text(nullable=is_nullable, one_of=shown.one_of, **metadata)
        case Kind.IDENTIFIER:
            return identifier(nullable=is_nullable, **metadata)
        case Kind.COUNT:
            return count(nullable=is_nullable, **metadata)
        case Kind.NUMBER:
            return number(nullable=is_nullable, **metadata)
        case Kind.FLAG:
            return flag(**metadata)
        case Kind.TIME:
            return time(nullable=is_nullable, **metadata)
        case Kind.IDENTIFIERS:
            return fields.List(identifier(), metadata=metadata)
        case Kind.OBJECTS:
            return fields.List(fields.Nested(schemas[shown.name]), metadata=metadata)


def make_option_field(option: Option, **metadata: Any) -> fields.String:
    """Return the field for an option of a brief. ``metadata``: description and example."""
    options: dict[str, Any] = {"load_default": None, "allow_none": True, "metadata": metadata}
    if isinstance(option.rule, TextRule):
        return Text(**option.rule._asdict(), **options)
    return OneOf(*option.rule, **options)
