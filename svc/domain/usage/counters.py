"""Usage counters: updated with each request, delivery and production, and summed by month for the partner.

Counters are per UTC day and change in the transaction of what they count. So a report over a year reads a few hundred rows,
however long the history is, and no job has to run at midnight.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from svc.base import clock
from svc.base.states import SANDBOX
from svc.domain import tiers
from svc.domain.caller import Caller
from svc.domain.tables.productions import Production
from svc.store import database

_KEPT_DAYS = 400  # twelve months and the current one

_COUNT_DELIVERIES = """
    INSERT INTO usage_days (partner_id, day, deliveries_succeeded, deliveries_failed) VALUES (?, ?, ?, ?)
    ON CONFLICT (partner_id, day) DO UPDATE
        SET deliveries_succeeded = usage_days.deliveries_succeeded + excluded.deliveries_succeeded,
        deliveries_failed = usage_days.deliveries_failed + excluded.deliveries_failed
"""
_COUNT_SANDBOX_DELIVERIES = """
    INSERT INTO sandbox_days (partner_id, creator, day, deliveries_succeeded, deliveries_failed) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (partner_id, creator, day) DO UPDATE
        SET deliveries_succeeded = sandbox_days.deliveries_succeeded + excluded.deliveries_succeeded,
        deliveries_failed = sandbox_days.deliveries_failed + excluded.deliveries_failed
"""
_COUNT_FINISHED = """
    INSERT INTO production_days (account_id, day, published, failed, cancelled, rendered_ms) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (account_id, day) DO UPDATE SET published = production_days.published + excluded.published,
        failed = production_days.failed + excluded.failed, cancelled = production_days.cancelled + excluded.cancelled,
        rendered_ms = production_days.rendered_ms + excluded.rendered_ms
"""
_SUMS = """
    SELECT substr(day, 1, 7) AS month, sum(requests) AS total, sum(status2xx) AS status2xx, sum(status4xx) AS status4xx,
           sum(status5xx) AS status5xx, sum(rate_limited) AS rateLimited, sum(deliveries_succeeded) AS succeeded,
           sum(deliveries_failed) AS failed
"""
_BY_PARTNER = f"{_SUMS} FROM usage_days WHERE partner_id = :partner AND day >= :since GROUP BY month"
_OF_SANDBOXES = f"""
    {_SUMS} FROM sandbox_days
    WHERE partner_id = :partner AND day >= :since AND (:creator IS NULL OR creator = :creator) GROUP BY month
"""
REACHED = """
    a.partner_id = :partner AND (:environment IS NULL OR (a.environment = :environment
        AND a.creator IS NOT DISTINCT FROM :creator))
    AND (:permitted IS NULL OR a.id IN (SELECT value FROM json_each(:permitted)))
"""
_BY_ACCOUNT = f"""
    SELECT d.account_id, substr(d.day, 1, 7) AS month, sum(d.triggered) AS triggered, sum(d.published) AS published,
           sum(d.failed) AS failed, sum(d.cancelled) AS cancelled, sum(d.rendered_ms) AS rendered_ms
    FROM accounts a JOIN production_days d ON d.account_id = a.id
    WHERE {REACHED} AND d.day >= :since GROUP BY d.account_id, month
"""
_SPEND = f"""
    SELECT s.owner_id AS account_id, s.month, s.amount FROM accounts a JOIN spend_months s ON s.owner_id = a.id
    WHERE {REACHED} AND s.month >= :since
"""
_SPEND_IN_SANDBOXES = """
    SELECT s.month, sum(s.amount) AS amount FROM accounts a JOIN spend_months s ON s.owner_id = a.id
    WHERE a.partner_id = :partner AND a.environment = 'sandbox' AND s.month >= :since GROUP BY s.month
