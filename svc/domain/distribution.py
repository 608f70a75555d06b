"""How a finished production reaches its platforms: released or rejected, ``Distributing``, ``Published``."""

from typing import Any

from svc.base import states
from svc.base.errors import CommandError
from svc.domain import endings, events
from svc.store import database, wake


def release(production_id: str, now: int) -> None:
    """Release a production for publication, as an operator. CommandError: it does not await approval."""
    with database.write():
        if not make_due(production_id, now):
            row = database.row("SELECT status FROM productions WHERE id = ?", (production_id,))
            state = f"it is {row['status']}" if row else "there is no such production"
            raise CommandError(f"Only a production that awaits approval can be released; {state}.")


def make_due(production_id: str, now: int) -> bool:
    """Make the publications of a production that awaits approval due; whether it did. Inside write()."""
    released = database.execute(
        "UPDATE productions SET released_at = ?, updated_at = max(?, updated_at + 1) "
        "WHERE id = ? AND status = 'AwaitingApproval' AND released_at IS NULL AND cancel_token IS NULL",
        (now, now, production_id),
    )
    if released:
        database.execute(
            "UPDATE publications SET next_attempt_at = ? WHERE production_id = ? AND status = 'Pending'", (now, production_id)
        )
        wake.on_commit()
    return bool(released)


def reject(production_id: str, reason: str, now: int) -> None:
    """Refuse the release of a production, as an operator. CommandError: it does not await approval."""
    if not endings.fail(production_id, (states.AWAITING_APPROVAL,), "REJECTED_BY_OPERATOR", reason, now):
        raise CommandError("Only a production that awaits approval can be rejected.")


def start_distributing(production_id: str, now: int) -> bool:
    """The first publication starts: ``Distributing``. Whether the production is in that state now. Inside write()."""
    moved = database.execute(
        "UPDATE productions SET status = 'Distributing', updated_at = max(?, updated_at + 1) "
        "WHERE id = ? AND status = 'AwaitingApproval' AND released_at IS NOT NULL AND cancel_token IS NULL",
        (now, production_id),
    )
    row = database.one("SELECT * FROM productions WHERE id = ?", (production_id,))
    if moved:
        data = {"status": states.DISTRIBUTING, "platforms": _entries(_platforms(production_id))}
        events.record(row, "production.distributing", data, now)
    return row["status"] == states.DISTRIBUTING and row["cancel_token"] is None


def finish_distributing(production_id: str, now: int) -> None:
    """End a production none of whose publications is open: ``Published`` if one was, else ``Failed``. Inside write()."""
    entries = _platforms(production_id)
    if any(each["status"] in ("Pending", "Publishing") for each in entries):
        return
    published = [each for each in entries if each["status"] == "Published"]
    if not published:
        why = "; ".join(f"{each['platform']}: {each['error']}" for each in entries)
        endings.fail(
            production_id, (states.DISTRIBUTING,), "DISTRIBUTION_FAILED", f"No platform published it. {why}".strip(), now
        )
        return
    moved = endings.finish(production_id, states.PUBLISHED, (states.DISTRIBUTING,), now)
    if moved is not None:
        posts = [{**entry, "platformPostId": row["platform_post_id"]} for entry, row in zip(_entries(published), published)]
        events.record(moved, "production.published", {"status": states.PUBLISHED, "platforms": posts}, now)


def _entries(rows: list[database.Row]) -> list[dict[str, Any]]:
    return [{"platform": each["platform"], "status": each["status"]} for each in rows]


def _platforms(production_id: str) -> list[database.Row]:
    return database.rows(
        "SELECT platform, status, platform_post_id, error FROM publications WHERE production_id = ? ORDER BY platform",
        (production_id,),
    )
