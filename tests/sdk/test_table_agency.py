"""An agency's table through each SDK and through agents' tools.

A CSV of 40 rows in 4 languages fills a template whose scripts are reviewed. Three scripts are edited, one is rejected, half of
the table is approved and published; then the batch is cancelled and resumed: what was edited stays so, and what was rejected,
too; the rest is published. Nothing is rendered here:
test_agency and test_agent_briefing do that with a few rows.
"""

import json
import os
import subprocess
import time
from decimal import Decimal
from types import SimpleNamespace

import anyio
import pytest
from mcp import Client as Agent
from partner_production import Client, Conflict
from support.workshop import Now, served

from svc.base import ids
from svc.cli.installation import seed
from svc.domain.partners import admin
from svc.domain.people.audit import Actor
from tests.sdk.test_agents import called, refused, stdio
from tests.sdk.test_typescript_live import project as project
from tests.sdk.test_typescript_sdk import tarball as tarball
from tests.support.documents import ROOT

CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Évora", "Aveiro", "Tomar", "Sintra", "Lagos", "Óbidos")
SAYS = {"en": "The sea rises.", "es": "El mar sube.", "fr": "La mer monte.", "de": "Das Meer steigt."}
SIZE, HALF = len(CITIES) * len(SAYS), 20
PRICE, STEPS = Decimal("0.50"), 7  # of seed; a production that ends after its script costs a seventh
CANCELLED = (PRICE / STEPS).quantize(Decimal("0.000001"), "ROUND_DOWN")
SPENT = (SIZE - 1) * PRICE + (SIZE - HALF) * CANCELLED
EDITED = "Nobody sleeps."
REASON = "Out of date."
PATIENCE = 240  # seconds


def table() -> str:
    rows = [f"{city},{says},{ids.named('language', code)},{city}-{code}" for city in CITIES for code, says in SAYS.items()]
    return "\n".join(["city,says,languageId,externalId", *rows])


@pytest.fixture
def clock() -> Now:
    """The clock of the machine, by which clients and server wait for each other."""
    return Now()


@pytest.fixture
def workshop(app, clock):
    """A server, and its partner's live account with a template."""
    seeded = seed.make_partner("Enterprise", clock())
    account = seeded["liveAccountId"]
    us = Actor(None, "the tests")
    admin.change(us, admin.ACCOUNT, account, {"monthly_ceiling": str(SPENT + PRICE), "concurrency_ceiling": ""}, clock())
    with served(app, seeded) as workshop, Client(workshop.address, seeded["liveKey"]) as client:
        brief = {"languageId": seeded["languageId"], "countryId": seeded["countryId"], "avatarId": seeded["avatarId"]}
        made = client.templates.create(account, {
            "name": "Cities",
            "brief": {**brief, "topic": "Tides of {{city}}", "metadataMD": "{{says}}", "review": "script"},
            "variables": [{"name": "city"}, {"name": "says"}],
        })  # fmt: skip
        yield SimpleNamespace(
            address=workshop.address, seeded=seeded, key=seeded["liveKey"], account=account, client=client,
            template=made["templateId"], app=app,
        )  # fmt: skip


def check(workshop, batch_id: str, edited: list[str]) -> None:
    """Everything but the rejected row is published, and usage and budget are right to the cent: one more production has room,
    and then none."""
    client, account = workshop.client, workshop.account
    batch = until(lambda: (found := client.batches.get(batch_id))["status"] == "Finished" and found)
    assert (batch["size"], batch["counts"]["published"], batch["counts"]["failed"]) == (SIZE, SIZE - 1, 1)
    listed = list(client.productions.list(account, status=["Published"]))
    assert sorted(each["externalId"] for each in listed) == sorted(
        f"{city}-{code}" for city in CITIES for code in SAYS if (city, code) != (CITIES[-1], list(SAYS)[-1])
    )
    [rejected] = client.productions.list(account, status=["Failed"])
    assert (rejected["errorCode"], rejected["errorMessage"]) == ("SCRIPT_REJECTED", REASON)
    for production in edited:
        assert client.productions.script(production)["scenes"][0]["narration"] == EDITED
    usage = client.partner.usage()
    spend = next(each["spend"] for each in usage["months"][0]["byAccount"] if each["accountId"] == account)
    assert Decimal(str(spend)) == SPENT
    again = {**client.templates.preview(account, workshop.template, {"values": {"city": "Ovar", "says": "x"}})["brief"]}
    assert client.productions.estimate(account, again)["isAccepted"]
    client.productions.trigger(account, again)
    with pytest.raises(Conflict, match="BUDGET_GATE_1_FAILED"):
        client.productions.trigger(account, again)


def until(condition) -> object:
    """Return what ``condition`` returns, once it is something."""
    ends = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < ends
        time.sleep(0.1)
    return found


def reviewed(client: Client, account: str, batch: str, number: int) -> list[str]:
    """Wait until so many productions of a batch await their review; return them in their order."""

    def waiting() -> list[str]:
        producing = client.productions.list(account, status=["Producing"])
        held = {each["productionId"] for each in producing if each["holdReason"] == "ScriptReview"}
        found = [each["productionId"] for each in client.batches.items(batch) if each["productionId"] in held]
        return found if len(found) == number else []

    return until(waiting)


def counted(client: Client, batch: str, name: str, number: int) -> dict:
    return until(lambda: (found := client.batches.get(batch))["counts"][name] >= number and found)


