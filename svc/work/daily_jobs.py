"""What is done once a day: rows and files are removed whose time has passed, plays are summed up,
and who has a key that expires is told.
"""

from collections.abc import Callable

from svc.base import clock
from svc.base.settings import Settings
from svc.domain import dates_ahead, file_removal
from svc.domain.access import auth_failures, idempotency, key_limits, keys
from svc.domain.briefing import batches
from svc.domain.file_removal import Removal
from svc.domain.monitoring import alerts
from svc.domain.people import kept_forms, sent_forms, sessions, users
from svc.domain.productions import retention
from svc.domain.usage import counters as usage_counters
from svc.domain.usage import history, refusals
from svc.domain.watch import performance, play_sums
from svc.domain.webhooks import deliveries, usage_thresholds
from svc.store import meta, upkeep
from svc.store.database import db

_BATCH = 1000  # rows pruned in one transaction, so that no request waits long
_FREE_SHARE = 0.2  # share of the database file that may stay free
_PAGES = 1000  # database pages released at a time
_CLOSING = 15 * clock.MINUTE  # until the daily jobs are begun anew that have not ended


def close_day(now: int, settings: Settings, remove: Callable[[Removal], None]) -> None:
    """Do what is done once a day. Counters belong to their date, so none has to be reset.

    ``remove``: removes files, see svc.domain.file_removal.
    """
    key_limits.raise_expiry_alerts(now)
    dates_ahead.note(now)
    usage_counters.prune(now)
    usage_thresholds.prune(now)
    performance.remove_unwatched(now - clock.DAY)
    play_sums.sum_plays(now)
    before_history = now - settings.history_days * clock.DAY
    after_history = dates_ahead.find_latest(before_history, now)
    alerts.prune(now, before_history, after_history)
    idempotency.prune(now)
    auth_failures.prune(now)
    keys.prune(before_history)
    users.prune_invitations(before_history)
    batches.prune(before_history, after_history)
    sessions.prune(now)
    sent_forms.prune(now)
    kept_forms.prune(now)
    while history.prune(before_history, _BATCH, after_history) == _BATCH:
        pass
    before = now - settings.refusal_days * clock.DAY
    refusals.prune(before, dates_ahead.find_latest(before, now))
    before = now - settings.delivery_days * clock.DAY
    deliveries.prune(before, latest=dates_ahead.find_latest(before, now))
    if settings.media_days:
        retention.prune_files(now - settings.media_days * clock.DAY, now)
    if settings.production_days:
        before = now - settings.production_days * clock.DAY
        retention.prune_productions(before, now)
        # Their items have topics of briefs that would have become productions.
        batches.prune(before, dates_ahead.find_latest(before, now))
    if settings.sandbox_media_days:
        retention.prune_files(now - settings.sandbox_media_days * clock.DAY, now, sandboxes=True)
    if settings.sandbox_production_days:
        before = now - settings.sandbox_production_days * clock.DAY
        retention.prune_productions(before, now, sandboxes=True)
        batches.prune(before, dates_ahead.find_latest(before, now), sandboxes=True)
    file_removal.remove_scheduled(remove)
    shrink_database()


def shrink_database() -> None:
    """Return free pages of the database to the disk, except for the share that it will
    soon need again.
    """
    while upkeep.measure_free_share() > _FREE_SHARE and upkeep.return_free_pages(_PAGES):
        pass


def begin_day(now: int) -> bool:
    """Return whether the daily jobs of the present day are to be done here.

    The machine may have been off or asleep at midnight. They are done until :func:`end_day`: if
    whoever begins them fails or dies, such as on a full disk, the next one does them in a quarter
    of an hour.
    """
    with db.transaction(durable=False):
        until = meta.read_number("closing_until") or 0
        # One further away is of a clock that has been set back since.
        is_begun = now < until <= now + _CLOSING
        if is_begun or meta.read_text("closed_day") == clock.format_day(now):
            return False
        meta.put("closing_until", now + _CLOSING)
    return True


def end_day(began_at: int) -> None:
    """Record that the daily jobs of the day on which they were begun are done."""
    with db.transaction(durable=False):
        meta.put("closed_day", clock.format_day(began_at))
        meta.remove("closing_until")
