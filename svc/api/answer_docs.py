"""The documentation of an operation, recorded next to its view; requests do not read it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from marshmallow import Schema
from werkzeug.wrappers import Response

View = TypeVar("View", bound=Callable[..., Response])


@dataclass(frozen=True)
class Answers:
    """``successes``: status to schema and sentence. ``errors``: status to a text that names each code in backticks."""

    successes: dict[int, tuple[type[Schema] | None, str]]
    headers: tuple[str, ...]
    errors: dict[int, str]


def answers(
    status: int, schema: type[Schema] | None, description: str, *, headers: tuple[str, ...] = (),
    also: dict[int, str] | None = None, etag: bool = False, **errors: str,
) -> Callable[[View], View]:  # fmt: skip
    """Document a view: its answer by ``schema``, and its errors besides those of all operations.

    ``headers``: names of :data:`svc.api.document.headers.HEADERS`. ``also``: other successes with the same schema.
    ``etag``: it answers ``If-None-Match``. ``errors``: ``e404="`NOT_FOUND`: …"``, the codes in backticks.
    """
    successes: dict[int, tuple[type[Schema] | None, str]] = {status: (schema, description)}
    successes |= {other: (schema, text) for other, text in (also or {}).items()}
    if etag:
        successes[304] = (None, "The version in `If-None-Match` is current; there is no body.")
        headers = (*headers, "ETag", "Cache-Control")
    recorded = Answers(successes, tuple(headers), {int(name[1:]): text for name, text in errors.items()})

    def decorate(view: View) -> View:
        setattr(view, "answers", recorded)  # noqa: B010 - functools.wraps copies it through all decorators above
        return view

    return decorate
