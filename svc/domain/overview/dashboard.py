"""The first page of the console: running and waiting productions, failures of today,
and the health of the engine.
"""

from dataclasses import dataclass, replace
from typing import Any

from svc.base import states
from svc.domain.lanes import LANES
from svc.domain.lifecycle import stages
from svc.domain.monitoring import alerts, engine_heartbeat, maintenance
from svc.domain.overview import state_counts
from svc.domain.paging import Page
from svc.domain.productions.search import Search
from svc.domain.productions.search import list_page as search
from svc.domain.tables.productions import FailedProduction
from svc.domain.tables.webhooks import FailingSubscription
from svc.domain.webhooks import admin as webhook_admin
from svc.store.expressions import JOIN, fn, indexed
from svc.store.models import webhooks as models
from svc.store.models.partners import Account, Partner
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

ROWS_SHOWN = 6  # of each list

_ANY_PARTNER = slot("partner").cast("text").is_null()
_FAILED = Prepared(
    Production.select(
        Production.id,
        Production.title,
        Production.finished_at,
        Production.error_code,
        Production.error_message,
        Account.name.alias("account_name"),
        Partner.name.alias("partner_name"),
    )
    .join(Account, on=Account.id == Production.account_id)
    .join(Partner, on=Partner.id == Production.partner_id)
    .where(
        Production.status == states.FAILED,
        Production.finished_at >= slot("since"),
        _ANY_PARTNER | (Production.partner_id == slot("partner")),
    )
    .order_by(Production.finished_at.desc())
    .limit(ROWS_SHOWN),
    FailedProduction,
)
_SUBSCRIPTION, _DELIVERY = models.Subscription, models.Delivery
_IS_DUE = (
    (_DELIVERY.status == "Pending")
    & _DELIVERY.claim_token.is_null()
    & _DELIVERY.next_attempt_at.is_null(False)
)
_OLDEST = Prepared(_DELIVERY.select(fn.min(_DELIVERY.next_attempt_at)).where(_IS_DUE))
_OLDEST_OF_PARTNER = Prepared(
    _SUBSCRIPTION.select(fn.min(_DELIVERY.next_attempt_at))
    .with_cte(LANES)
    .join(LANES, JOIN.CROSS)
    .join(_DELIVERY, JOIN.CROSS)
    .where(
        _DELIVERY.lane == LANES.c.lane,
        _DELIVERY.subscription_id == _SUBSCRIPTION.id,
        _IS_DUE,
        _SUBSCRIPTION.partner_id == slot("partner"),
        _SUBSCRIPTION.deleted_at.is_null(),
    )
)
# An endpoint is failing from its first failed attempt to its next success; a suspended one, until
# it is reinstated.
_IS_FAILING = _SUBSCRIPTION.failing_since.is_null(False)


def _troubled_query(index: str, which: Any) -> Prepared[FailingSubscription]:
    """Return the query of the subscriptions ``which`` have trouble, read from an index."""
    return Prepared(
        _SUBSCRIPTION.select(
            _SUBSCRIPTION.id,
            _SUBSCRIPTION.endpoint_url,
            _SUBSCRIPTION.status,
            _SUBSCRIPTION.failure_count,
            _SUBSCRIPTION.failing_since,
            _SUBSCRIPTION.paused_at,
            _SUBSCRIPTION.last_delivery_at,
            Partner.name.alias("partner_name"),
        )
        .from_(indexed(_SUBSCRIPTION, index))
        .join(Partner, on=Partner.id == _SUBSCRIPTION.partner_id)
        .where(_SUBSCRIPTION.deleted_at.is_null(), which)
        .order_by(_SUBSCRIPTION.failing_since, _SUBSCRIPTION.id)
        .limit(ROWS_SHOWN),
        FailingSubscription,
    )


_TROUBLED_OF_PARTNER = _troubled_query(
    "subscriptions_by_partner",
    (_SUBSCRIPTION.partner_id == slot("partner"))
    & (_IS_FAILING | (_SUBSCRIPTION.status == "Failed")),
)
_TROUBLED_OF_ALL = _troubled_query("subscriptions_failing", _IS_FAILING)


@dataclass(frozen=True)
class Counted:
    """A list of productions and how many it has, at most ``state_counts.MOST`` + 1."""

    search: Search
    number: int


def list_productions(partner_id: str | None, today: tuple[int, int]) -> dict[str, Any]:
    """Return lists of running, waiting and (today) failed productions, and the ``cards``, each a
    list with its number.

    ``partner_id`` None: of all partners; ``today``: the first and the last millisecond of the day.
    """
    return {
        "cards": {
            name: Counted(each, state_counts.count_productions(each))
            for name, each in _make_searches(partner_id, *today).items()
        },
        "running": _list_newest(partner_id, stages.RUNNING),
        "waiting": _list_newest(partner_id, stages.WAITING),
        "failed": _FAILED.rows(since=today[0], partner=partner_id),
    }


def _make_searches(partner_id: str | None, since: int, until: int) -> dict[str, Search]:
    ended = Search(partner_id, since=since, until=until, by_end=True)
    return {
        **{
            stage: Search(partner_id, stage=stage)
            for stage in (stages.RUNNING, states.QUEUED, *stages.GROUPS[stages.WAITING])
        },
        "triggered": Search(partner_id, since=since, until=until),
        **{
            state: replace(ended, stage=state)
            for state in (states.FAILED, states.PUBLISHED, states.CANCELLED)
        },
    }


def _list_newest(partner_id: str | None, group: str) -> list[dict[str, Any]]:
    newest = [
        row
        for each in stages.GROUPS[group]
        for row in search(Search(partner_id, stage=each), Page(ROWS_SHOWN))["data"]
    ]
    return newest[:ROWS_SHOWN]


def find_engine_health(now: int) -> dict[str, Any]:
    """Return the state of the engine (``running``, ``late`` or ``never``), its last ``heartbeat``,
    and the delivery queue.
    """
    heartbeat = engine_heartbeat.read_last_heartbeat()
    state = (
        "never"
        if heartbeat is None
        else "late"
        if engine_heartbeat.is_late(heartbeat, now)
        else "running"
    )
    return {
        "state": state,
        "heartbeat": heartbeat,
        "maintenance": maintenance.retry_after() is not None,
        **_queue(None, _OLDEST.value(), now),
    }


def find_delivery_health(partner_id: str, now: int) -> dict[str, Any]:
    """Return the delivery queue of a partner, and its failing endpoints."""
    return {
        **_queue(partner_id, _OLDEST_OF_PARTNER.value(partner=partner_id), now),
        "troubled": list_failing_webhooks(partner_id),
    }


def list_failing_webhooks(partner_id: str | None) -> list[FailingSubscription]:
    """Return the webhooks with failing endpoints, the longest failing first; ``partner_id`` None:
    of all partners.
    """
    return _TROUBLED_OF_PARTNER.rows(partner=partner_id) if partner_id else _TROUBLED_OF_ALL.rows()


def _queue(partner_id: str | None, oldest: int | None, now: int) -> dict[str, Any]:
    """Return the number of ``waiting`` deliveries, and when the ``oldest`` became due;
    None: it is not due yet.
    """
    waiting = webhook_admin.count_queued(partner_id)
    return {"waiting": waiting, "oldest": oldest if oldest is not None and oldest <= now else None}


def list_open_alerts() -> dict[str, Any]:
    """Return the number of open alerts, and the newest of them."""
    return {"count": alerts.count_open(), "newest": alerts.list_page(Page(ROWS_SHOWN))["data"]}
