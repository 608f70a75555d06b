"""The steps of a production. A step gets its row when it begins."""

from svc.base import states
from svc.base.steps import STEPS
from svc.domain.lifecycle import lifecycle
from svc.domain.tables.productions import ListedStep, Step
from svc.store.database import Connection, Row, db
from svc.store.expressions import EXCLUDED, JOIN, fn
from svc.store.models import productions as models
from svc.store.queries import Prepared, slot, slots

_STEP = models.ProductionStep
_PRODUCTION = models.Production
_BEGUN = Prepared(
    _PRODUCTION.select(
        _PRODUCTION.status.alias("production_status"),
        _STEP.position,
        _STEP.status,
        _STEP.attempts,
        _STEP.started_at,
        _STEP.completed_at,
    )
    .join(_STEP, JOIN.LEFT_OUTER, on=_STEP.production_id == _PRODUCTION.id)
    .where(_PRODUCTION.id == slot("id"))
)
_OF_PRODUCTION = _STEP.production_id == slot("production_id")
_BEGIN = Prepared(
    _STEP.insert(
        slots("production_id", "position", "name", "label", "started_at"), status="Running"
    )
    .on_conflict(
        conflict_target=[_STEP.production_id, _STEP.position],
        update={
            _STEP.status: "Running",
            _STEP.started_at: fn.coalesce(_STEP.started_at, EXCLUDED.started_at),
        },
    )
    .returning(*_STEP._meta.sorted_fields),
    Step,
)
_COUNT_LOSS = Prepared(
    _STEP.insert(slots("production_id", "position", "name", "label"), losses=1)
    .on_conflict(
        conflict_target=[_STEP.production_id, _STEP.position],
        update={_STEP.losses: _STEP.losses + 1},
    )
    .returning(_STEP.losses)
)
_FAIL = Prepared(
    _STEP.update(status="Failed", completed_at=slot("now")).where(
        _OF_PRODUCTION, _STEP.position == slot("position")
    )
)
_FORGET_AFTER = Prepared(_STEP.delete().where(_OF_PRODUCTION, _STEP.position > slot("position")))
_FILES_BEFORE = Prepared(
    _STEP.select(_STEP.files)
    .where(_OF_PRODUCTION, _STEP.position < slot("position"), _STEP.files.is_null(False))
    .order_by(_STEP.position)
)
_FORGET_FILES = Prepared(_STEP.update(files=None).where(_OF_PRODUCTION))
_LAST = Prepared(
    _PRODUCTION.select(_PRODUCTION.steps_total - 1).where(_PRODUCTION.id == slot("id"))
)
_UNFINISHED = Prepared(
    _STEP.select(_STEP.production_id, _STEP.position, _STEP.files, _PRODUCTION.steps_complete)
    .join(_PRODUCTION, on=_PRODUCTION.id == _STEP.production_id)
    .where(
        _PRODUCTION.status.in_((states.QUEUED, states.PRODUCING)),
        _PRODUCTION.cancel_token.is_null(),
        _STEP.position < _PRODUCTION.steps_complete,
    )
    .order_by(_STEP.production_id, _STEP.position)
)


def list_steps(production_id: str) -> list[ListedStep]:
    """Return all steps of a production in order, also those that have not begun."""
    begun = _BEGUN.rows(id=production_id)
    if not begun:
        return []
    is_cancelled = begun[0]["production_status"] == states.CANCELLED
    status = states.CANCELLED if is_cancelled else "Pending"
    known = {row["position"]: row for row in begun}
    return [
        _represent_step(position, known.get(position), status) for position in range(len(STEPS))
    ]


def _represent_step(position: int, row: Row | None, status: str) -> ListedStep:
    """Return a step.

    ``row``: its own; None: it has not begun. ``status``: of one that has not begun.
    """
    name, label = STEPS[position]
    return {
        "position": position,
        "name": name,
        "label": label,
        "status": row["status"] if row else status,
        "attempts": row["attempts"] if row else 0,
        "started_at": row["started_at"] if row else None,
        "completed_at": row["completed_at"] if row else None,
    }


def is_last(step: Step) -> bool:
    """Return whether a step is the last one of its production."""
    return bool(step["position"] == _LAST.value(id=step["production_id"]))


def begin_step(production_id: str, position: int, now: int) -> Step | None:
    """Mark a step as running, for the first time or again; return its row,
    or None if there is no such step. Inside a transaction.
    """
    if position >= len(STEPS):
        return None
    name, label = STEPS[position]
    [step] = _BEGIN.rows(
        production_id=production_id, position=position, name=name, label=label, started_at=now
    )
    return step


def count_loss(production_id: str, position: int) -> int:
    """Count that the process of a step, which may not have begun yet, was lost; return how often
    that has happened. Inside a transaction.
    """
    name, label = STEPS[position]
    values = {"production_id": production_id, "position": position, "name": name, "label": label}
    return int(_COUNT_LOSS.one(**values)["losses"])


def mark_failed(production_id: str, position: int, now: int) -> None:
    """Mark a step as failed. Inside a transaction."""
    _FAIL.execute(production_id=production_id, position=position, now=now)


def forget_after(production_id: str, position: int) -> None:
    """Forget that the steps after ``position`` were ever begun. Inside a transaction."""
    _FORGET_AFTER.execute(production_id=production_id, position=position)


def list_files_before(production_id: str, position: int) -> list[str]:
    """Return what the steps before ``position`` did to the work folder, in order: see
    svc.work.files.work_archives.

    A step that was completed without a bucket has no description.
    """
    return [
        row["files"] for row in _FILES_BEFORE.rows(production_id=production_id, position=position)
    ]


def list_files_of_unfinished(connection: Connection) -> dict[str, list[str | None]]:
    """Return what the completed steps of each unfinished production did to its work
    folder, in order.
    """
    files_by_production: dict[str, list[str | None]] = {}
    for production_id, position, files, complete in _UNFINISHED.rows_by(connection):
        files_by_production.setdefault(production_id, [None] * complete)[position] = files
    return files_by_production


def forget_files(production_id: str) -> None:
    """Remove the descriptions of files that no step needs any longer."""
    with db.transaction(durable=False, partner=lifecycle.find_partner(production_id)):
        _FORGET_FILES.execute(production_id=production_id)
