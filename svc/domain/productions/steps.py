"""The steps of a production. A step gets its row when it begins."""

from svc.base.steps import STEPS
from svc.domain import rows
from svc.domain.tables.productions import ListedStep, Step
from svc.store import database
from svc.store.expressions import EXCLUDED, fn
from svc.store.models import productions as models
from svc.store.queries import Prepared, slot, slots

_ALL = ", ".join(f"({position}, {name!r}, {label!r})" for position, (name, label) in enumerate(STEPS))
_LISTED = f"""
    WITH listed (position, name, label) AS (VALUES {_ALL})
    SELECT l.position, l.name, l.label,
           coalesce(s.status, CASE p.status WHEN 'Cancelled' THEN 'Cancelled' ELSE 'Pending' END) AS status,
           coalesce(s.attempts, 0) AS attempts, s.started_at, s.completed_at
    FROM productions p CROSS JOIN listed l LEFT JOIN production_steps s ON s.production_id = p.id AND s.position = l.position
    WHERE p.id = ? ORDER BY l.position
"""
_STEP = models.ProductionStep
_OF_PRODUCTION = _STEP.production_id == slot("production_id")
_BEGIN = Prepared(
    _STEP.insert(slots("production_id", "position", "name", "label", "started_at"), status="Running")
    .on_conflict(
        conflict_target=[_STEP.production_id, _STEP.position],
        update={_STEP.status: "Running", _STEP.started_at: fn.coalesce(_STEP.started_at, EXCLUDED.started_at)},
    )
    .returning(*_STEP._meta.sorted_fields),
    Step,
)
_FORGET_AFTER = Prepared(_STEP.delete().where(_OF_PRODUCTION, _STEP.position > slot("position")))
_FILES_BEFORE = Prepared(
    _STEP.select(_STEP.files)
    .where(_OF_PRODUCTION, _STEP.position < slot("position"), _STEP.files.is_null(False))
    .order_by(_STEP.position)
)
_FORGET_FILES = Prepared(_STEP.update(files=None).where(_OF_PRODUCTION))
_LAST = Prepared(models.Production.select(models.Production.steps_total - 1).where(models.Production.id == slot("id")))
_UNFINISHED = """
    SELECT s.production_id, s.position, s.files, p.steps_complete FROM production_steps s
    JOIN productions p ON p.id = s.production_id
    WHERE p.status IN ('Queued', 'Producing') AND p.cancel_token IS NULL AND s.position < p.steps_complete
    ORDER BY s.production_id, s.position
"""


def of(production_id: str) -> list[ListedStep]:
    """Return all steps of a production in order, also those that have not begun."""
    return rows.every(ListedStep, _LISTED, (production_id,))


def is_last(step: Step) -> bool:
    """Return whether a step is the last one of its production."""
    return bool(step["position"] == _LAST.value(id=step["production_id"]))


def begin(production_id: str, position: int, now: int) -> Step | None:
    """Mark a step as running, for the first time or again; return its row, or None if there is no such step. Inside write()."""
    if position >= len(STEPS):
        return None
    name, label = STEPS[position]
    [step] = _BEGIN.rows(production_id=production_id, position=position, name=name, label=label, started_at=now)
    return step


def forget_after(production_id: str, position: int) -> None:
    """Forget that the steps after ``position`` were ever begun. Inside write()."""
    _FORGET_AFTER.execute(production_id=production_id, position=position)


def files_before(production_id: str, position: int) -> list[str]:
    """Return what the steps before ``position`` did to the work folder, in order: see svc.work.files.carried.

    A step that was completed without a bucket has no description.
    """
    return [row["files"] for row in _FILES_BEFORE.rows(production_id=production_id, position=position)]


def of_unfinished(connection: database.Connection) -> dict[str, list[str | None]]:
    """Return what the completed steps of each unfinished production did to its work folder, in order."""
    found: dict[str, list[str | None]] = {}
    for production_id, position, files, complete in connection.execute(_UNFINISHED):
        found.setdefault(production_id, [None] * complete)[position] = files
    return found


def forget_files(production_id: str) -> None:
    """Remove the descriptions of files that no step needs any longer."""
    with database.write(durable=False):
        _FORGET_FILES.execute(production_id=production_id)
