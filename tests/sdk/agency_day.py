"""The day of an agency, stated once, whatever it reaches the API with.

A CSV of 40 rows in 4 languages fills a template whose scripts are reviewed. Three scripts are
edited, one is rejected, half of the table is approved and published; then the batch is cancelled
and resumed: what was edited stays so, and what was rejected, too; the rest is published.
"""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Protocol

import pytest
from partner_production import Conflict

from tests.support import plain_sql
from tests.support.patience import PATIENCE

Json = dict[str, Any]

CITIES = (
    "Lisbon",
    "Porto",
    "Faro",
    "Braga",
    "Évora",
    "Aveiro",
    "Tomar",
    "Sintra",
    "Lagos",
    "Óbidos",
)
SAYS = {
    "en": "The sea rises.",
    "es": "El mar sube.",
    "fr": "La mer monte.",
    "de": "Das Meer steigt.",
}
SIZE, HALF = len(CITIES) * len(SAYS), 20
REJECTED = f"{CITIES[-1]}-{list(SAYS)[-1]}"  # the last row
PRICE, STEPS = (
    Decimal("0.50"),
    7,
)  # of seed; a production that ends after its script costs a seventh
OF_SCRIPT = (PRICE / STEPS).quantize(Decimal("0.000001"), "ROUND_DOWN")
SPENT = (SIZE - 1) * PRICE + (SIZE - HALF) * OF_SCRIPT
EDITED = "Nobody sleeps."
REASON = "Out of date."
TEMPLATE = {
    "name": "Cities",
    "topic": "Tides of {{city}}",
    "notes": "{{says}}",
    "review": "script",
    "variables": [{"name": "city"}, {"name": "says"}],
}
TABLE = "\n".join(
    [
        "city,says,language,externalId",
        *(f"{city},{says},{code},{city}-{code}" for city in CITIES for code, says in SAYS.items()),
    ]
)
WRONG = "city,says,language\nLisbon,x,xx\nPorto,x,en\nFaro,x,yy\n"
_SUMS = """
    SELECT m.amount FROM accounts a JOIN spend_months m ON m.owner_id IN (a.id, a.customer_id)
    WHERE a.id = ?
"""


class Refused(Exception):
    """The API refused what was asked for; the text is what the agency is shown."""


class Way(Protocol):
    """What reaches the API: each method returns what the API answers, or raises Refused."""

    def create_template(self, template: Json) -> str: ...
    def trigger_table(self, template_id: str, csv: str, idempotency_key: str) -> Json: ...
    def batch(self, batch_id: str) -> Json: ...
    def items(self, batch_id: str) -> list[Json]: ...
    def producing(self) -> list[Json]: ...
    def script(self, production_id: str) -> Json: ...
    def change_script(self, production_id: str, version: int, narration: str) -> Json: ...
    def approve_script(self, production_id: str, version: int) -> Json: ...
    def reject_script(self, production_id: str, version: int, reason: str) -> Json: ...
    def cancel_batch(self, batch_id: str) -> Json: ...
    def resume_batch(self, batch_id: str) -> Json: ...
    def production(self, production_id: str) -> Json: ...
    def usage(self) -> Json: ...


