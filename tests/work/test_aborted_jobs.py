"""Jobs that an operator aborts and retries, in a worker on PostgreSQL."""

import pytest
from support import plain_sql
from support.cast import body

from svc.base import clock as wall_clock
from svc.domain.overview import queue_jobs
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer
from svc.store.database import db
from svc.work.step_process.running import Stopping
from tests.work.test_draining import STEPS, Steps, runs, steady, steps, worker
from tests.work.test_finished_files import until

__all__ = ["steady", "steps", "worker"]
US = Viewer(None, "Ada", "ada@example.com", OPERATOR, None)


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture(autouse=True)
def only_with_a_queue(app):
    if db.list_jobs() is None:
        pytest.skip("one process alone has no jobs")


def job(status: str) -> int:
    """The job of a step with a status; it is waited for."""
    [found] = until(
        lambda: [
            each["id"]
            for each in db.list_jobs()
            if each["queue"].startswith("steps.") and each["status"] == status
        ]
    )
    return found


def test_an_aborted_step_is_killed_and_run_again_and_counts_as_no_attempt(
    worker, steps: Steps, partner, monkeypatch
):
    runs(steps, partner)
    queue_jobs.abort(US, job("doing"), wall_clock.now())
    assert steps.begun.acquire(timeout=60) and steps.ended_by is Stopping
    assert job("aborted")
    assert tuple(plain_sql.rows(STEPS)[0])[2] == 0


def test_a_retried_job_of_a_cancelled_production_does_nothing(worker, steps: Steps, partner):
    production = body(partner.trigger())["productionId"]
    assert steps.begun.acquire(timeout=60)
    partner.delete(f"/v1/productions/{production}")
    until(lambda: steps.ended_by)
    insert = "INSERT INTO procrastinate_jobs (queue_name, task_name, status) VALUES "
    with db.transaction():
        plain_sql.execute(f"{insert} ('steps.script', 'call', 'failed')")
    queue_jobs.retry(US, job("failed"), wall_clock.now())
    until(lambda: not [each for each in db.list_jobs() if each["queue"].startswith("steps.")])
    assert not steps.begun.acquire(blocking=False)
