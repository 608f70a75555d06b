"""Allocates the threads of a serving process, of which no owner may hold more than half.

A partner, with its API keys and the people of its console, is one owner; a session of the console
that belongs to no partner is another. What counts is every request that is being handled, including
one that waits for events or for a host name, and all work that goes on beside requests on an
owner's behalf: a look-up that nobody waits for any more, a try of a connection, a preview. An
export of the console, which may be computed for minutes, is work of that kind too, so that pages go
on beside it.
"""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from svc.base.errors import RateLimitExceeded, ServiceUnavailable

AGAIN_SECONDS = 1  # after which a refused request is sent again
# After how many seconds a request is sent again that was refused because of work beside requests,
# which takes longer.
BACKGROUND_AGAIN_SECONDS = 5
_MOST_SIGNS = 10_000  # of callers that are remembered
_SPAN = 1.0  # seconds
# How many requests of an owner are refused at once in one span; others wait for its end.
_MOST_REFUSED = 20
# While others ask, an owner's requests may take this part of a processor for long. What is above it
# adds up: from _SOME_SECONDS on, one request at a time computes, as each further one takes the
# interpreter's lock from others as often as the first; from _MOST_SECONDS on, the next waits.
_PROCESSOR = 0.25
_SOME_SECONDS = 0.05
_MOST_SECONDS = 0.25
_MOST_OF_ONE_REQUEST = 0.2  # so that after a long one, a short one needs not wait
_LONGEST_REST = 1.0  # seconds until the next, whatever was computed while nobody else asked
_OTHERS_SECONDS = 10.0  # after which one who asked is not waited for any more
_BACKGROUND_OF_EACH_THREAD = 4  # work of all owners beside requests, for each thread of the server


def sign_of_secret(value: bytes) -> str:
    """Return a digest in place of an API key or a session's cookie, which is not kept itself."""
    return hashlib.blake2s(value, digest_size=16).hexdigest()


class Request:
    """A request in a thread of the server, and the owner that it was charged to."""

    def __init__(self, shares: "ThreadShares", began: float) -> None:
        """``began``: the processor time of the thread since which it works for this request."""
        self._shares, self._began = shares, began
        self.owner: str | None = None

    def end(self) -> None:
        """Give the thread back. It may be called twice."""
        owner, self.owner = self.owner, None
        if owner is not None:
            self._shares.end_request(owner, self._began)


class _Turn(threading.local):
    """What a thread does for one connection after another.

    ``began``: its processor time since which nothing is charged to anybody; None: it answers no
    connection. ``owner``: of the request that has ended in this turn.
    """

    began: float | None = None
    owner: str | None = None
    request: Request | None = None


@dataclass(slots=True)
class _Use:
    """What an owner's requests took lately.

    ``refused``: how many since ``began``, in monotonic seconds. ``excess``: seconds of a processor
    above the part that it may have, at the time ``at``.
    """

    began: float
    at: float
    refused: int = 0
    excess: float = 0.0

    def excess_at(self, now: float) -> float:
        return max(0.0, self.excess - _PROCESSOR * (now - self.at))


class BackgroundWork:
    """Work beside requests. While a request waits for it, the two count once: as the request."""

    def __init__(self, shares: "ThreadShares", owner: str) -> None:
        self._shares, self._owner = shares, owner
        self._is_charged = self._has_ended = False
        self._lock = threading.Lock()

    def detach(self) -> None:
        """Count it by itself from now on, as no request waits for it."""
        with self._lock:
            if not self._has_ended and not self._is_charged:
                self._is_charged = True
                self._shares.charge_work(self._owner)

    def end(self, seconds: float = 0.0) -> None:
        """Count it no longer. It may be called twice.

        ``seconds``: of a processor, which it took in a thread of its own.
        """
        with self._lock:
            if not self._has_ended:
                self._has_ended = True
                self._shares.end_background_work(self._owner, self._is_charged)
                self._shares.record_work(self._owner, seconds)


