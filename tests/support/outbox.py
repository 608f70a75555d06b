"""A partner with accounts, productions and webhook subscriptions,
put into the tables without the application.
"""

from svc.base import clock, ids
from svc.base.crypto.signing import KeyRing
from svc.domain import lanes
from svc.domain.caller import Caller
from svc.domain.webhooks import claiming, event_types, events, outbox, subscriptions
from svc.domain.webhooks.claiming import Claimed, Limits
from svc.domain.webhooks.outbox import Attempt
from svc.store import claims
from svc.store.database import db
from tests.support import plain_sql

NOON = 1_795_262_400_000
RING = KeyRing({1: b"m" * 32})
DRIVER = claims.Driver("this boot")

_PRODUCTION = """
    INSERT INTO productions (id, partner_id, account_id, customer_id, status, title, topic,
                             language_id, country_id, avatar_id,
        project_type, api_triggered, auto_release, correlation_id, steps_total, created_at,
            updated_at)
    VALUES (?, ?, ?, ?, 'Queued', 't', 't', 'l', 'c', 'v', 'x', 1, 0, 'trace', 3, 0, 0)
"""


class Partner:
    """One partner: ``live`` and ``test`` are callers of its keys."""

    def __init__(self, lifecycle: bool = True):
        self.id, self.customer = ids.make_id(NOON), ids.make_id(NOON)
        with db.transaction():
            plain_sql.execute(
                "INSERT INTO partners (id, name, created_at) VALUES (?, 'P', 0)", (self.id,)
            )
            plain_sql.execute(
                "INSERT INTO customers (id, partner_id, name, created_at) VALUES (?, ?, 'C', 0)",
                (self.customer, self.id),
            )
        self.lifecycle = lifecycle
        self.live, self.test = self.caller("live"), self.caller("test", "ann")
        self.account = self.open_account()

    def caller(self, environment: str, creator: str | None = None, permitted=None) -> Caller:
        permitted = None if permitted is None else frozenset(permitted)
        return Caller(
            "k",
            "svc_",
            "n",
            environment,
            creator,
            None,
            permitted,
            self.id,
            "P",
            "Active",
            "Free",
            True,
            self.lifecycle,
            None,
        )

    def open_account(self, creator: str | None = None) -> str:
        """A live account, or a sandbox one of ``creator``."""
        account = ids.make_id(NOON)
        with db.transaction():
            plain_sql.execute(
                "INSERT INTO accounts (id, partner_id, customer_id, name, environment, creator, "
                "default_project_type,"
                " created_at) VALUES (?, ?, ?, 'A', ?, ?, 'x', 0)",
                (account, self.id, self.customer, "sandbox" if creator else "live", creator),
            )
        return account

    def produce(self, account: str | None = None) -> dict:
        """A production, as events.record takes it."""
        production = {
            "id": ids.make_id(NOON),
            "partner_id": self.id,
            "account_id": account or self.account,
        }
        with db.transaction():
            plain_sql.execute(
                _PRODUCTION, (production["id"], self.id, production["account_id"], self.customer)
            )
        return production | {"correlation_id": "trace", "external_id": None}

    def subscribe(self, caller: Caller | None = None, now: int = NOON, **given) -> dict:
        asked = {
            "endpoint_url": "https://hooks.example.com/x",
            "event_types": ["production.queued", "production.failed"],
            "account_ids": None,
            "account_scope_id": None,
        }
        return subscriptions.register(
            caller or self.live, **(asked | given), now=now, ring=RING, check_url=lambda url: None
        )


def record(
    production: dict, count: int = 1, now: int = NOON, event_type: str = "production.queued"
) -> None:
    (recorded,) = (each for each in event_types.ALL if each.name == event_type)
    with db.transaction():
        for _ in range(count):
            data = {"status": "Queued", "expiresAt": None}
            events.record(production, recorded, data, now)


def claim(now: int, lane: int | None = None, driver: claims.Driver = DRIVER) -> list[Claimed]:
    """Claim whatever is due."""
    return [
        each
        for one in (lanes.ALL if lane is None else (lane,))
        for each in claiming.claim(driver, now, one, 100, Limits(100))
    ]


def answer(claimed: list[Claimed], now: int, status: int = 200) -> None:
    """Settle claims as if their endpoint had answered at ``now``."""
    error = None if status < 300 else f"answered with status {status}"
    outbox.record_outcomes(
        [
            Attempt(
                each.id, each.token, now, now, status, error, 1.0, endpoint_url=each.endpoint_url
            )
            for each in claimed
        ]
    )


def exhaust(now: int) -> int:
    """Fail all that is due with every retry; when the last of them failed."""
    second = clock.SECOND
    for at in (now, now, now + 60 * second, now + 300 * second):
        answer(claim(at), at, 500)
    return now + 300 * second


def states(subscription: dict) -> list[tuple[int, str]]:
    """Sequence and status of a subscription's deliveries, in order."""
    sql = (
        "SELECT sequence, status FROM deliveries WHERE subscription_id = ? "
        "ORDER BY created_at, sequence"
    )
    return [tuple(row) for row in plain_sql.rows(sql, (subscription["subscriptionId"],))]
