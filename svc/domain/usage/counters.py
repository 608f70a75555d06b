"""Usage counters: updated with each request, delivery and production, and summed by month for the
partner.

Counters are per UTC day and change in the transaction of what they count. So a report over a year
reads a few hundred rows, however long the history is, and no job has to run at midnight.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from svc.base import clock
from svc.base.states import SANDBOX
from svc.domain import tiers
from svc.domain.caller import Caller
from svc.domain.tables.productions import Production
from svc.store.database import Row, db
from svc.store.expressions import EXCLUDED, SQL, elements, fn, is_same
from svc.store.models.partners import Account
from svc.store.models.usage import ProductionDay, SandboxDay, SpendMonth, UsageDay
from svc.store.queries import Prepared, slot, slots

_KEPT_DAYS = 400  # twelve months and the current one


def _counting_query(model: Any, key: tuple[str, ...], *counted: str) -> Prepared[Row]:
    """Return the query that adds to the ``counted`` columns of a day."""
    added = {name: getattr(model, name) + getattr(EXCLUDED, name) for name in counted}
    return Prepared(
        model.insert(slots(*key, *counted)).on_conflict(
            conflict_target=[getattr(model, name) for name in key],
            update={getattr(model, name): value for name, value in added.items()},
        )
    )


def _sums_query(model: Any) -> Any:
    """Return the query of a partner's sums by month, from the days since ``since``."""
    return (
        model.select(
            fn.substr(model.day, 1, 7).alias("month"),
            fn.sum(model.requests).alias("total"),
            fn.sum(model.status2xx).alias("status2xx"),
            fn.sum(model.status4xx).alias("status4xx"),
            fn.sum(model.status5xx).alias("status5xx"),
            fn.sum(model.rate_limited).alias("rateLimited"),
            fn.sum(model.deliveries_succeeded).alias("succeeded"),
            fn.sum(model.deliveries_failed).alias("failed"),
        )
        .where(model.partner_id == slot("partner"), model.day >= slot("since"))
        .group_by(SQL("month"))
    )


_COUNT_DELIVERIES = _counting_query(
    UsageDay, ("partner_id", "day"), "deliveries_succeeded", "deliveries_failed"
)
_COUNT_SANDBOX_DELIVERIES = _counting_query(
    SandboxDay, ("partner_id", "creator", "day"), "deliveries_succeeded", "deliveries_failed"
)
_COUNT_FINISHED = _counting_query(
    ProductionDay, ("account_id", "day"), "published", "failed", "cancelled", "rendered_ms"
)
_BY_PARTNER = Prepared(_sums_query(UsageDay))
_OF_SANDBOXES = Prepared(
    _sums_query(SandboxDay).where(
        slot("creator").cast("text").is_null() | (SandboxDay.creator == slot("creator"))
    )
)
REACHED_ACCOUNTS = (
    (Account.partner_id == slot("partner"))
    & (
        slot("environment").cast("text").is_null()
        | ((Account.environment == slot("environment")) & is_same(Account.creator, slot("creator")))
    )
    & (slot("permitted").cast("text").is_null() | Account.id.in_(elements(slot("permitted"))))
)
_BY_ACCOUNT = Prepared(
    Account.select(
        ProductionDay.account_id,
        fn.substr(ProductionDay.day, 1, 7).alias("month"),
        fn.sum(ProductionDay.triggered).alias("triggered"),
        fn.sum(ProductionDay.published).alias("published"),
        fn.sum(ProductionDay.failed).alias("failed"),
        fn.sum(ProductionDay.cancelled).alias("cancelled"),
        fn.sum(ProductionDay.rendered_ms).alias("rendered_ms"),
    )
    .join(ProductionDay, on=ProductionDay.account_id == Account.id)
    .where(REACHED_ACCOUNTS, ProductionDay.day >= slot("since"))
    .group_by(ProductionDay.account_id, SQL("month"))
)
_SPEND_OF = Account.select(
    SpendMonth.owner_id.alias("account_id"), SpendMonth.month, SpendMonth.amount
).join(SpendMonth, on=SpendMonth.owner_id == Account.id)
_SPEND = Prepared(_SPEND_OF.where(REACHED_ACCOUNTS, SpendMonth.month >= slot("since")))
_SPEND_IN_SANDBOXES = Prepared(
    _SPEND_OF.select(SpendMonth.month, fn.sum(SpendMonth.amount).alias("amount"))
    .where(
        Account.partner_id == slot("partner"),
        Account.environment == SANDBOX,
        SpendMonth.month >= slot("since"),
    )
    .group_by(SpendMonth.month)
)
_PRUNE = [
    Prepared(model.delete().where(model.day < slot("oldest")))
    for model in (UsageDay, SandboxDay, ProductionDay)
]
_ANSWERS = ("total", "status2xx", "status4xx", "status5xx", "rateLimited")
_DELIVERIES = ("succeeded", "failed")
_OUTCOMES = ("triggered", "published", "failed", "cancelled")


