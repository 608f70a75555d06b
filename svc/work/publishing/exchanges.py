"""Runs exchanges with places beside the requests that ask for them,
as a place may take long to answer.
"""

import logging
import threading
import time
from collections.abc import Callable

from svc.base import outage, threads
from svc.base.errors import InternalError, ServiceError, ServiceUnavailable
from svc.domain.publishing import connection_tries

log = logging.getLogger("svc.connections")

# How many seconds a request waits for a place, if there is a thread for that: most answer sooner.
SECONDS = 1.0


class Exchange:
    """One exchange in a thread of its own.

    Once its request has left, its end is entered in the database.
    """

    def __init__(
        self, action: Callable[[], object], place: threads.BackgroundWork, clock: Callable[[], int]
    ):
        self._action, self._place, self._clock = action, place, clock
        self._ended, self._turn = threading.Event(), threading.Lock()
        self._error: ServiceError | None = None
        self._try_id: str | None = None
        try:
            threading.Thread(target=self._run, name="place", daemon=True).start()
        except RuntimeError:  # no more threads can be started
            place.end()
            raise

    def wait_for_end(self, seconds: float) -> bool:
        """Wait for the end; return whether it is there. Raises the error of the exchange."""
        ended = self._ended.wait(seconds)
        if ended and self._error is not None:
            raise self._error
        return ended

    def detach(self, account_id: str, production_id: str | None, title: str) -> bool:
        """Let it go on alone; return False if it has ended meanwhile."""
        with self._turn:
            if self._ended.is_set():
                return False
            self._place.detach()
            self._try_id = connection_tries.begin_try(
                account_id, production_id, title, self._clock()
            )
        return True

    def _run(self) -> None:
        try:
            self._action()
        except ServiceError as refused:
            self._error = refused
        except Exception as failure:
            self._error = _make_error(failure)
        finally:
            self._place.end(time.thread_time())
            with self._turn:
                self._ended.set()
                if self._try_id is not None:
                    connection_tries.end_try(
                        self._try_id, self._error.message if self._error else None, self._clock()
                    )


def _make_error(failure: Exception) -> ServiceError:
    """Return what is said of a failure that is none of the place; it is logged."""
    trouble = outage.recognise(failure)
    if trouble is None:
        log.error("an exchange with a place failed", exc_info=failure)
        return InternalError()
    log.error("%s (%s)", trouble.mend, failure)
    sentence = f"{trouble.sentence} Try again shortly."
    return ServiceUnavailable(sentence, retry_after=trouble.seconds)


def run_exchange(
    owner: str,
    account_id: str,
    title: str,
    action: Callable[[], object],
    clock: Callable[[], int],
    production_id: str | None = None,
) -> bool:
    """Begin an exchange; return whether it has ended well. False: it goes on, and
    svc.domain.publishing.connection_tries has its end.

    ``owner``: of the thread. Raises the error of the exchange if it ends soon; RateLimitExceeded,
    ServiceUnavailable.
    """
    shares = threads.thread_shares
    exchange = Exchange(action, shares.begin_background_work(owner), clock)
    with shares.admit_wait(owner) as may_wait:
        if exchange.wait_for_end(SECONDS if may_wait else 0):
            return True
    return not exchange.detach(account_id, production_id, title) and exchange.wait_for_end(0)
