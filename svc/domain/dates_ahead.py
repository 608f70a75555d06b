"""How old things are that a clock dated which was ahead, and has been set back since: as old as the
time for which they are known to be dated ahead.

Nothing is dated anew. If not those dates are wrong but the clock, which is behind, all is as it was
once it is right.
"""

from svc.base import clock, ids
from svc.store import meta
from svc.store.database import db
from svc.store.expressions import fn
from svc.store.models.productions import Production
from svc.store.models.usage import Request
from svc.store.models.webhooks import Delivery
from svc.store.queries import Prepared

NEVER = 2**62  # after every time
_LAST_ENDS = [
    Prepared(Production.select(fn.max(Production.finished_at)).where(Production.status == status))
    for status in ("Published", "Failed", "Cancelled")
]
_LAST_IDS = [Prepared(model.select(fn.max(model.id))) for model in (Production, Delivery)]
_LAST_REQUEST = Prepared(Request.select(fn.max(Request.at)))


def note(now: int) -> None:
    """Note since when something is dated ahead of the clock, and up to which time; once a day.

    What is dated later than anything before begins that anew: the clock was ahead once more.
    """
    newest = _find_newest()
    with db.transaction(durable=False):
        stored = meta.read_text("dated_ahead")
        if newest <= now + clock.SKEW:
            if stored is not None:
                meta.remove("dated_ahead")
            return
        since, latest = map(int, stored.split()) if stored else (NEVER, 0)
        if newest > latest or since > now + clock.SKEW:
            meta.put("dated_ahead", f"{now} {newest}")


def _find_newest() -> int:
    ends: list[int | None] = [query.value() for query in (*_LAST_ENDS, _LAST_REQUEST)]
    last_ids = [query.value() for query in _LAST_IDS]
    beginnings = [ids.read_time(last) for last in last_ids if last is not None]
    return max([0, *beginnings, *(at for at in ends if at is not None)])


def find_latest(before: int, now: int) -> int:
    """Return the time such that what is dated later counts as older than ``before``, too; in
    milliseconds, :data:`NEVER` where nothing does.
    """
    stored = meta.read_text("dated_ahead")
    since = int(stored.split()[0]) if stored else NEVER
    return now + clock.SKEW if since < before else NEVER
