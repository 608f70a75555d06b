"""What the two halves of the SDK do differently: sleep, and call back."""

import inspect
import time
from collections.abc import Awaitable, Callable

import anyio

from partner_production.models import Event

OnEvent = Callable[[Event], object]
AsyncOnEvent = Callable[[Event], object | Awaitable[object]]


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


async def async_sleep(seconds: float) -> None:
    """Wait, and let others work meanwhile."""
    await anyio.sleep(seconds)


def tell(on_event: OnEvent | None, event: Event) -> None:
    """Call back with an event, if anybody asked for it."""
    if on_event is not None:
        on_event(event)


async def async_tell(on_event: AsyncOnEvent | None, event: Event) -> None:
    """Call back with an event, if anybody asked for it; a coroutine is awaited."""
    result = None if on_event is None else on_event(event)
    if inspect.isawaitable(result):
        await result
