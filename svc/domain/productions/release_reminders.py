"""Reminds the operator of finished productions that fail soon, because nobody has released them."""

from svc.base import clock
from svc.base.states import AWAITING_APPROVAL
from svc.domain.monitoring import alerts
from svc.store.expressions import is_distinct
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

ALERT = "ReleaseDue"
_AHEAD = 12 * clock.HOUR
_QUARTER = clock.HOUR // 4
_MOST = 100  # that a message counts
# As the condition of the index, so that SQLite uses it.
_MAY_EXPIRE = Production.status.in_(("Queued", "Producing", "AwaitingApproval"))
_DUE = Prepared(
    Production.select(Production.id, Production.title, Production.expires_at)
    .where(
        _MAY_EXPIRE,
        Production.status == AWAITING_APPROVAL,
        Production.expires_at > slot("now"),
        Production.expires_at <= slot("until"),
        Production.released_at.is_null(),
        Production.cancel_token.is_null(),
        is_distinct(
            Production.held_in, Production.status
        ),  # by a scenario, of which an end is a part
    )
    .order_by(Production.expires_at)
    .limit(_MOST + 1)
)


def compute_ahead(ttl_hours: int) -> int:
    """Return the milliseconds in which what expires does so soon: the last quarter of the time for
    which a production may wait, 12 hours at most.
    """
    return min(_AHEAD, ttl_hours * _QUARTER)


def remind(now: int, ttl_hours: int) -> int:
    """Raise the alert about the productions that await their release and expire soon, and return
    their number.

    It is raised again while there are any, and so that each is told of at least once while half of
    that time is left.

    Args:
        ttl_hours: For how long a production may wait.
    """
    ahead = compute_ahead(ttl_hours)
    due = _DUE.rows(now=now, until=now + ahead)
    if due:
        number = f"More than {_MOST}" if len(due) > _MOST else str(len(due))
        first = due[0]
        message = (
            f"{number} {'production awaits its' if len(due) == 1 else 'productions await their'} "
            f"release, and {'expires' if len(due) == 1 else 'expire'} soon, the first one at "
            f"{clock.format_time(first['expires_at'])}: {first['title'][:90]!r}. Release or reject "
            f"it in the console, or by `python app.py production release {first['id']}`."
        )
        alerts.raise_once(ALERT, "warning", message, now, subject_id=first["id"], every=ahead // 2)
    return len(due)
