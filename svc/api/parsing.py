"""Request bodies and query parameters: strict JSON, no unknown fields,
and errors in our envelope.
"""

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast

import flask_smorest
from flask import Request
from marshmallow import EXCLUDE, RAISE, Schema, ValidationError
from marshmallow.exceptions import SCHEMA
from webargs import flaskparser
from webargs.multidictproxy import MultiDictProxy
from werkzeug.routing import BaseConverter

from svc.api.answer_docs import View
from svc.api.context import current_request
from svc.base.errors import InvalidRequest, UnsupportedMediaType, quote_name

RESERVED = ("estimate",)  # names of resources that stand where others have an identifier
_DEEPEST = 32  # nested objects and arrays; no body of ours needs more than four
# The most values in one body. The largest batch has some 64,000, and reading more costs more than
# refusing them.
_MOST_VALUES = 100_000
_MOST_SMALL_VALUES = 10_000  # of one that is not a batch; the largest, a template, has some 6,000
_SMALL = 64 * 1024  # bytes of such a body, at most
# The most members of one object: to refuse unknown ones takes marshmallow a time that grows with
# their square.
_MOST_MEMBERS = 100
_NUMBER_LENGTH = 20  # characters; longer ones are attacks
_IN_OUR_WORDS = {  # what marshmallow says of a value of another type
    "Invalid input type.": "Must be an object.",
    "Not a valid mapping type.": "Must be an object.",
    "Not a valid list.": "Must be a list.",
}
_ONE_KIND_OF_BRACKET = bytes.maketrans(b"{}", b"[]")
_NOT_SHAPE = bytes(set(range(256)) - set(b"[]{},"))  # what says nothing of a body's shape


class OtherName(BaseConverter):
    """The converter ``other_name`` of paths: an identifier that is not one of RESERVED,
    so that `Allow` is right for those.
    """

    regex = rf"(?!(?:{'|'.join(RESERVED)})$)[^/]+"


class Parser(flaskparser.FlaskParser):
    """webargs' parser, which answers 400 instead of 422 and refuses input that breaks JSON
    libraries and databases.
    """

    DEFAULT_VALIDATION_STATUS = 400
    # The schemas decide for bodies: RAISE by default.
    DEFAULT_UNKNOWN_BY_LOCATION = {"query": RAISE, "headers": EXCLUDE}

    def parse(
        self, argmap: Any, req: Any = None, *, location: str | None = None, **options: Any
    ) -> Any:
        """Parse like webargs, but take the short way for bodies,
        and for queries and headers that were not sent.
        """
        req = req or current_request()
        if location == "json" or (location == "query" and not req.query_string):
            try:
                return argmap.load(self.load_json(req, argmap) if location == "json" else {})
            except ValidationError as bad:
                raise _make_refusal(bad.messages_dict) from bad
        if location == "headers":
            environ = req.environ
            if not any(name in environ for name in _headers(argmap)):
                return dict(_load_defaults(argmap))
        return super().parse(argmap, req, location=location, **options)

    def load_json(self, req: Request, schema: Schema) -> Any:
        raw = req.get_data()
        if raw and req.environ.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() not in (
            "identity",
            "",
        ):
            raise UnsupportedMediaType(
                "Send the body without Content-Encoding; compressed bodies are not supported."
            )
        if (
            raw
            and req.environ.get("CONTENT_TYPE") != "application/json"
            and req.mimetype != "application/json"
        ):
            raise UnsupportedMediaType()
        if not raw:
            if getattr(schema, "may_be_absent", False):
                return {}
            raise InvalidRequest("The body is missing; send a JSON object.")
        return read_json(raw)

    def load_querystring(self, req: Request, schema: Schema) -> MultiDictProxy:
        if len(req.args) > _MOST_MEMBERS:
            raise InvalidRequest(
                f"There are {len(req.args):,} query parameters; at most {_MOST_MEMBERS} are read."
            )
        for name in req.args:
            if len(req.args.getlist(name)) > 1 and name not in getattr(schema, "repeatable", ()):
                raise InvalidRequest(
                    f"{quote_name(name[:60])} was sent more than once.",
                    fields={name: ["Send it once."]},
                )
        return MultiDictProxy(req.args, schema)

    def handle_error(
        self,
        error: ValidationError,
        req: Request,
        schema: Schema,
        *,
        error_status_code: int | None,
        error_headers: Mapping[str, str] | None,
    ) -> NoReturn:
        # webargs puts them under "query" or "headers"
        [(location, fields)] = error.messages_dict.items()
        raise _make_refusal({location: fields} if isinstance(fields, list) else fields)


def load_object(schema: type[Schema], body: dict[str, Any]) -> Any:
    """Return what ``schema`` makes of an object that was not sent as a body.

    InvalidRequest: as if it had been.
    """
    try:
        return _instance(schema).load(body)
    except ValidationError as bad:
        raise _make_refusal(bad.messages_dict) from bad


@functools.lru_cache
def _instance(schema: type[Schema]) -> Schema:
    return schema()


def _make_refusal(messages_by_field: dict[str, Any]) -> InvalidRequest:
    """Return the error for marshmallow's messages by field."""
    messages_by_name: dict[str, list[str]] = {}
    for field, below in messages_by_field.items():
        for name, messages in _list_members(str(field), below):
            messages_by_name.setdefault(name, []).extend(_flatten_messages(messages))
    return InvalidRequest.from_fields(messages_by_name)


