"""When a request is sent again, and after how long."""

from dataclasses import dataclass

import httpx

from partner_production.calls import Call
from partner_production.errors import ApiError, InvalidResponse

# What passes by itself: the first request with the same key, or another cancel, is still being
# answered. In seconds.
_PASSING = {"REQUEST_IN_PROGRESS": 1.0, "CANCEL_IN_PROGRESS": 5.0}
# What another try would not mend: an address or a header that cannot be sent, redirects without
# end.
_HOPELESS = (
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.InvalidURL,
    httpx.TooManyRedirects,
)


@dataclass(frozen=True)
class Retries:
    """The rules by which requests are sent again. A subclass may decide otherwise, also by the
    ``call``.

    No request does anything twice by being sent again: those by POST carry an ``Idempotency-Key``,
    the same at each try.

    Attributes:
        after_no_answer: The pauses before each further try when no answer came, in seconds; their
            number is that of the tries.
        after_server_error: The same for 5xx.
        when_told_to_wait: How often a request is sent again after an answer that says how long to
            wait.
        longest_wait: The longest wait that is waited for, in seconds. A day's limit, which asks for
            hours, raises RateLimited.
    """

    after_no_answer: tuple[float, ...] = (1, 2, 5, 10)
    after_server_error: tuple[float, ...] = (5, 30)
    when_told_to_wait: int = 10
    longest_wait: float = 120

    def after_error(self, error: Exception, call: Call, tries: int) -> float | None:
        """Return the pause after a request without an answer; None: do not send it again.

        ``tries``: made so far.
        """
        return None if isinstance(error, _HOPELESS) else _nth(self.after_no_answer, tries)

    def after_answer(self, failure: ApiError, call: Call, tries: int) -> float | None:
        """Return the pause after an answer other than 2xx; None: do not send the request again.

        ``tries``: made so far.
        """
        if isinstance(failure, InvalidResponse):
            return _nth(self.after_no_answer, tries) if failure.is_damaged else None
        if failure.code in _PASSING:
            return _PASSING[failure.code] if tries <= self.when_told_to_wait else None
        if failure.status in (429, 503) and failure.retry_after is not None:
            may_wait = tries <= self.when_told_to_wait and failure.retry_after <= self.longest_wait
            return failure.retry_after if may_wait else None
        if failure.status >= 500:
            return _nth(self.after_server_error, tries)
        return None


def _nth(pauses: tuple[float, ...], tries: int) -> float | None:
    return pauses[tries - 1] if tries <= len(pauses) else None
