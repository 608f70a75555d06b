"""The errors that the SDK raises: all of them are a :class:`PartnerProductionError`."""

import json
import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Literal

from partner_production.models import Batch, Deliverable, ProductionWithSteps

_LONGEST = 1000  # characters of a message: a batch of 1,000 briefs may be refused for 1,000 reasons
_EXCERPT = 200  # characters of an answer that is not the API's
_HOLDS = {
    "ScriptReview": "its script waits for approval",
    "Translation": "its brief waits for a translation",
    "AwaitingApproval": "it waits for its release",
}


class PartnerProductionError(Exception):
    """What every error of this package is. It can be copied, and pickled for another process.

    Attributes:
        production: The production that it is about, as it was when it was last read; None if none
            had been.
    """

    production: ProductionWithSteps | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception's own would call __init__ with the message, which is not what most classes here
        # take.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[PartnerProductionError], arguments: tuple[Any, ...], state: dict[str, Any]
) -> PartnerProductionError:
    """Return a copy of an error, as pickle and copy make it."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class ConnectionFailed(PartnerProductionError):
    """No answer came, although the request was sent again as often as is allowed;
    ``__cause__`` says why.
    """


class CallCancelled(PartnerProductionError):
    """The event that was given as ``cancel`` has been set."""


class ApiError(PartnerProductionError):
    """The API refused a request, or could not answer it.

    Attributes:
        status: The HTTP status.
        code: The error code of the API, such as ``INVALID_REQUEST``; ``HTTP_502`` and so on if the
            answer was not the API's.
        message: What was wrong, and what would be right; at most 1,000 characters, as the error's
            own text.
        fields: On validation errors the messages by field.
        retry_after: The seconds to wait before the next try, where the API says it.
        correlation_id: What to quote to support.
        headers: Those of the answer, with their names in lower case.
    """

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes):
        envelope = _envelope(content)
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.code = _text(envelope.get("error")) or f"HTTP_{status}"
        said = _text(envelope.get("message")) or excerpt(content) or "The answer is empty."
        self.message = _capped(said)
        self.fields = _messages(envelope.get("fields"))
        self.retry_after = _seconds(envelope.get("retryAfterSeconds"), self.headers)
        self.correlation_id: str | None = _text(envelope.get("correlationId")) or self.headers.get(
            "x-correlation-id"
        )
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        named = [f"{name}: {' '.join(texts)}" for name, texts in self.fields.items()]
        # each is said once
        also = "".join(f" {each}" for each in named if each not in self.message)
        return _capped(f"{self.status} {self.code}: {self.message}{also}")


class InvalidResponse(ApiError):
    """What came with a 2xx status is no answer of the API: HTML, JSON that was cut, or of another
    shape.

    Attributes:
        is_damaged: Whether it was JSON or compressed, and was damaged on its way: then the request
            is sent again, if that cannot do anything twice.
    """

    def __init__(
        self, status: int, headers: Mapping[str, str], reason: str, *, is_damaged: bool = False
    ):
        super().__init__(status, headers, b"")
        self.code, self.message, self.is_damaged = "INVALID_RESPONSE", _capped(reason), is_damaged
        self.args = (self._sentence(),)


class InvalidRequest(ApiError):
    """The request itself is wrong (400, 405, 413, 415, 422): sending it again does not help."""


class Unauthorized(ApiError):
    """The key is missing, wrong or revoked (401)."""


class Forbidden(ApiError):
    """The key or the account may not do this (403), or a download link has expired."""


class NotFound(ApiError):
    """There is no such thing, or the key may not see it (404)."""


class Conflict(ApiError):
    """The state of something does not allow it (409); ``code`` says which rule."""


class RateLimited(ApiError):
    """The requests of the minute or of the day are used up (429):
    wait for ``retry_after`` seconds.
    """


class Unavailable(ApiError):
    """The service cannot answer now (5xx)."""


class ProductionEnded(PartnerProductionError):
    """A production has ended without being published.

    Attributes:
        production: The production as it is now.
    """

    production: ProductionWithSteps

    def __init__(self, production: ProductionWithSteps):
        self.production = production
        status = f"production {production.get('productionId')} is {production.get('status')}"
        super().__init__(_capped(status + _reason(production)))


class ProductionFailed(ProductionEnded):
    """The production has failed: ``code`` and ``message`` say why."""

    def __init__(self, production: ProductionWithSteps):
        super().__init__(production)
        self.code, self.message = production.get("errorCode"), production.get("errorMessage")


class ProductionCancelled(ProductionEnded):
    """The production was cancelled."""


class WaitTimedOut(PartnerProductionError):
    """What was waited for has not come within the time given; it goes on.

    Attributes:
        production: The production as it was last read; None if a batch was waited for.
        batch: The batch as it was last read; None if a production was waited for.
    """

    batch: Batch | None = None


class InvalidSignature(PartnerProductionError):
    """A webhook is not signed with the secret, or too old: answer 4xx and do not process it.

    Attributes:
        reason: ``missing``: a header of the signature is not there. ``mismatch``: it was not made
            with this secret over these bytes. ``too_old``, ``too_new``: the time of sending is not
            of these minutes. ``parsed_body``: the body was given as an object, not as its raw
            bytes. ``not_json``: the body is signed, but no JSON object.
    """

    def __init__(self, message: str, reason: "SignatureProblem" = "mismatch"):
        super().__init__(message)
        self.reason: SignatureProblem = reason


SignatureProblem = Literal["missing", "mismatch", "too_old", "too_new", "parsed_body", "not_json"]


class HashMismatch(PartnerProductionError):
    """A downloaded file is not the one that the API describes; nothing was kept.

    Attributes:
        deliverable: The file, as the API describes it.
    """

    deliverable: Deliverable | None = None


_KINDS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
}


def of_answer(status: int, headers: Mapping[str, str], content: bytes) -> ApiError:
    """Return the error that an answer other than 2xx stands for."""
    kind = _KINDS.get(status) or (
        Unavailable if status >= 500 else InvalidRequest if status >= 400 else ApiError
    )
    return kind(status, headers, content)


def waited_for_production(production: ProductionWithSteps, seconds: float) -> WaitTimedOut:
    """Return the error of a wait that is over: it says why the production waits, where it does."""
    why = hold_of(production)
    told = f" ({why}: {_HOLDS.get(why, 'it is held')})" if why else ""
    error = WaitTimedOut(
        f"production {production['productionId']} is {production['status']}{told} after "
        f"{seconds:g} seconds"
    )
    error.production = production
    return error


def waited_for_batch(batch: Batch, seconds: float) -> WaitTimedOut:
    """Return the error of a wait that is over: it says what the batch's productions do."""
    counts = ", ".join(f"{number} {state}" for state, number in batch["counts"].items() if number)
    error = WaitTimedOut(
        f"batch {batch['batchId']} is {batch['status']} ({counts}) after {seconds:g} seconds"
    )
    error.batch = batch
    return error


