"""The errors that the SDK raises: all of them are a :class:`PartnerProductionError`."""

import json
from collections.abc import Mapping
from typing import Any

from partner_production.models import ProductionWithSteps


class PartnerProductionError(Exception):
    """What every error of this package is."""


class ConnectionFailed(PartnerProductionError):
    """No answer came, although the request was sent again as often as is allowed."""


class ApiError(PartnerProductionError):
    """The API refused a request, or could not answer it.

    Attributes:
        status: The HTTP status.
        code: The error code of the API, such as ``INVALID_REQUEST``; ``HTTP_502`` and so on if the answer was not the API's.
        message: What was wrong, and what would be right.
        fields: On validation errors the messages by field.
        retry_after: The seconds to wait before the next try, where the API says it.
        correlation_id: What to quote to support.
    """

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes):
        envelope = _envelope(content)
        self.status = status
        self.code = str(envelope.get("error") or f"HTTP_{status}")
        self.message = str(envelope.get("message") or content[:200].decode("utf-8", "replace") or "The answer is empty.")
        self.fields: dict[str, list[str]] = envelope.get("fields") or {}
        self.retry_after = _seconds(envelope.get("retryAfterSeconds"), headers.get("retry-after"))
        self.correlation_id: str | None = envelope.get("correlationId") or headers.get("x-correlation-id")
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        fields = "".join(f" {name}: {' '.join(messages)}" for name, messages in self.fields.items())
        return f"{self.status} {self.code}: {self.message}{fields}"


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
    """The requests of the minute or of the day are used up (429): wait for ``retry_after`` seconds."""


class Unavailable(ApiError):
    """The service cannot answer now (5xx)."""


class ProductionEnded(PartnerProductionError):
    """A production has ended without being published.

    Attributes:
        production: The production as it is now.
    """

    def __init__(self, production: ProductionWithSteps):
        self.production = production
        super().__init__(f"production {production['productionId']} is {production['status']}{_reason(production)}")


class ProductionFailed(ProductionEnded):
    """The production has failed: ``code`` and ``message`` say why."""

    def __init__(self, production: ProductionWithSteps):
        super().__init__(production)
        self.code, self.message = production["errorCode"], production["errorMessage"]


class ProductionCancelled(ProductionEnded):
    """The production was cancelled."""


class WaitTimedOut(PartnerProductionError):
    """The production was not published within the time given; it goes on."""


class InvalidSignature(PartnerProductionError):
    """A webhook is not signed with the secret, or too old: answer 4xx and do not process it."""


class HashMismatch(PartnerProductionError):
    """A downloaded file is not the one that the API describes; nothing was kept."""


_KINDS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
}


def of_answer(status: int, headers: Mapping[str, str], content: bytes) -> ApiError:
    """Return the error that an answer other than 2xx stands for."""
    kind = _KINDS.get(status) or (Unavailable if status >= 500 else InvalidRequest if status >= 400 else ApiError)
    return kind(status, headers, content)


def _envelope(content: bytes) -> dict[str, Any]:
    try:
        read = json.loads(content)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _seconds(*given: object) -> float | None:
    for each in given:
        if isinstance(each, int | float) or (isinstance(each, str) and each.isdecimal()):
            return float(each)
    return None


def _reason(production: ProductionWithSteps) -> str:
    return f" ({production['errorCode']}): {production['errorMessage']}" if production["errorCode"] else ""
