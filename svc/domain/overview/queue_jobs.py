"""The jobs of the queue by which machines hear of work, for operators: what waits, runs and has
failed, and how one is retried or aborted.

A job only wakes a process. So an abort ends the step or the exchange that runs for it, and no
production.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svc.base.errors import Conflict, NotFound, NotYours
from svc.domain.audit import audit
from svc.domain.people.users import Viewer
from svc.store.database import db
from svc.store.engine.jobs import TICKS, ListedJob

_NO_QUEUE = (
    "There is no queue of jobs with SQLite: one process runs all steps. `queue show` says what "
    "waits and runs, `queue pause` begins no further step, `production cancel ID` ends one, and "
    "a step that failed by a crash is tried again by itself."
)
_OTHERWISE = "What it was to do is looked for each second all the same."
# By the status of a job: why it cannot be retried.
_NOT_RETRIED = {
    "todo": "It waits: there is nothing to retry.",
    "doing": "It runs: abort it first (`queue abort {id}`); its step is then free at once.",
    "cancelled": f"It was cancelled before it began. {_OTHERWISE}",
    "aborted": f"It was aborted. {_OTHERWISE}",
}
# By the status of a job: why it cannot be aborted.
_NOT_ABORTED = {
    "todo": "It waits, and runs nothing: `queue pause` begins no further step.",
    "stalled": "Its process gives no sign of life and would not hear of it: its work is free for "
    "others. `queue retry {id}` makes the job ready at once.",
    "failed": "It has failed: `queue retry {id}` makes it ready again.",
    "cancelled": "It was cancelled before it began.",
    "aborted": "It was aborted already.",
}


class QueueCount(NamedTuple):
    """How many jobs a queue has that wait, run, are stalled (their process is gone) or failed."""

    queue: str
    waiting: int
    running: int
    stalled: int
    failed: int


def count_by_queue() -> list[QueueCount]:
    """Return how many jobs each queue has; none where one process works alone."""
    numbers: dict[str, dict[str, int]] = {}
    for each in db.count_jobs():
        numbers.setdefault(each.queue, {})[each.status] = each.number
    counts = [
        QueueCount(
            queue,
            of.get("todo", 0),
            of.get("doing", 0) - of.get("stalled", 0),
            of.get("stalled", 0),
            of.get("failed", 0),
        )
        for queue, of in sorted(numbers.items())
    ]
    return [each for each in counts if any(each[1:])]


def list_jobs() -> list[ListedJob]:
    """Return the jobs that wait, run or have failed.

    Conflict: one process works alone.
    """
    listed = db.list_jobs()
    if listed is None:
        raise Conflict(_NO_QUEUE)
    return listed


def retry(viewer: Viewer, job_id: int, now: int) -> None:
    """Make a job ready again that failed, or whose process is gone.

    NotFound: there is no such job; Conflict: it is none of those, or the next run of its task
    waits; NotYours: the viewer is not an operator.
    """
    _require_operator(viewer)
    with db.transaction():
        job = _find_job(list_jobs(), job_id)
        why = _NOT_RETRIED.get(job["status"])
        if why is None and job["abort_requested"]:
            why = _NOT_RETRIED["aborted"]
        if why is None and not db.retry_job(job_id):
            why = f"It has ended meanwhile, or the next one of its task waits. {_OTHERWISE}"
        _record_action(viewer, "queue.retry", job, why, now)


def abort(viewer: Viewer, job_id: int, now: int) -> None:
    """Have the process of a running job end what it does for it: a step is killed, and free for any
    process at once; an upload to a place breaks off, and is gone on with later.

    NotFound: there is no such job; Conflict: it does not run, or is periodic; NotYours: the viewer
    is not an operator.
    """
    _require_operator(viewer)
    with db.transaction():
        job = _find_job(list_jobs(), job_id)
        why = _NOT_ABORTED.get(job["status"])
        if why is None and job["queue"] == TICKS:
            why = "It is periodic, and ends by itself: no step and no upload runs for it."
        if why is None and not db.abort_job(job_id):
            why = "It has ended meanwhile."
        _record_action(viewer, "queue.abort", job, why, now)


def _require_operator(viewer: Viewer) -> None:
    if not viewer.is_operator:
        raise NotYours("Only operators retry and abort jobs.")


def _find_job(jobs: Iterable[ListedJob], job_id: int) -> ListedJob:
    for job in jobs:
        if job["id"] == job_id:
            return job
    raise NotFound(
        f"There is no job {job_id}: it has ended well, or never was. `queue jobs` lists those "
        "that are there."
    )


def _record_action(viewer: Viewer, action: str, job: ListedJob, why: str | None, now: int) -> None:
    """Record what was done to a job. Conflict: ``why`` says why nothing was."""
    name = f"Job {job['id']} ({job['queue']})"
    if why is not None:
        raise Conflict(f"{name}: {why.format(id=job['id'])}")
    with audit.recording(viewer.actor, action, name, now):
        pass  # it is done already, in the caller's transaction