def count_deliveries(ended: Iterable[tuple[str, str | None, bool, int]]) -> None:
    """Count ended deliveries: (partner id, creator of a test key's subscription or None, whether it
    succeeded, time).

    Call it inside a transaction, once: what is counted of several partners is changed in one order,
    as by the recorder of requests, so that neither waits for the other.
    """
    ended = list(ended)
    counted = Counter(
        (partner_id, clock.format_day(at), succeeded) for partner_id, _, succeeded, at in ended
    )
    in_sandboxes = Counter(
        (clock.format_day(at), partner, creator, ok)
        for partner, creator, ok, at in ended
        if creator
    )
    _COUNT_DELIVERIES.execute_many(
        {"partner_id": partner, "day": day, **_count_ended(succeeded, number)}
        for (partner, day, succeeded), number in sorted(counted.items())
    )
    _COUNT_SANDBOX_DELIVERIES.execute_many(
        {"partner_id": partner, "creator": creator, "day": day, **_count_ended(succeeded, number)}
        for (day, partner, creator, succeeded), number in sorted(in_sandboxes.items())
    )


def _count_ended(succeeded: bool, number: int) -> dict[str, int]:
    return {
        "deliveries_succeeded": number * succeeded,
        "deliveries_failed": number * (not succeeded),
    }


def count_finished(production: Production, now: int) -> None:
    """Count a production that has just reached a terminal state. Call it inside a transaction."""
    outcomes = {outcome: int(production["status"].lower() == outcome) for outcome in _OUTCOMES[1:]}
    rendered = round(production["rendered_seconds"] * 1000)
    _COUNT_FINISHED.execute(
        account_id=production["account_id"],
        day=clock.format_day(now),
        rendered_ms=rendered,
        **outcomes,
    )


def report(
    partner_id: str, tier: str, months: int, now: int, caller: Caller | None = None
) -> dict[str, Any]:
    """Return the usage of the last ``months`` (1 to 12), including the current one, newest first
    (DECISIONS.md §6).

    ``caller``: limits the report to its environment and to the accounts that it may address; None:
    everything of the partner.
    """
    names = _list_months(months, now)
    since = f"{names[-1]}-01"
    answers = _sum_answers(partner_id, since, caller)
    reached = list_reach_slots(partner_id, caller)
    accounts: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in names}
    for row in _BY_ACCOUNT.rows(**reached, since=since):
        entry = accounts[row["month"]].setdefault(
            row["account_id"], _make_account(row["account_id"])
        )
        entry["productions"] = {name: row[name] for name in _OUTCOMES}
        entry["renderedSeconds"] = row["rendered_ms"] / 1000
    for row in _SPEND.rows(**reached, since=names[-1]):
        entry = accounts[row["month"]].setdefault(
            row["account_id"], _make_account(row["account_id"])
        )
        entry["spend"] = row["amount"] / 1_000_000
    in_sandboxes = _spend_in_sandboxes(partner_id, names[-1], caller, accounts)
    entries = [
        {
            "month": name,
            **_sum_month(
                answers.get(name, {}),
                list(accounts[name].values()),
                in_sandboxes.get(name, 0),
                caller is None,
            ),
        }
        for name in names
    ]
    return {
        "from": f"{since}T00:00:00.000Z",
        "to": clock.format_time(now),
        "tier": tier,
        "limits": tiers.represent(tier),
        "months": entries,
        "totals": _sum_totals(entries),
    }


