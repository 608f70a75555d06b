"""Runs short jobs after the answer to a request: a few at a time,
so that a flood of requests starts no flood of threads.
"""

import logging
import threading
from collections.abc import Callable

log = logging.getLogger("svc.console")

_MOST = 4
_free = threading.BoundedSemaphore(_MOST)


def run_job(job: Callable[[], object]) -> bool:
    """Start a job; return whether there was room for it. What it raises is logged."""
    if not _free.acquire(blocking=False):
        log.warning("a job of the sign-in pages was left out, because %d are running", _MOST)
        return False
    threading.Thread(target=_run, args=(job,), name="sign-in job", daemon=True).start()
    return True


def _run(job: Callable[[], object]) -> None:
    try:
        job()
    except Exception:
        log.exception("a job of the sign-in pages failed")
    finally:
        _free.release()