class ThreadShares:
    """Who holds the threads of this process. Thread-safe."""

    def __init__(
        self,
        threads: int = 8,
        clock: Callable[[], float] = time.monotonic,
        processor_time: Callable[[], float] = time.thread_time,
    ):
        """``processor_time``: the seconds of a processor that the calling thread has used."""
        self._clock, self.processor_time = clock, processor_time
        self._lock = threading.Lock()
        # requests, and the work beside them that no request waits for
        self._held: Counter[str] = Counter()
        self._aside: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()  # requests that wait
        self._owners: dict[str, str] = {}  # by the sign of a request
        self._uses: dict[str, _Use] = {}  # by owner
        # the owner that asked last and another one, and when
        self._newest = self._other = ("", -_OTHERS_SECONDS)
        self._turn = _Turn()
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Set the number of threads that answer requests."""
        self.number = threads
        self._share = max(1, threads // 2)
        self._most_wait = (threads - 1) // 2
        self._most_background_work = _BACKGROUND_OF_EACH_THREAD * threads

    @property
    def owner_limit(self) -> int:
        """How many one owner may hold."""
        return self._share

    @property
    def waiting_limit(self) -> int:
        """How many of its share one owner may spend on waiting, and on work beside requests."""
        return max(1, self._share // 2)

    def begin_request(self) -> Request:
        """Begin a request in this thread.

        One that was not ended here is ended, as a thread handles one at a time.
        """
        turn = self._turn
        if turn.request is not None:
            turn.request.end()
        began = self.processor_time() if turn.began is None else turn.began
        turn.request = request = Request(self, began)
        return request

    @contextmanager
    def measure_turn(self) -> Iterator[None]:
        """Charge all that this thread computes for a connection to the owner of its request: also
        reading its head and sending its answer, which together are as much as a cheap refusal.
        """
        turn = self._turn
        turn.began, turn.owner = self.processor_time(), None
        try:
            yield
        finally:
            if turn.owner is not None:
                self.record_work(turn.owner, self.processor_time() - turn.began)
            turn.began = None

    def charge_request(self, owner: str) -> None:
        """Charge the request of this thread to its owner.

        RateLimitExceeded: the owner holds its share already.
        """
        request = self._turn.request
        if request is None or request.owner == owner:
            return  # at the command line nothing is served
        with self._lock:
            threads_held = self._held[owner]
            if threads_held >= self._share:
                raise RateLimitExceeded(
                    f"{self._share} of your requests are being handled or waited for at this "
                    "moment, half of what this server handles at once. Send fewer at a time; try "
                    f"again in {AGAIN_SECONDS} s.",
                    retry_after=AGAIN_SECONDS,
                )
            self._held[owner] = threads_held + 1
        request.end()
        request.owner = owner

    def record_refusal(self, owner: str) -> None:
        """Count a request that was refused as its owner's budget is spent."""
        with self._lock:
            self._use_of(owner, self._clock()).refused += 1

    def record_work(self, owner: str, seconds: float) -> None:
        """Count what work beside requests took of a processor."""
        with self._lock:
            self._add_work(owner, seconds)

    def _add_work(self, owner: str, seconds: float) -> None:
        now = self._clock()
        use = self._use_of(owner, now)
        excess = use.excess_at(now) + min(seconds, _MOST_OF_ONE_REQUEST)
        use.excess = min(excess, _MOST_SECONDS + _PROCESSOR * _LONGEST_REST)
        use.at = now

    def _use_of(self, owner: str, now: float) -> _Use:
        if owner != self._newest[0]:
            self._other = self._newest
        self._newest = owner, now
        use = self._uses.get(owner)
        if use is None:
            if len(self._uses) >= _MOST_SIGNS:
                self._uses = {}
            self._uses[owner] = use = _Use(now, now)
        if now - use.began >= _SPAN:
            use.began, use.refused = now, 0
        return use

    def find_limit(self, owner: str) -> int:
        """Return how many threads an owner's requests may have now; further ones wait.

        None, while so many are refused that others would wait. While others ask, and this owner's
        requests take much of the processor: one that computes, or none.
        """
        use, now = self._uses.get(owner), self._clock()
        if use is None:
            return self._share
        if use.refused >= _MOST_REFUSED and now - use.began < _SPAN:
            return 0
        _, asked_at = self._other if self._newest[0] == owner else self._newest
        excess = use.excess_at(now)
        if now - asked_at >= _OTHERS_SECONDS or excess < _SOME_SECONDS:
            return self._share
        if excess >= _MOST_SECONDS:
            return 0
        # Requests that wait for events take nothing from anybody.
        return min(self._share, 1 + self._waiting[owner])

    def remember_owner(self, sign: str, owner: str) -> None:
        """Remember whose requests with this sign are."""
        if self._owners.get(sign) != owner:
            with self._lock:
                if len(self._owners) >= _MOST_SIGNS:
                    self._owners = {}
                self._owners[sign] = owner

    def find_owner(self, sign: str) -> str:
        """Return the owner of the requests with a sign; the sign itself if that is unknown."""
        return self._owners.get(sign, sign)

    @contextmanager
    def admit_wait(self, owner: str) -> Iterator[bool]:
        """Let the request of this thread wait; give whether it may,
        as most threads must remain for those that do not wait.
        """
        may_wait = self._begin_wait(owner, self._most_wait)
        try:
            yield may_wait
        finally:
            if may_wait:
                self._end_wait(owner)

    @contextmanager
    def require_wait(self, owner: str) -> Iterator[None]:
        """Let the request of this thread wait, as it has no answer before that. A server with few
        threads lets one such request wait.

        RateLimitExceeded: too many of this owner's are waiting. ServiceUnavailable: too many of all
        owners.
        """
        if not self._begin_wait(owner, max(1, self._most_wait)):
            retry_after = BACKGROUND_AGAIN_SECONDS
            if self._waiting[owner] >= self.waiting_limit:
                message = (
                    f"{self.waiting_limit} of your requests are waiting already. "
                    f"Try again in {retry_after} s."
                )
                raise RateLimitExceeded(message, retry_after=retry_after)
            raise ServiceUnavailable(
                f"Too many requests are waiting just now. Try again in {retry_after} s.",
                retry_after=retry_after,
            )
        try:
            yield
        finally:
            self._end_wait(owner)

    def _begin_wait(self, owner: str, most: int) -> bool:
        with self._lock:
            may_wait = self._waiting.total() < most and self._waiting[owner] < self.waiting_limit
            self._waiting[owner] += may_wait
            return may_wait

    def _end_wait(self, owner: str) -> None:
        with self._lock:
            _subtract(self._waiting, owner, 1)

    def begin_background_work(self, owner: str) -> BackgroundWork:
        """Begin work beside requests. RateLimitExceeded, ServiceUnavailable: there is too much of
        this owner's, or of all.

        The caller waits for it, or calls :meth:`BackgroundWork.detach`; whoever does the work calls
        :meth:`BackgroundWork.end`.
        """
        with self._lock:
            if self._aside[owner] >= self.waiting_limit:
                raise RateLimitExceeded(
                    f"{self.waiting_limit} things that take long are being done for you at this "
                    "moment, such as downloads, or host names that are looked up slowly. Try "
                    f"again in {BACKGROUND_AGAIN_SECONDS} s.",
                    retry_after=BACKGROUND_AGAIN_SECONDS,
                )
            if self._aside.total() >= self._most_background_work:
                raise ServiceUnavailable(
                    (
                        "Too much that takes long is being done just now. Try again in "
                        f"{BACKGROUND_AGAIN_SECONDS} s."
                    ),
                    retry_after=BACKGROUND_AGAIN_SECONDS,
                )
            self._aside[owner] += 1
        return BackgroundWork(self, owner)

    def charge_work(self, owner: str) -> None:
        """Count work that is already going on."""
        with self._lock:
            self._held[owner] += 1

    def end_request(self, owner: str, began: float) -> None:
        """Take the thread of a request back, and count the time that it took of a processor.

        ``began``: the processor time of this thread when the request began.
        """
        ended = self.processor_time()
        with self._lock:
            _subtract(self._held, owner, 1)
            self._add_work(owner, ended - began)
        if self._turn.began is not None:
            self._turn.began, self._turn.owner = ended, owner

    def end_background_work(self, owner: str, is_charged: bool) -> None:
        with self._lock:
            _subtract(self._aside, owner, 1)
            _subtract(self._held, owner, int(is_charged))


def _subtract(counter: Counter[str], owner: str, number: int) -> None:
    remaining = counter[owner] - number
    if remaining:
        counter[owner] = remaining
    else:
        counter.pop(owner, None)


thread_shares = ThreadShares()
