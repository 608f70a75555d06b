"""The partners that the benchmarks ask as: so many that the limits of their tier,
which stay in force, refuse none.
"""

import json
from typing import NamedTuple

from svc.base import clock
from svc.cli.installation import seed
from svc.domain.lifecycle import briefs
from svc.domain.productions import productions
from svc.domain.usage.model_costs import Prices
from svc.store.database import db
from tests.bench.load import request
from tests.support import plain_sql

PRODUCTIONS = 20  # of each partner before the benchmark begins: a page of the list


class Asker(NamedTuple):
    """A partner's live key and account, the brief that it sends, and its newest production."""

    key: str
    account: str
    brief: str
    production: str

    def status(self, **headers: str) -> bytes:
        return request("GET", f"/v1/productions/{self.production}", X_API_Key=self.key, **headers)

    def list(self) -> bytes:
        return request("GET", f"/v1/accounts/{self.account}/productions", X_API_Key=self.key)

    def trigger(self) -> bytes:
        return request(
            "POST", f"/v1/accounts/{self.account}/productions", self.brief, X_API_Key=self.key
        )


def make(count: int, tier: str = "Enterprise", each: int = PRODUCTIONS) -> list[Asker]:
    """So many partners of a tier in the open database, with so many productions ``each``."""
    with db.transaction():
        return [_asker(seed.make_partner(tier, clock.now()), each) for _ in range(count)]


def _asker(seeded: dict[str, str], number: int) -> Asker:
    sent = {name: seeded[name] for name in ("languageId", "countryId", "avatarId")} | {
        "topic": "How tides work"
    }
    brief = briefs.Brief(sent["topic"], sent["languageId"], sent["countryId"], sent["avatarId"])
    account = plain_sql.row("SELECT * FROM accounts WHERE id = ?", (seeded["liveAccountId"],))
    for _ in range(number):
        made = productions.trigger(
            account,
            brief,
            clock.now(),
            correlation_id="bench",
            ttl_hours=72,
            prices=Prices(),
        )
    return Asker(seeded["liveKey"], account["id"], json.dumps(sent), made.production_id)
