"""The one allocator of a serving process's threads: nobody holds more than half of them.

A partner, with its API keys and the people of its console, is one owner; a session of the console that belongs to no partner is
another. What counts is every request that is being handled, also one that waits for events or for a host name, and all work
that goes on beside requests on an owner's behalf: a look-up that nobody waits for any more, a try of a connection, a preview.
"""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from svc.base.errors import RateLimitExceeded, ServiceUnavailable

AGAIN_SECONDS = 1  # after which a refused request is sent again
ASIDE_AGAIN_SECONDS = 5  # the same if it was refused because of work beside requests, which takes longer
_MOST_SIGNS = 10_000  # of callers that are remembered
_MOST_REFUSED = 20  # requests of an owner in one span that are refused at once; others wait for its end
_REFUSALS_SPAN = 1.0  # seconds
_ASIDE_OF_EACH_THREAD = 4  # work of all owners beside requests, for each thread of the server


def sign(value: bytes) -> str:
    """Return what stands for an API key or a session's cookie, which is not kept itself."""
    return hashlib.blake2s(value, digest_size=16).hexdigest()


class Request:
    """A request in a thread of the server, and the owner that it was charged to."""

    def __init__(self, shares: "ThreadShares") -> None:
        self._shares = shares
        self.owner: str | None = None

    def end(self) -> None:
        """Give the thread back. It may be called twice."""
        owner, self.owner = self.owner, None
        if owner is not None:
            self._shares.release(owner)


class Aside:
    """Work beside requests. While a request waits for it, the two count once: as the request."""

    def __init__(self, shares: "ThreadShares", owner: str) -> None:
        self._shares, self._owner = shares, owner
        self._is_charged = self._has_ended = False
        self._lock = threading.Lock()

    def leave(self) -> None:
        """Count it by itself from now on, as no request waits for it."""
        with self._lock:
            if not self._has_ended and not self._is_charged:
                self._is_charged = True
                self._shares.charge(self._owner)

    def end(self) -> None:
        """Count it no longer. It may be called twice."""
        with self._lock:
            if not self._has_ended:
                self._has_ended = True
                self._shares.end_aside(self._owner, self._is_charged)