"""
_ANSWERS = ("total", "status2xx", "status4xx", "status5xx", "rateLimited")
_DELIVERIES = ("succeeded", "failed")
_OUTCOMES = ("triggered", "published", "failed", "cancelled")


def count_deliveries(ended: Iterable[tuple[str, str | None, bool, int]]) -> None:
    """Count ended deliveries: (partner id, creator of a test key's subscription or None, whether it succeeded, time).

    Call it inside write().
    """
    ended = list(ended)
    counted = Counter((partner_id, clock.day(at), succeeded) for partner_id, _, succeeded, at in ended)
    in_sandboxes = Counter((partner, creator, clock.day(at), ok) for partner, creator, ok, at in ended if creator)
    for statement, counts in ((_COUNT_DELIVERIES, counted), (_COUNT_SANDBOX_DELIVERIES, in_sandboxes)):
        database.execute_many(statement, [(*key, number * ok, number * (not ok)) for (*key, ok), number in counts.items()])


def count_finished(production: Production, now: int) -> None:
    """Count a production that has just reached a terminal state. Call it inside write()."""
    outcomes = [int(production["status"].lower() == outcome) for outcome in _OUTCOMES[1:]]
    rendered = round(production["rendered_seconds"] * 1000)
    database.execute(_COUNT_FINISHED, (production["account_id"], clock.day(now), *outcomes, rendered))


def report(partner_id: str, tier: str, months: int, now: int, caller: Caller | None = None) -> dict[str, Any]:
    """Return the usage of the last ``months`` (1 to 12), including the current one, newest first (DECISIONS.md §6).

    ``caller``: limits the report to its environment and to the accounts that it may address; None: everything of the partner.
    """
    names = _months(months, now)
    since = f"{names[-1]}-01"
    answers = _answers(partner_id, since, caller)
    reached = reach(partner_id, caller)
    accounts: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in names}
    for row in database.rows(_BY_ACCOUNT, reached | {"since": since}):
        entry = accounts[row["month"]].setdefault(row["account_id"], _account(row["account_id"]))
        entry["productions"] = {name: row[name] for name in _OUTCOMES}
        entry["renderedSeconds"] = row["rendered_ms"] / 1000
    for row in database.rows(_SPEND, reached | {"since": names[-1]}):
        entry = accounts[row["month"]].setdefault(row["account_id"], _account(row["account_id"]))
        entry["spend"] = row["amount"] / 1_000_000
    in_sandboxes = _spend_in_sandboxes(partner_id, names[-1], caller, accounts)
    entries = [
        {
            "month": name,
            **_month(answers.get(name, {}), list(accounts[name].values()), in_sandboxes.get(name, 0), caller is None),
        }
        for name in names
    ]
    return {
        "from": f"{since}T00:00:00.000Z",
        "to": clock.text(now),
        "tier": tier,
        "limits": tiers.view(tier),
        "months": entries,
        "totals": _totals(entries),
    }


def reach(partner_id: str, caller: Caller | None) -> dict[str, Any]:
    """Return the values of REACHED: the accounts that ``caller`` may address; None: all of the partner."""
    return {
        "partner": partner_id,
        "environment": caller and caller.account_environment,
        "creator": caller and caller.sandbox_owner,
        "permitted": caller and caller.permitted_text,
    }


def _spend_in_sandboxes(
    partner_id: str, since: str, caller: Caller | None, accounts: dict[str, dict[str, dict[str, Any]]]
) -> dict[str, float]:
    """Return what productions of sandboxes would have cost, by month, as far as ``caller`` may know it."""
    if caller is not None and caller.account_environment == SANDBOX:
        return {month: sum(account["spend"] for account in entries.values()) for month, entries in accounts.items()}
    if caller is not None and caller.permitted_text is not None:
        return {}
    rows = database.rows(_SPEND_IN_SANDBOXES, {"partner": partner_id, "since": since})
    return {row["month"]: row["amount"] / 1_000_000 for row in rows}


def _answers(partner_id: str, since: str, caller: Caller | None) -> dict[str, dict[str, int]]:
    """Return the sums of requests and deliveries by month, in the environment of ``caller``; None: in both."""
    values = {"partner": partner_id, "since": since, "creator": caller and caller.sandbox_owner}
    in_sandboxes = {row["month"]: row for row in database.rows(_OF_SANDBOXES, values)} if caller else {}
    if caller and caller.environment == "test":
        return {month: {name: row[name] for name in _ANSWERS + _DELIVERIES} for month, row in in_sandboxes.items()}
    return {
        row["month"]: {
            name: max(0, row[name] - (in_sandboxes[row["month"]][name] if row["month"] in in_sandboxes else 0))
            for name in _ANSWERS + _DELIVERIES
        }
        for row in database.rows(_BY_PARTNER, values)
    }


def _months(number: int, now: int) -> list[str]:
    year, month = map(int, clock.month(now).split("-"))
    indices = (year * 12 + month - 1 - back for back in range(number))
    return [f"{index // 12:04d}-{index % 12 + 1:02d}" for index in indices]


def _account(account_id: str) -> dict[str, Any]:
    return {"accountId": account_id, "productions": dict.fromkeys(_OUTCOMES, 0), "renderedSeconds": 0.0, "spend": 0.0}


def _month(
    answers: dict[str, int], accounts: list[dict[str, Any]], in_sandboxes: float, are_mixed: bool
) -> dict[str, Any]:  # fmt: skip
    """Return the sums of a month. ``are_mixed``: whether live and sandbox accounts are among ``accounts``."""
    spend = sum(account["spend"] for account in accounts) - (in_sandboxes if are_mixed else 0)
    return {
        "requests": {name: answers.get(name, 0) for name in _ANSWERS},
        "productions": {name: sum(account["productions"][name] for account in accounts) for name in _OUTCOMES},
        "renderedSeconds": round(sum(account["renderedSeconds"] for account in accounts), 3),
        "webhookDeliveries": {name: answers.get(name, 0) for name in _DELIVERIES},
        "spend": round(spend, 6),
        "sandboxSpend": round(in_sandboxes, 6),
        "byAccount": sorted(accounts, key=lambda account: account["accountId"]),
    }


def _totals(entries: list[dict[str, Any]]) -> dict[str, Any]:
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
    oldest = clock.day(now - _KEPT_DAYS * clock.DAY)
    with database.write(durable=False):
        for table in ("usage_days", "sandbox_days", "production_days"):
            database.execute(f"DELETE FROM {table} WHERE day < ?", (oldest,))
