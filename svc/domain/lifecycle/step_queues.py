"""The queues of jobs that tell of steps which are ready: one for each kind of step that not every
process may be able to run, so that no job goes to a process for which it says nothing.

A job names no step. Who does it takes the step that is next by the rule of render_queue.
"""

from collections import Counter
from typing import Any

from svc.base import clock, ids, voices
from svc.base.steps import SPEAKING_STEPS, STEPS
from svc.base.text.languages import FURTHER
from svc.domain.monitoring import backlog
from svc.store.engine.jobs import SILENT_SECONDS
from svc.store.expressions import SQL, position_of
from svc.store.models.productions import Production
from svc.store.models.service import Worker
from svc.store.queries import Prepared, slot

_LIVES = int(SILENT_SECONDS * clock.SECOND)  # after its last sign of life
_ROOT = "steps"  # what the names of these queues begin with
_FURTHER = {ids.derive_id("language", code): code for code in FURTHER}
_NEXT = Prepared(
    Production.select(
        Production.steps_complete, Production.language_id, Production.voice_model
    ).where(Production.id == slot("id"))
)


def query_speaking_processes(model: str) -> Any:
    """Return the query of the living processes that speak with a model."""
    able = [position_of(f'"{name}"', Worker.can_run) > 0 for name in (model, *SPEAKING_STEPS)]
    return Worker.select(SQL("1")).where(
        Worker.steps > 0, Worker.seen_at > slot("now") - _LIVES, *able
    )


_SPEAKERS = {model: Prepared(query_speaking_processes(model).limit(1)) for model in voices.OPTIONAL}


def list_queues(can_run: frozenset[str]) -> list[str]:
    """Return the queues of the steps that a process can run."""
    spoken = [code for code in FURTHER if code in can_run]
    models = [model for model in voices.OPTIONAL if model in can_run]
    return [
        ".".join((_ROOT, step, *more))
        for step, _ in STEPS
        if step in can_run
        for more in [(), *((each,) for each in spoken + (models if step in SPEAKING_STEPS else []))]
    ]


def find_queue(production_id: str, now: int) -> str | None:
    """Return the queue of a production's next step; None: it has none left."""
    return find_queue_of_row(_NEXT.one(id=production_id), now)


def find_queue_of_row(row: Any, now: int) -> str | None:
    """Return the queue of the next step of a production; None: it has none left.

    ``row``: with the columns ``steps_complete``, ``language_id`` and ``voice_model``.
    """
    if row["steps_complete"] >= len(STEPS):
        return None
    language = _FURTHER.get(row["language_id"], "")
    return _queue(STEPS[row["steps_complete"]][0], language, row["voice_model"], now)


def count_ready(now: int) -> Counter[str]:
    """Return how many steps are ready to run, by queue."""
    numbers: Counter[str] = Counter()
    for step in backlog.list_ready_steps(now):
        numbers[_queue(step.name, step.language, step.voice, now)] += step.number
    return numbers


def _queue(step: str, language: str, model: str | None, now: int) -> str:
    """Return the queue of a step. What a model speaks best goes to processes that have it while
    one lives, and to all others when none does.
    """
    if language:
        return f"{_ROOT}.{step}.{language}"
    speakers = _SPEAKERS.get(model or "") if step in SPEAKING_STEPS else None
    return f"{_ROOT}.{step}.{model}" if speakers and speakers.row(now=now) else f"{_ROOT}.{step}"