def hold_of(production: ProductionWithSteps) -> str | None:
    """Return why a production waits for somebody: its ``holdReason``, or ``AwaitingApproval``;
    None: it does not.
    """
    if production["status"] == "AwaitingApproval":
        return "AwaitingApproval"
    return production.get("holdReason")


def excerpt(content: bytes) -> str:
    """Return the beginning of an answer as one line of text."""
    text = content[: 4 * _EXCERPT].decode("utf-8", "replace")
    line = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(line.split())[:_EXCERPT]


def _envelope(content: bytes) -> dict[str, Any]:
    try:
        read = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _text(given: object) -> str | None:
    return given if isinstance(given, str) and given else None


def _messages(given: object) -> dict[str, list[str]]:
    """Return the messages by field, whatever a server has put there."""
    if not isinstance(given, dict):
        return {}
    lists = {name: each if isinstance(each, list) else [each] for name, each in given.items()}
    return {name: [str(each) for each in texts] for name, texts in lists.items()}


def _seconds(told: object, headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait: of the body, or of ``Retry-After``,
    which may be a date (RFC 9110, section 10.2.3).
    """
    if isinstance(told, int | float) and not isinstance(told, bool):
        return float(told) if 0 <= told < math.inf and told < 1e9 else None
    header = headers.get("retry-after", "").strip()
    if header.isascii() and header.isdecimal():
        return float(header[:9]) if len(header) <= 9 else None
    at = _moment(header)
    if at is None:
        return None
    now = _moment(headers.get("date", ""))  # the server's own, so that the clocks need not agree
    return max(0.0, at - (time() if now is None else now))


def _moment(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def _capped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _reason(production: ProductionWithSteps) -> str:
    code = production.get("errorCode")
    return f" ({code}): {production.get('errorMessage')}" if code else ""
