"""Actions of people on single publications: retry, skip and withdraw; each is entered in the audit log."""

from svc.base import states
from svc.base.errors import Conflict, NotFound, NotYours
from svc.domain import rows
from svc.domain.people import audit
from svc.domain.people.users import Viewer
from svc.domain.productions import detail, distribution, lifecycle
from svc.domain.productions.detail import ProductionDetail
from svc.domain.publishing import journal
from svc.domain.tables.productions import Publication
from svc.store import claims, database, wake

SKIPPED, WITHDRAWN = "It was skipped by hand.", "It was withdrawn by hand."
_ONE = "SELECT * FROM publications WHERE production_id = ? AND platform = ?"
_RETRY = """
    UPDATE publications SET status = 'Pending', attempts = 0, error = NULL, next_attempt_at = ?
    WHERE production_id = ? AND platform = ? AND status IN ('Failed', 'Withdrawn')
"""
_HASTEN = """
    UPDATE publications SET attempts = 0, next_attempt_at = ?
    WHERE production_id = ? AND platform = ? AND status = 'Publishing' AND claim_token IS NULL
"""
_SKIP = f"""
    UPDATE publications SET status = 'Withdrawn', error = ?, next_attempt_at = NULL, {claims.FREED}
    WHERE production_id = ? AND platform = ? AND status IN ('Pending', 'Publishing')
"""

_WITHDRAW = """
    UPDATE publications SET status = 'Withdrawn', error = ?, session = NULL, post_url = NULL, details = NULL,
        figures_due = NULL, publish_at = NULL
    WHERE production_id = ? AND platform = ? AND status = 'Published'
"""


def retry(viewer: Viewer, production_id: str, platform: str, now: int) -> None:
    """Publish again on a platform where that failed or was skipped, or where it waits for its next attempt.

    NotFound, NotYours; Conflict: there is nothing to retry, or the production ended without any publication.
    """
    with database.write():
        production = _find(viewer, production_id, platform)
        if production["status"] not in (states.DISTRIBUTING, states.PUBLISHED):
            raise Conflict(f"A publication can be retried while its production is Distributing or Published; {_is(production)}")
        place = (now, production_id, platform)
        begun_anew = bool(database.execute(_RETRY, place))
        if not begun_anew and not database.execute(_HASTEN, place):
            raise Conflict("Only a publication that failed, was skipped, or waits for its next attempt can be retried.")
        if begun_anew:
            journal.begin_anew(production_id, platform)
        _record(viewer, "publication.retry", production, platform, now)
        wake.on_commit()


def skip(viewer: Viewer, production_id: str, platform: str, now: int) -> None:
    """Give up an open publication, so that the production does not wait for it.

    NotFound, NotYours; Conflict: it is not open, or the production has not been released.
    """
    with database.write():
        production = _find(viewer, production_id, platform)
        if production["status"] not in (states.DISTRIBUTING, states.PUBLISHED):
            raise Conflict(f"A publication can be skipped while its production is Distributing; {_is(production)}")
        if not database.execute(_SKIP, (SKIPPED, production_id, platform)):
            raise Conflict("Only a publication that is Pending or Publishing can be skipped.")
        _record(viewer, "publication.skip", production, platform, now)
        distribution.finish_distributing(production_id, now)


def to_withdraw(viewer: Viewer, production_id: str, platform: str) -> Publication:
    """Return a publication that can be withdrawn from its place. NotFound, NotYours; Conflict: it is not Published at one."""
    _find(viewer, production_id, platform)
    row = rows.one(Publication, _ONE, (production_id, platform))
    if row["status"] != "Published" or row["connection_id"] is None:
        raise Conflict("Only a publication that is Published at a place of the account's own can be withdrawn.")
    return row


def record_withdrawn(viewer: Viewer, production_id: str, platform: str, now: int) -> None:
    """Record that a publication was removed from its place. NotFound, NotYours."""
    with database.write():
        production = _find(viewer, production_id, platform)
        if database.execute(_WITHDRAW, (WITHDRAWN, production_id, platform)):
            _record(viewer, "publication.withdraw", production, platform, now)


def _find(viewer: Viewer, production_id: str, platform: str) -> ProductionDetail:
    production = detail.find(viewer.partner_id, production_id)
    if not viewer.may_change:
        raise NotYours()
    if rows.first(Publication, _ONE, (production_id, platform)) is None:
        raise NotFound(f"The production is not published on {platform[:40]!r}.")
    return production


def _is(production: ProductionDetail) -> str:
    return f"it is {production['status']}."


def _record(viewer: Viewer, action: str, production: ProductionDetail, platform: str, now: int) -> None:
    lifecycle.touch(production["id"], now)
    audit.record(
        viewer.actor,
        action,
        production["title"],
        now,
        subject_id=production["id"],
        partner_id=production["partner_id"],
        after={"platform": platform},
    )