def work(way: Way) -> str:
    """Live the day; return the template, which has room in the budget for one production more."""
    template = way.create_template(TEMPLATE)
    with pytest.raises(Refused) as refusal:
        way.trigger_table(template, WRONG, "wrong")
    assert all(row in str(refusal.value) for row in ("row 1", "row 3"))
    batch = way.trigger_table(template, TABLE, "table")["batchId"]
    assert way.trigger_table(template, TABLE, "table")["batchId"] == batch
    with pytest.raises(Refused, match="BATCH_NOT_CANCELLED"):
        way.resume_batch(batch)

    scripts = _under_review(way, batch, SIZE)
    edited, rejected = [*scripts[:2], scripts[HALF]], scripts[-1]
    for each in edited:
        assert way.change_script(each, way.script(each)["version"], EDITED)["version"] == 2
    with pytest.raises(Refused, match="SCRIPT_CHANGED"):
        way.approve_script(edited[0], 1)
    way.reject_script(rejected, 1, REASON)
    for each in scripts[:HALF]:
        way.approve_script(each, 2 if each in edited else 1)
    _counted(way, batch, "published", HALF)

    way.cancel_batch(batch)
    _counted(way, batch, "cancelled", SIZE - HALF - 1)
    way.resume_batch(batch)
    resumed = _under_review(way, batch, SIZE - HALF - 1)
    assert set(resumed).isdisjoint(scripts)
    for each in resumed:
        way.approve_script(each, 2 if each == resumed[0] else 1)
    _finished(way, batch)

    for each in (*edited[:2], resumed[0]):
        assert way.script(each)["scenes"][0]["narration"] == EDITED
    items = way.items(batch)
    assert [each["productionId"] for each in items] == [*scripts[:HALF], *resumed, rejected]
    assert [each["status"] for each in items] == ["Published"] * (SIZE - 1) + ["Failed"]
    found = way.production(rejected)
    assert (found["externalId"], found["errorCode"]) == (REJECTED, "SCRIPT_REJECTED")
    assert found["errorMessage"] == REASON
    with pytest.raises(Refused, match="SCRIPT_CHANGED"):
        way.approve_script(rejected, 1)
    way.resume_batch(batch)  # all is resumed: it changes nothing
    assert way.items(batch) == items
    return template


def check_sums(way: Way, account: str) -> None:
    """What the API says that was spent is the sum of the ledger, to the millionth, everywhere."""
    usage = way.usage()
    month, ceilings = usage["months"][0], _of(usage["ceilings"], account)
    told = [
        month["spend"],
        _of(month["byAccount"], account)["spend"],
        ceilings["monthlySpend"]["used"],
        ceilings["customer"]["monthlySpend"]["used"],
    ]
    assert [Decimal(str(each)) for each in told] == [SPENT] * len(told)
    assert ceilings["concurrentProductions"]["used"] == 0
    counts = {"triggered": 2 * SIZE - HALF - 1, "published": SIZE - 1, "failed": 1}
    assert month["productions"] == counts | {"cancelled": SIZE - HALF - 1}
    entries = plain_sql.rows("SELECT settled FROM ledger WHERE account_id = ?", (account,))
    sums = plain_sql.rows(_SUMS, (account,))
    assert len(entries) == counts["triggered"]
    assert sum(each["settled"] for each in entries) == SPENT * 1_000_000
    assert [each["amount"] for each in sums] == [SPENT * 1_000_000] * 2


def check_budget(client, account: str, template: str) -> None:
    """The ceiling, which has room for one production more, lets one pass and then none."""
    values = {"values": {"city": "Ovar", "says": "x"}}
    assert client.templates.preview(account, template, values)["estimate"]["isAccepted"]
    client.templates.trigger(account, template, values)
    with pytest.raises(Conflict, match="BUDGET_GATE_1_FAILED"):
        client.templates.trigger(account, template, values)


def _of(entries: list[Json], account: str) -> Json:
    [found] = [each for each in entries if each["accountId"] == account]
    return found


def _under_review(way: Way, batch: str, number: int) -> list[str]:
    """Wait until so many productions of a batch await their review; return them in their order."""

    def waiting() -> list[str]:
        listed = way.producing()
        held = {each["productionId"] for each in listed if each["holdReason"] == "ScriptReview"}
        if len(held) < number:
            return []
        return [each["productionId"] for each in way.items(batch) if each["productionId"] in held]

    found = _until(waiting)
    assert len(found) == number
    return found


def _counted(way: Way, batch: str, name: str, number: int) -> None:
    _until(lambda: way.batch(batch)["counts"][name] >= number)


def _finished(way: Way, batch: str) -> None:
    _until(lambda: way.batch(batch)["status"] == "Finished")


def _until(condition: Callable[[], Any]) -> Any:
    """Return what ``condition`` returns, once it is something."""
    ends = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < ends
        time.sleep(0.3)
    return found
