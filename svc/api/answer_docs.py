"""The documentation of an operation, recorded next to its view; requests do not read it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from marshmallow import Schema
from werkzeug.wrappers import Response

View = TypeVar("View", bound=Callable[..., Response])


class Replays(Enum):
    """Who gets the first answer to an ``Idempotency-Key`` again;
    the value says when the key is refused.
    """

    PARTNER = "`IDEMPOTENCY_KEY_REUSED`: the key was used with another request."
    API_KEY = (
        "`IDEMPOTENCY_KEY_REUSED`: the key was used with another request, or by another API key."
    )


_IN_PROGRESS = (
    "`REQUEST_IN_PROGRESS`: the first request with this `Idempotency-Key` is still in progress."
)


@dataclass(frozen=True)
class Answers:
    """``successes``: status to schema and sentence.

    ``errors``: status to a text that names each code in backticks.
    """

    successes: dict[int, tuple[type[Schema] | None, str]]
    headers: tuple[str, ...]
    errors: dict[int, str]


def document_answers(
    status: int,
    schema: type[Schema] | None,
    description: str,
    *,
    headers: tuple[str, ...] = (),
    also: dict[int, str] | None = None,
    etag: bool = False,
    replays: Replays | None = None,
    **errors: str,
) -> Callable[[View], View]:
    """Document a view: its answer by ``schema``, and its errors besides those of all operations.

    ``headers``: names of :data:`svc.api.document.headers.HEADERS`. ``also``: other successes with
    the same schema. ``etag``: it answers ``If-None-Match``. ``replays``: it takes an
    ``Idempotency-Key``. ``errors``: ``e404="`NOT_FOUND`: …"``, the codes in backticks.
    """
    successes: dict[int, tuple[type[Schema] | None, str]] = {status: (schema, description)}
    successes |= {other: (schema, text) for other, text in (also or {}).items()}
    if etag:
        successes[304] = (None, "The version in `If-None-Match` is current; there is no body.")
        headers = (*headers, "ETag", "Cache-Control")
    if replays is not None:
        headers = (*headers, "Idempotent-Replayed")
        for error, text in (("e409", _IN_PROGRESS), ("e422", replays.value)):
            errors[error] = f"{errors[error]} {text}" if error in errors else text
    answers = Answers(
        successes, tuple(headers), {int(name[1:]): text for name, text in errors.items()}
    )

    def decorate(view: View) -> View:
        # functools.wraps copies it through all decorators above
        setattr(view, "answers", answers)  # noqa: B010
        return view

    return decorate
