"""What the two halves of the SDK do differently: sleep, stop when asked, and call back."""

import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TypeVar

import anyio

from partner_production.errors import CallCancelled
from partner_production.models import Batch, Event, ProductionWithSteps
from partner_production.options import AsyncCancel, Cancel

T = TypeVar("T")
OnEvent = Callable[[Event], object]
AsyncOnEvent = Callable[[Event], object | Awaitable[object]]
OnHold = Callable[[ProductionWithSteps], object]
AsyncOnHold = Callable[[ProductionWithSteps], object | Awaitable[object]]
OnBatch = Callable[[Batch], object]
AsyncOnBatch = Callable[[Batch], object | Awaitable[object]]
_HELD = 30  # seconds that the service holds a request for events
# seconds, where the caller may ask to stop, and nothing ends a request that is under way
_HELD_BRIEFLY = 5


def sleep(seconds: float, cancel: Cancel | None = None) -> None:
    """Wait. CallCancelled."""
    if cancel is None:
        time.sleep(seconds)
    elif cancel.wait(seconds):
        raise CallCancelled("cancelled")


async def async_sleep(seconds: float, cancel: AsyncCancel | None = None) -> None:
    """Wait, and let others work meanwhile. CallCancelled."""
    await async_unless(cancel, lambda: anyio.sleep(seconds))


def unless(cancel: Cancel | None, work: Callable[[], T]) -> T:
    """Do something, unless the caller has asked to stop: CallCancelled."""
    if cancel is not None and cancel.is_set():
        raise CallCancelled("cancelled")
    return work()


async def async_unless(cancel: AsyncCancel | None, work: Callable[[], Awaitable[T]]) -> T:
    """Do something, until it is done or the caller asks to stop: CallCancelled."""
    if cancel is None:
        return await work()
    if not inspect.iscoroutinefunction(cancel.wait):  # it would hold up everybody else
        raise TypeError(
            "the asynchronous client takes an asyncio.Event or an anyio.Event as cancel"
        )
    if cancel.is_set():
        raise CallCancelled("cancelled")
    results: list[T] = []
    failures: list[Exception] = []

    async def watch() -> None:
        await cancel.wait()
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        try:
            results.append(await work())
        except Exception as failure:
            # raised below: a task group would raise it within a group of errors
            failures.append(failure)
        group.cancel_scope.cancel()
    if failures:
        raise failures[0]
    if not results:
        raise CallCancelled("cancelled")
    return results[0]


def next_piece(pieces: Iterator[T]) -> T | None:
    """Return the next piece; None: there is no further one."""
    return next(pieces, None)


async def async_next_piece(pieces: AsyncIterator[T]) -> T | None:
    """Return the next piece; None: there is no further one."""
    return await anext(pieces, None)


def longest_hold(cancel: Cancel | None) -> int:
    """Return how many seconds the service may hold a request for events."""
    return _HELD if cancel is None else _HELD_BRIEFLY


def async_longest_hold(cancel: AsyncCancel | None) -> int:
    """Return the same, where a request ends as soon as the caller asks to stop."""
    return _HELD


def tell(call_back: Callable[[T], object] | None, told: T) -> None:
    """Call back with something, if anybody asked for it."""
    if call_back is not None:
        call_back(told)


async def async_tell(call_back: Callable[[T], object | Awaitable[object]] | None, told: T) -> None:
    """Call back with something, if anybody asked for it; a coroutine is awaited."""
    result = None if call_back is None else call_back(told)
    if inspect.isawaitable(result):
        await result