def _list_members(name: str, messages: Any) -> Iterator[tuple[str, Any]]:
    """Yield the messages of a field; those of a member of an object or of a list under its own
    name: ``values.price``, ``scenes[0].narration``.
    """
    if not isinstance(messages, dict):
        yield name, messages
        return
    if any(isinstance(each, int) for each in messages):
        for index, below in messages.items():
            if isinstance(below, dict):
                yield from _list_members(f"{name}[{index}]", below)
            else:
                yield name, {index: below}
        return
    for member, texts in messages.items():
        # marshmallow's, for entries of a Dict
        if member in ("key", "value") and set(messages) <= {"key", "value"}:
            yield name, texts
        else:
            yield from _list_members(name if member == SCHEMA else f"{name}.{member[:60]}", texts)


@functools.lru_cache
def _headers(schema: Schema) -> tuple[str, ...]:
    """Return the names of the headers of a schema, as WSGI has them."""
    return tuple(
        f"HTTP_{(field.data_key or name).upper().replace('-', '_')}"
        for name, field in schema.fields.items()
    )


@functools.lru_cache
def _load_defaults(schema: Schema) -> dict[str, Any]:
    defaults: dict[str, Any] = schema.load({})
    return defaults


def _flatten_messages(messages: Any) -> list[str]:
    """Flatten the messages of list entries, which marshmallow nests by index,
    and name each entry.
    """
    if isinstance(messages, dict):
        return [
            (
                f"{text.removesuffix('.')} (entry "
                f"{index + 1 if isinstance(index, int) else index[:60]})."
            )
            for index, texts in messages.items()
            for text in _flatten_messages(texts)
        ]
    return [_IN_OUR_WORDS.get(str(message), str(message)) for message in messages]


def read_json(raw: bytes) -> dict[str, Any]:
    """Return the object in a body.

    InvalidRequest: the body is not a JSON object, or contains values that no field may have.
    """
    try:
        text = _decode(raw)
        _check_shape(raw)
        body = _decoder.decode(text)
    except (ValueError, RecursionError) as bad:
        raise InvalidRequest(f"The body is not valid JSON: {str(bad)[:120]}.") from None
    if not isinstance(body, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return body


def _decode(raw: bytes) -> str:
    """ValueError: it is not UTF-8 without a byte order mark (RFC 8259, section 8.1)."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise ValueError(
            f"it is not in UTF-8, as byte {wrong.start + 1:,} (0x{raw[wrong.start]:02x}) shows"
        ) from None
    if text.startswith("\ufeff"):
        raise ValueError("it begins with a byte order mark; send UTF-8 without one")
    return text


def _check_shape(raw: bytes) -> None:
    """Check the depth of a body and the number of its values before any of them is made.
    ValueError, InvalidRequest.

    Each pass over the body is one call of a built-in: in a loop or a pattern, refusing costs more
    than reading.
    """
    most = _MOST_SMALL_VALUES if len(raw) <= _SMALL else _MOST_VALUES
    openings = raw.count(b"[") + raw.count(b"{")
    if openings <= _DEEPEST and openings + raw.count(b",") <= most:
        return
    unescaped = raw.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in raw else raw
    outside_strings = b"".join(unescaped.split(b'"')[::2])
    marks = outside_strings.translate(_ONE_KIND_OF_BRACKET, _NOT_SHAPE)
    if len(marks) - marks.count(b"]") > most:
        raise InvalidRequest(f"The body has more than {most:,} values; send fewer in one request.")
    brackets = marks.replace(b",", b"")
    brackets += b"]" * brackets.count(b"[")  # whether all are closed is for the decoder to say
    for _ in range(_DEEPEST):
        brackets = brackets.replace(b"[]", b"")  # the innermost level
    if b"[" in brackets:
        raise ValueError("it is nested too deeply")


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _reject_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if not pairs:
        return {}
    if len(pairs) > _MOST_MEMBERS:
        raise InvalidRequest(
            f"An object in the body has {len(pairs):,} fields; at most {_MOST_MEMBERS} are read."
        )
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {repeated[:60]!r} occurs twice")
    if not "".join(fields).isprintable():  # a lone surrogate could not be quoted in the answer
        unprintable = next(name for name in fields if not name.isprintable())
        raise ValueError(f"{unprintable[:60]!r} is not a valid field name")
    return fields


def _parse_int(digits: str) -> int:
    if len(digits) > _NUMBER_LENGTH:
        raise ValueError("a number is too large")
    return int(digits)


def _parse_float(digits: str) -> float:
    if len(digits) > 2 * _NUMBER_LENGTH:
        raise ValueError("a number has too many digits")
    return float(digits)


_decoder = json.JSONDecoder(
    parse_constant=_reject_constant,
    object_pairs_hook=_reject_repeats,
    parse_int=_parse_int,
    parse_float=_parse_float,
)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc] # which has no types
    """A blueprint whose arguments are read by :class:`Parser`."""

    ARGUMENTS_PARSER = Parser()

    if TYPE_CHECKING:

        def route(self, rule: str, **options: Any) -> Callable[[View], View]: ...

    def arguments(
        self, schema: type[Schema] | Schema, *, location: str = "json", **options: Any
    ) -> Callable[[View], View]:
        """Add arguments like flask-smorest, with one schema for all requests, as creating one
        copies all of its fields.

        flask-smorest documents them; they are read without its wrappers.
        """
        schema = schema() if isinstance(schema, type) else schema
        document: Callable[[View], View] = super().arguments(schema, location=location, **options)
        parse = self.ARGUMENTS_PARSER.parse

        def decorate(view: View) -> View:
            def with_arguments(*args: Any, **path: Any) -> Any:
                return view(*args, parse(schema, location=location), **path)

            return cast(View, functools.update_wrapper(with_arguments, document(view)))

        return decorate
