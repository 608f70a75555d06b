"""Actions of people on single publications: retry, skip and withdraw;
each is entered in the audit log.
"""

from svc.base import states
from svc.base.errors import Conflict, NotFound, NotYours
from svc.domain.audit import audit
from svc.domain.lifecycle import deliverables, lifecycle
from svc.domain.people.users import Viewer
from svc.domain.productions import detail, distribution, publication_queues
from svc.domain.productions.detail import ProductionDetail
from svc.domain.publishing import upload_state
from svc.domain.tables.productions import Publication
from svc.store import claims, wake
from svc.store.models import publishing as models
from svc.store.queries import Prepared, slot

SKIPPED, WITHDRAWN = "It was skipped by hand.", "It was withdrawn by hand."
_PUBLICATION = models.Publication
_THIS_ONE = (_PUBLICATION.production_id == slot("production_id")) & (
    _PUBLICATION.platform == slot("platform")
)
_FIND = Prepared(_PUBLICATION.select().where(_THIS_ONE), Publication)
_RETRY = Prepared(
    _PUBLICATION.update(
        status="Pending", attempts=0, error=None, next_attempt_at=slot("now")
    ).where(_THIS_ONE, _PUBLICATION.status.in_(("Failed", "Withdrawn")))
)
_HASTEN = Prepared(
    _PUBLICATION.update(attempts=0, next_attempt_at=slot("now")).where(
        _THIS_ONE, _PUBLICATION.status == "Publishing", _PUBLICATION.claim_token.is_null()
    )
)
_SKIP = Prepared(
    _PUBLICATION.update(
        status="Withdrawn", error=SKIPPED, next_attempt_at=None, **claims.UNCLAIMED
    ).where(_THIS_ONE, _PUBLICATION.status.in_(("Pending", "Publishing")))
)
_WITHDRAW = Prepared(
    _PUBLICATION.update(
        status="Withdrawn",
        error=WITHDRAWN,
        session=None,
        post_url=None,
        details=None,
        figures_due=None,
        publish_at=None,
    ).where(_THIS_ONE, _PUBLICATION.status == "Published")
)


def retry(viewer: Viewer, production_id: str, platform: str, now: int) -> None:
    """Publish again on a platform where that failed or was skipped, or where it waits for its next
    attempt.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        Conflict: There is nothing to retry, the production ended without any publication, or its
            files are removed.
    """
    turn = lifecycle.find_partner(production_id)
    with audit.recording(viewer.actor, "publication.retry", None, now, in_turn_of=turn) as entry:
        production = _find_changeable(viewer, production_id, platform)
        if production["status"] not in (states.DISTRIBUTING, states.PUBLISHED):
            raise Conflict(
                "A publication can be retried while its production is Distributing or Published; "
                f"{_describe_status(production)}"
            )
        is_published = production["status"] == states.PUBLISHED
        if is_published and not deliverables.has_files(production_id):
            raise Conflict(
                "The production's files are removed, as they are kept for a time only: nothing is "
                "left to publish. Trigger its brief anew."
            )
        begun_anew = bool(_RETRY.execute(production_id=production_id, platform=platform, now=now))
        if not begun_anew and not _HASTEN.execute(
            production_id=production_id, platform=platform, now=now
        ):
            raise Conflict(
                "Only a publication that failed, was skipped, or waits for its next attempt can "
                "be retried."
            )
        if begun_anew:
            upload_state.begin_anew(production_id, platform)
        _note_change(entry, production, platform, now)
        wake.wake_on_commit()
        publication_queues.call_for_next(now)


def skip(viewer: Viewer, production_id: str, platform: str, now: int) -> None:
    """Give up an open publication, so that the production does not wait for it.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        Conflict: It is not open, or the production has not been released.
    """
    turn = lifecycle.find_partner(production_id)
    with audit.recording(viewer.actor, "publication.skip", None, now, in_turn_of=turn) as entry:
        production = _find_changeable(viewer, production_id, platform)
        if production["status"] not in (states.DISTRIBUTING, states.PUBLISHED):
            raise Conflict(
                "A publication can be skipped while its production is Distributing; "
                f"{_describe_status(production)}"
            )
        if not _SKIP.execute(production_id=production_id, platform=platform):
            raise Conflict("Only a publication that is Pending or Publishing can be skipped.")
        _note_change(entry, production, platform, now)
        distribution.finish_distributing(production_id, now)


def find_to_withdraw(viewer: Viewer, production_id: str, platform: str) -> Publication:
    """Return a publication that can be withdrawn from its place.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        Conflict: It is not Published at one.
    """
    _find_changeable(viewer, production_id, platform)
    row = _FIND.one(production_id=production_id, platform=platform)
    if row["status"] != "Published" or row["connection_id"] is None:
        raise Conflict(
            "Only a publication that is Published at a place of the account's own can be withdrawn."
        )
    return row


def record_withdrawn(viewer: Viewer, production_id: str, platform: str, now: int) -> None:
    """Record that a publication was removed from its place. NotFound, NotYours."""
    turn = lifecycle.find_partner(production_id)
    with audit.recording(viewer.actor, "publication.withdraw", None, now, in_turn_of=turn) as entry:
        production = _find_changeable(viewer, production_id, platform)
        if _WITHDRAW.execute(production_id=production_id, platform=platform):
            _note_change(entry, production, platform, now)
        else:
            entry.omit()


def _find_changeable(viewer: Viewer, production_id: str, platform: str) -> ProductionDetail:
    production = detail.find(viewer.partner_id, production_id)
    if not viewer.may_change:
        raise NotYours()
    if _FIND.row(production_id=production_id, platform=platform) is None:
        raise NotFound(f"The production is not published on {platform[:40]!r}.")
    return production


def _describe_status(production: ProductionDetail) -> str:
    return f"it is {production['status']}."


def _note_change(entry: audit.Entry, production: ProductionDetail, platform: str, now: int) -> None:
    lifecycle.note_visible_change(production["id"], now)
    entry.describe(
        production["title"],
        subject_id=production["id"],
        partner_id=production["partner_id"],
        after={"platform": platform},
    )
