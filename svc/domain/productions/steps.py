"""The steps of a production. A step gets its row when it begins."""

from svc.base.steps import STEPS
from svc.domain import rows
from svc.domain.tables.productions import ListedStep, Step
from svc.store import database

_ALL = ", ".join(f"({position}, {name!r}, {label!r})" for position, (name, label) in enumerate(STEPS))
_LISTED = f"""
    WITH listed (position, name, label) AS (VALUES {_ALL})
    SELECT l.position, l.name, l.label,
           coalesce(s.status, CASE p.status WHEN 'Cancelled' THEN 'Cancelled' ELSE 'Pending' END) AS status,
           coalesce(s.attempts, 0) AS attempts, s.started_at, s.completed_at
    FROM productions p CROSS JOIN listed l LEFT JOIN production_steps s ON s.production_id = p.id AND s.position = l.position
    WHERE p.id = ? ORDER BY l.position
"""
_BEGIN = """
    INSERT INTO production_steps (production_id, position, name, label, status, started_at) VALUES (?, ?, ?, ?, 'Running', ?)
    ON CONFLICT (production_id, position)
        DO UPDATE SET status = 'Running', started_at = coalesce(production_steps.started_at, excluded.started_at)
    RETURNING *
"""
_FILES_BEFORE = """
    SELECT files FROM production_steps WHERE production_id = ? AND position < ? AND files IS NOT NULL ORDER BY position
"""
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
    row = database.one("SELECT steps_total - 1 FROM productions WHERE id = ?", (step["production_id"],))
    return bool(step["position"] == row[0])


def begin(production_id: str, position: int, now: int) -> Step | None:
    """Mark a step as running, for the first time or again; return its row, or None if there is no such step. Inside write()."""
    if position >= len(STEPS):
        return None
    [step] = rows.every(Step, _BEGIN, (production_id, position, *STEPS[position], now))
    return step


def forget_after(production_id: str, position: int) -> None:
    """Forget that the steps after ``position`` were ever begun. Inside write()."""
    database.execute("DELETE FROM production_steps WHERE production_id = ? AND position > ?", (production_id, position))


def files_before(production_id: str, position: int) -> list[str]:
    """Return what the steps before ``position`` did to the work folder, in order: see svc.work.files.carried.

    A step that was completed without a bucket has no description.
    """
    return [row["files"] for row in database.rows(_FILES_BEFORE, (production_id, position))]


def of_unfinished(connection: database.Connection) -> dict[str, list[str | None]]:
    """Return what the completed steps of each unfinished production did to its work folder, in order."""
    found: dict[str, list[str | None]] = {}
    for production_id, position, files, complete in connection.execute(_UNFINISHED):
        found.setdefault(production_id, [None] * complete)[position] = files
    return found


def forget_files(production_id: str) -> None:
    """Remove the descriptions of files that no step needs any longer."""
    with database.write(durable=False):
        database.execute("UPDATE production_steps SET files = NULL WHERE production_id = ?", (production_id,))
