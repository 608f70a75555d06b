"""Chores: what is to be done by the clock rather than by an event: expiry, the end of a day, pruning."""

import logging
from collections.abc import Callable

from svc.adapters import notify
from svc.base import clock
from svc.base.outage import Trouble
from svc.base.settings import Settings
from svc.domain import retention
from svc.domain.access import auth_failures, idempotency, key_limits
from svc.domain.monitoring import alerts
from svc.domain.people import sessions
from svc.domain.productions import render_queue
from svc.domain.usage import counters as usage_counters
from svc.domain.usage import history
from svc.domain.watch import performance, play_sums
from svc.domain.webhooks import log as delivery_log
from svc.store import database, meta, upkeep

log = logging.getLogger("svc.chores")

_BATCH = 1000  # rows in one transaction of the pruning, so that no request waits long
_FREE_SHARE = 0.2  # of the database, which may stay free in it
_PAGES = 1000  # given back in one turn


def close_day(now: int, settings: Settings, remove: Callable[[str], None]) -> None:
    """Once a day: what its time of keeping has passed goes. Counters belong to their date, so nothing has to be reset.

    ``remove``: called to remove the files of a production.
    """
    key_limits.warn(now)
    usage_counters.prune(now)
    performance.remove_unwatched(now - clock.DAY)
    play_sums.add_up(now)
    alerts.prune(now, now - settings.history_days * clock.DAY)
    idempotency.prune(now)
    auth_failures.prune(now)
    sessions.prune(now)
    while history.prune(now - settings.history_days * clock.DAY, _BATCH) == _BATCH:
        pass
    delivery_log.prune(now - settings.delivery_days * clock.DAY)
    if settings.media_days:
        retention.prune_files(now - settings.media_days * clock.DAY, remove)
    if settings.production_days:
        retention.prune_productions(now - settings.production_days * clock.DAY, remove)
    if settings.sandbox_media_days:
        retention.prune_files(now - settings.sandbox_media_days * clock.DAY, remove, sandboxes=True)
    if settings.sandbox_production_days:
        retention.prune_productions(now - settings.sandbox_production_days * clock.DAY, remove, sandboxes=True)
    shrink()


def shrink() -> None:
    """Give back to the disk what pruning left free in the database, but for what it soon takes again."""
    while upkeep.free_share() > _FREE_SHARE and upkeep.shrink(_PAGES):
        pass


def begin_day(now: int) -> bool:
    """Note the day as begun; False where it was already. The machine may have been off or asleep at midnight."""
    with database.write(durable=False):
        closed = meta.text("closed_day")
        meta.put("closed_day", clock.day(now))
    return closed != clock.day(now)


def tell_people(urls: tuple[str, ...], now: int) -> None:
    """Send the alerts that nobody was told of to the operator's addresses; what fails is tried again at the next tick."""
    for alert in alerts.to_notify(now) if urls else ():
        if not notify.notify(urls, f"{alert['severity'].upper()}: {alert['name']}", alert["message"]):
            log.warning("alert %s could not be sent to the addresses of SVC_ALERT_URLS", alert["id"])
            return
        alerts.mark_notified(alert["id"], now)


def try_addresses(urls: tuple[str, ...], text: str) -> list[tuple[str, bool]]:
    """Send a message to each of the operator's addresses: the kind of each, since the rest of it is secret, and whether it was
    taken."""
    return [(url.partition(":")[0], notify.notify((url,), "INFO: Test", text)) for url in urls]


def tell_of_trouble(urls: tuple[str, ...], troubles: list[Trouble]) -> None:
    """Tell people of trouble that is in the way of writing it down."""
    for each in troubles if urls else ():
        if not notify.notify(urls, f"CRITICAL: {each.name}", each.mend):
            log.warning("%s could not be told to the addresses of SVC_ALERT_URLS", each.name)


def terminal_folders(names: list[str]) -> list[str]:
    """Which of the work folders, named after their productions, belong to none that is still being made."""
    still = render_queue.being_made(names)
    return [name for name in names if name not in still]
