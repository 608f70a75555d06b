"""The distribution of finished productions: release or
rejection, ``Distributing``, ``Published``.
"""

from svc.base import states
from svc.base.errors import CommandError
from svc.domain.lifecycle import endings, lifecycle
from svc.domain.lifecycle.lifecycle import Cause
from svc.domain.productions import publication_queues
from svc.domain.tables.productions import Production
from svc.domain.webhooks import event_types, events
from svc.store import wake
from svc.store.database import Row, db
from svc.store.models import productions as models
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot

_OF_PRODUCTION = Publication.production_id == slot("production_id")
_MAKE_DUE = Prepared(
    Publication.update(next_attempt_at=slot("now")).where(
        _OF_PRODUCTION, Publication.status == "Pending"
    )
)
_PLATFORMS = Prepared(
    Publication.select(
        Publication.platform, Publication.status, Publication.platform_post_id, Publication.error
    )
    .where(_OF_PRODUCTION)
    .order_by(Publication.platform)
)
_FIND = Prepared(models.Production.select().where(models.Production.id == slot("id")), Production)


def release(production_id: str, now: int) -> None:
    """Release a production for publication, as an operator.

    CommandError: it does not await its release.
    """
    with db.transaction():
        if not make_due(production_id, now):
            why = explain_state(production_id)
            raise CommandError(f"Only a production that awaits its release can be released; {why}.")


def explain_state(production_id: str) -> str | None:
    """Return why a production does not await its release, as part of a sentence; None: it does."""
    row = _FIND.row(id=production_id)
    if row is None:
        return "there is no such production"
    if row["cancel_token"] is not None:
        return "it is being cancelled"
    if row["status"] != states.AWAITING_APPROVAL:
        return f"it is {row['status']}"
    return "it is released already" if row["released_at"] is not None else None


def make_due(production_id: str, now: int) -> bool:
    """Release a production and make its publications due; return False if it does not await its
    release. Inside a transaction.
    """
    released = lifecycle.release(production_id, now)
    if released:
        _MAKE_DUE.execute(production_id=production_id, now=now)
        wake.wake_on_commit()
        publication_queues.call_for_next(now)
    return released


def reject(production_id: str, reason: str, now: int) -> None:
    """Reject a production, as an operator. CommandError: it does not await its release."""
    if not endings.fail_production(
        production_id, Cause.REJECTED, "REJECTED_BY_OPERATOR", reason, now
    ):
        why = explain_state(production_id)
        raise CommandError(f"Only a production that awaits its release can be rejected; {why}.")


def start_distributing(production_id: str, now: int) -> bool:
    """Move a production to ``Distributing`` with its first publication; return whether it may be
    published. Inside a transaction.

    It may in that state, and later, when a publication that failed is retried.
    """
    moved = lifecycle.move(production_id, Cause.PUBLISHING_STARTED, now)
    row = _FIND.one(id=production_id)
    if moved:
        data: event_types.Distributing = {
            "status": states.DISTRIBUTING,
            "platforms": [
                {"platform": each["platform"], "status": each["status"]}
                for each in _list_platforms(production_id)
            ],
        }
        events.record(row, event_types.DISTRIBUTING, data, now)
    return row["status"] in (states.DISTRIBUTING, states.PUBLISHED) and row["cancel_token"] is None


def finish_distributing(production_id: str, now: int) -> None:
    """End a production without open publications: ``Published`` if any succeeded, else ``Failed``.

    Inside a transaction.
    """
    entries = _list_platforms(production_id)
    if any(row["status"] in ("Pending", "Publishing") for row in entries):
        return
    published = [row for row in entries if row["status"] == "Published"]
    if not published:
        reasons = "; ".join(f"{row['platform']}: {row['error']}" for row in entries)
        message = f"No place published it. {reasons}".strip()
        endings.fail_production(
            production_id, Cause.NOTHING_PUBLISHED, "DISTRIBUTION_FAILED", message, now
        )
        return
    moved = endings.end_production(production_id, Cause.PUBLISHED, now)
    if moved is not None:
        data: event_types.ProductionPublished = {
            "status": states.PUBLISHED,
            "platforms": [
                {
                    "platform": row["platform"],
                    "status": row["status"],
                    "platformPostId": row["platform_post_id"],
                }
                for row in published
            ],
        }
        endings.record_end(moved, event_types.PRODUCTION_PUBLISHED, data, now)


def _list_platforms(production_id: str) -> list[Row]:
    return _PLATFORMS.rows(production_id=production_id)