def test_an_agency_works_through_a_table_with_the_python_sdk(workshop):
    client, account = workshop.client, workshop.account
    started = client.templates.trigger_table(account, workshop.template, table(), idempotency_key="table")
    batch = started["batchId"]
    assert client.templates.trigger_table(account, workshop.template, table(), idempotency_key="table")["batchId"] == batch
    scripts = reviewed(client, account, batch, SIZE)
    for each in (*scripts[:2], scripts[HALF]):
        script = client.productions.script(each)
        change = {"version": script["version"], "scenes": [{"sceneId": 1, "narration": EDITED}]}
        assert client.productions.change_script(each, change)["version"] == 2
    for each in scripts[:2]:
        client.productions.approve_script(each, 2)
    client.productions.reject_script(scripts[-1], reason=REASON)
    for each in scripts[2:HALF]:
        client.productions.approve_script(each)
    counted(client, batch, "published", HALF)
    client.batches.cancel(batch)
    counted(client, batch, "cancelled", SIZE - HALF - 1)
    client.batches.resume(batch)
    resumed = reviewed(client, account, batch, SIZE - HALF - 1)
    for each in resumed:
        client.productions.approve_script(each)
    check(workshop, batch, [*scripts[:2], resumed[0]])


@pytest.mark.slow
def test_an_agency_works_through_a_table_with_the_typescript_sdk(workshop, project):
    (project / "table_agency.mjs").write_text((ROOT / "tests" / "sdk" / "table_agency.mjs").read_text("utf-8"))
    environment = os.environ | {
        "BASE": workshop.address, "KEY": workshop.key, "ACCOUNT": workshop.account, "TEMPLATE": workshop.template,
        "CSV": table(), "HALF": str(HALF),
    }  # fmt: skip
    run = subprocess.run(
        ["node", "table_agency.mjs"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    result = json.loads(run.stdout)
    assert result["isRepeated"]
    check(workshop, result["batchId"], result["edited"])


@pytest.mark.slow
def test_an_agency_works_through_a_table_with_agents_tools(workshop):
    async def work() -> tuple[str, list[str]]:
        async with Agent(stdio(workshop, workshop.key)) as agent:
            order = {"templateId": workshop.template, "accountId": workshop.account, "csv": table(), "idempotencyKey": "table"}
            batch = (await called(agent, "trigger_table", **order))["batchId"]
            assert (await called(agent, "trigger_table", **order))["batchId"] == batch
            scripts = await awaiting(agent, batch, SIZE)
            for each in (*scripts[:2], scripts[HALF]):
                change = {"productionId": each, "version": 1, "scenes": [{"sceneId": 1, "narration": EDITED}]}
                await called(agent, "change_script", **change)
            for each in scripts[:2]:
                await called(agent, "approve_script", productionId=each, version=2)
            await called(agent, "reject_script", productionId=scripts[-1], version=1, reason=REASON)
            for each in scripts[2:HALF]:
                await called(agent, "approve_script", productionId=each, version=1)
            await in_state(agent, batch, "published", HALF)
            await called(agent, "cancel_batch", batchId=batch)
            await in_state(agent, batch, "cancelled", SIZE - HALF - 1)
            await called(agent, "resume_batch", batchId=batch)
            resumed = await awaiting(agent, batch, SIZE - HALF - 1)
            for each in resumed:
                await called(agent, "approve_script", productionId=each, version=2 if each == resumed[0] else 1)
            await in_state(agent, batch, "published", SIZE - 1)
            return batch, [*scripts[:2], resumed[0]]

    async def awaiting(agent, batch: str, number: int) -> list[str]:
        while True:
            query = {"accountId": workshop.account, "status": ["Producing"], "limit": 100}
            listed = (await called(agent, "list_productions", **query))["productions"]
            held = {each["productionId"] for each in listed if each["holdReason"] == "ScriptReview"}
            found = (await called(agent, "batch", batchId=batch))["items"]
            waiting = [each["productionId"] for each in found if each["productionId"] in held]
            if len(waiting) == number:
                return waiting
            await anyio.sleep(0.2)

    async def in_state(agent, batch: str, name: str, number: int) -> None:
        while (await called(agent, "batch", batchId=batch))["batch"]["counts"][name] < number:
            await anyio.sleep(0.2)

    check(workshop, *anyio.run(work))


@pytest.mark.slow
def test_an_agent_translates_a_brief(workshop):
    async def work() -> None:
        async with Agent(stdio(workshop, workshop.key)) as agent:
            first = await called(
                agent, "trigger", topic="Tides", notes="The sea rises.", languages=["es"], accountId=workshop.account
            )
            query = {"accountId": workshop.account, "groupId": first["groupId"], "words": "Tides"}
            assert "externalId" in await refused(agent, "list_productions", **query)  # words stand alone
            del query["words"]
            listed = (await called(agent, "list_productions", **query))["productions"]
            [held] = [each["productionId"] for each in listed if each["holdReason"] == "Translation"]
            segments = (await called(agent, "translation", productionId=held))["segments"]
            assert [each["source"] for each in segments] == ["Tides", "The sea rises."]
            targets = ["Mareas", "El mar sube."]
            sent = [{"segmentId": each["segmentId"], "target": to} for each, to in zip(segments, targets, strict=True)]
            assert (await called(agent, "translate", productionId=held, segments=sent))["topic"] == "Mareas"

    anyio.run(work)
