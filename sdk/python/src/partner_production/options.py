"""What a caller may ask of a single call, beyond what the call says."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypedDict

from partner_production.responses import Response


class Cancel(Protocol):
    """A ``threading.Event`` or the like: once it is set, the call ends."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None, /) -> bool: ...


class AsyncCancel(Protocol):
    """An ``asyncio.Event``, an ``anyio.Event`` or the like: once it is set, the call ends."""

    def is_set(self) -> bool: ...

    def wait(self) -> Awaitable[object]: ...


class RequestOptions(TypedDict, total=False):
    """Options that every call takes as keyword arguments."""

    timeout: float
    """Seconds without a byte after which this request counts as lost; by default the client's."""
    headers: Mapping[str, str]
    """Headers to send besides; None of the client's own can be replaced."""
    cancel: Cancel
    """Ends the call with CallCancelled before its next request, and in the pauses between."""
    on_response: Callable[[Response], object]
    """Called with the status, headers and correlation id of each answer that is no error."""


class PostOptions(RequestOptions, total=False):
    """Options of a call by POST."""

    idempotency_key: str | None
    """Sent as ``Idempotency-Key``."""


class AsyncRequestOptions(TypedDict, total=False):
    """As RequestOptions, for the asynchronous client."""

    timeout: float
    headers: Mapping[str, str]
    cancel: AsyncCancel
    on_response: Callable[[Response], object]


class AsyncPostOptions(AsyncRequestOptions, total=False):
    """As PostOptions, for the asynchronous client."""

    idempotency_key: str | None