def list_reach_slots(partner_id: str, caller: Caller | None) -> dict[str, Any]:
    """Return the values of REACHED_ACCOUNTS: the accounts that ``caller`` may address;
    None: all of the partner.
    """
    return {
        "partner": partner_id,
        "environment": caller and caller.account_environment,
        "creator": caller and caller.sandbox_owner,
        "permitted": caller and caller.permitted_text,
    }


def _spend_in_sandboxes(
    partner_id: str,
    since: str,
    caller: Caller | None,
    accounts: dict[str, dict[str, dict[str, Any]]],
) -> dict[str, float]:
    """Return what productions of sandboxes would have cost, by month,
    as far as ``caller`` may know it.
    """
    if caller is not None and caller.account_environment == SANDBOX:
        return {
            month: sum(account["spend"] for account in entries.values())
            for month, entries in accounts.items()
        }
    if caller is not None and caller.permitted_text is not None:
        return {}
    rows = _SPEND_IN_SANDBOXES.rows(partner=partner_id, since=since)
    return {row["month"]: row["amount"] / 1_000_000 for row in rows}


def _sum_answers(partner_id: str, since: str, caller: Caller | None) -> dict[str, dict[str, int]]:
    """Return the sums of requests and deliveries by month, in the environment of ``caller``;
    None: in both.
    """
    of_sandboxes = (
        _OF_SANDBOXES.rows(partner=partner_id, since=since, creator=caller.sandbox_owner)
        if caller
        else []
    )
    in_sandboxes = {row["month"]: row for row in of_sandboxes}
    if caller and caller.environment == "test":
        return {
            month: {name: row[name] for name in _ANSWERS + _DELIVERIES}
            for month, row in in_sandboxes.items()
        }
    return {
        row["month"]: {
            name: max(
                0,
                row[name]
                - (in_sandboxes[row["month"]][name] if row["month"] in in_sandboxes else 0),
            )
            for name in _ANSWERS + _DELIVERIES
        }
        for row in _BY_PARTNER.rows(partner=partner_id, since=since)
    }


def _list_months(number: int, now: int) -> list[str]:
    year, month = map(int, clock.format_month(now).split("-"))
    indices = (year * 12 + month - 1 - back for back in range(number))
    return [f"{index // 12:04d}-{index % 12 + 1:02d}" for index in indices]


def _make_account(account_id: str) -> dict[str, Any]:
    return {
        "accountId": account_id,
        "productions": dict.fromkeys(_OUTCOMES, 0),
        "renderedSeconds": 0.0,
        "spend": 0.0,
    }


def _sum_month(
    answers: dict[str, int], accounts: list[dict[str, Any]], in_sandboxes: float, are_mixed: bool
) -> dict[str, Any]:
    """Return the sums of a month.

    ``are_mixed``: whether live and sandbox accounts are among ``accounts``.
    """
    spend = sum(account["spend"] for account in accounts) - (in_sandboxes if are_mixed else 0)
    return {
        "requests": {name: answers.get(name, 0) for name in _ANSWERS},
        "productions": {
            name: sum(account["productions"][name] for account in accounts) for name in _OUTCOMES
        },
        "renderedSeconds": round(sum(account["renderedSeconds"] for account in accounts), 3),
        "webhookDeliveries": {name: answers.get(name, 0) for name in _DELIVERIES},
        "spend": round(spend, 6),
        "sandboxSpend": round(in_sandboxes, 6),
        "byAccount": sorted(accounts, key=lambda account: account["accountId"]),
    }


def _sum_totals(entries: list[dict[str, Any]]) -> dict[str, Any]:
    def added(group: str) -> dict[str, Any]:
        return {name: sum(month[group][name] for month in entries) for name in entries[0][group]}

    return {
        "requests": added("requests"),
        "productions": added("productions"),
        "renderedSeconds": round(sum(month["renderedSeconds"] for month in entries), 3),
        "webhookDeliveries": added("webhookDeliveries"),
        "spend": round(sum(month["spend"] for month in entries), 6),
        "sandboxSpend": round(sum(month["sandboxSpend"] for month in entries), 6),
    }


def prune(now: int) -> None:
    """Remove days that are too old for any report."""
    oldest = clock.format_day(now - _KEPT_DAYS * clock.DAY)
    with db.transaction(durable=False):
        for statement in _PRUNE:
            statement.execute(oldest=oldest)