class ThreadShares:
    """Who holds the threads of this process. Thread-safe."""

    def __init__(self, threads: int = 8):
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()  # requests, and the work beside them that no request waits for
        self._aside: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()  # requests that wait
        self._owners: dict[str, str] = {}  # by the sign of a request
        self._refusals: dict[str, tuple[float, int]] = {}  # of owners: when their span began, and how many
        self._of_thread = threading.local()
        self.fit(threads)

    def fit(self, threads: int) -> None:
        """Set the number of threads that answer requests."""
        self._share = max(1, threads // 2)
        self._most_wait = (threads - 1) // 2
        self._most_aside = _ASIDE_OF_EACH_THREAD * threads

    @property
    def share(self) -> int:
        """How many one owner may hold."""
        return self._share

    @property
    def part(self) -> int:
        """How many of its share one owner may spend on waiting, and on work beside requests."""
        return max(1, self._share // 2)

    def begin(self) -> Request:
        """Begin a request in this thread. One that was not ended here is ended, as a thread handles one at a time."""
        earlier = getattr(self._of_thread, "request", None)
        if earlier is not None:
            earlier.end()
        self._of_thread.request = request = Request(self)
        return request

    def hold(self, owner: str) -> None:
        """Charge the request of this thread to its owner. RateLimitExceeded: the owner holds its share already."""
        request: Request | None = getattr(self._of_thread, "request", None)
        if request is None or request.owner == owner:
            return  # at the command line nothing is served
        with self._lock:
            if self._held[owner] >= self._share:
                raise RateLimitExceeded(
                    f"{self._share} of your requests are being handled or waited for at this moment, half of what this server "
                    f"handles at once. Send fewer at a time; try again in {AGAIN_SECONDS} s.",
                    retry_after=AGAIN_SECONDS,
                )
            self._held[owner] += 1
        request.end()
        request.owner = owner

    def note_refusal(self, owner: str, now: float) -> None:
        """Count a request that was refused as its owner's budget is spent. ``now``: monotonic seconds."""
        with self._lock:
            began, number = self._refusals.get(owner, (now, 0))
            if now - began >= _REFUSALS_SPAN:
                began, number = now, 0
            if len(self._refusals) >= _MOST_SIGNS:
                self._refusals = {}
            self._refusals[owner] = began, number + 1

    def share_of(self, owner: str, now: float) -> int:
        """Return how many threads an owner's further requests may get now; the others wait.

        None, while so many are refused that refusing them takes the time of others.
        """
        began, number = self._refusals.get(owner, (now, 0))
        floods = number >= _MOST_REFUSED and now - began < _REFUSALS_SPAN
        return 0 if floods else self._share

    def know(self, sign: str, owner: str) -> None:
        """Remember whose requests with this sign are."""
        if self._owners.get(sign) != owner:
            with self._lock:
                if len(self._owners) >= _MOST_SIGNS:
                    self._owners = {}
                self._owners[sign] = owner

    def known_owner(self, sign: str) -> str:
        """Return whose a request is by its sign; the sign itself if that is unknown."""
        return self._owners.get(sign, sign)

    @contextmanager
    def waiting(self, owner: str) -> Iterator[bool]:
        """Let the request of this thread wait; give whether it may, as most threads must remain for those that do not wait."""
        may_wait = self._begin_wait(owner, self._most_wait)
        try:
            yield may_wait
        finally:
            if may_wait:
                self._end_wait(owner)

    @contextmanager
    def must_wait(self, owner: str) -> Iterator[None]:
        """Let the request of this thread wait, as there is no answer before. A server with few threads lets one such wait.

        RateLimitExceeded: too many of this owner's are waiting. ServiceUnavailable: too many of all owners.
        """
        if not self._begin_wait(owner, max(1, self._most_wait)):
            again = ASIDE_AGAIN_SECONDS
            if self._waiting[owner] >= self.part:
                message = f"{self.part} of your requests are waiting already. Try again in {again} s."
                raise RateLimitExceeded(message, retry_after=again)
            raise ServiceUnavailable(f"Too many requests are waiting just now. Try again in {again} s.", retry_after=again)
        try:
            yield
        finally:
            self._end_wait(owner)

    def _begin_wait(self, owner: str, most: int) -> bool:
        with self._lock:
            may_wait = self._waiting.total() < most and self._waiting[owner] < self.part
            self._waiting[owner] += may_wait
            return may_wait

    def _end_wait(self, owner: str) -> None:
        with self._lock:
            _subtract(self._waiting, owner, 1)

    def aside(self, owner: str) -> Aside:
        """Begin work beside requests. RateLimitExceeded, ServiceUnavailable: there is too much of this owner's, or of all.

        The caller waits for it, or calls :meth:`Aside.leave`; whoever does the work calls :meth:`Aside.end`.
        """
        with self._lock:
            if self._aside[owner] >= self.part:
                raise RateLimitExceeded(
                    f"{self.part} things that take long are being done for you at this moment, such as host names that are "
                    f"looked up slowly. Try again in {ASIDE_AGAIN_SECONDS} s.",
                    retry_after=ASIDE_AGAIN_SECONDS,
                )
            if self._aside.total() >= self._most_aside:
                raise ServiceUnavailable(
                    f"Too much that takes long is being done just now. Try again in {ASIDE_AGAIN_SECONDS} s.",
                    retry_after=ASIDE_AGAIN_SECONDS,
                )
            self._aside[owner] += 1
        return Aside(self, owner)

    def held(self, owner: str) -> int:
        """Return how many an owner holds."""
        with self._lock:
            return self._held[owner]

    def waits(self) -> int:
        """Return how many requests wait."""
        with self._lock:
            return self._waiting.total()

    def charge(self, owner: str) -> None:
        """Count work that is already going on."""
        with self._lock:
            self._held[owner] += 1

    def release(self, owner: str) -> None:
        with self._lock:
            _subtract(self._held, owner, 1)

    def end_aside(self, owner: str, is_charged: bool) -> None:
        with self._lock:
            _subtract(self._aside, owner, 1)
            _subtract(self._held, owner, int(is_charged))


def _subtract(counter: Counter[str], owner: str, number: int) -> None:
    counter[owner] -= number
    if not counter[owner]:
        del counter[owner]


of_process = ThreadShares()
