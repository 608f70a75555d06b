"""The day of an agency (agency_day.py) through each client, through agents' tools and by curl.

Nothing is rendered here: test_agency and test_agent_briefing do that with a few rows.
"""

from types import SimpleNamespace

import anyio
import pytest
from mcp import Client as Agent
from partner_production import Client
from support.workshop import Now, served

from svc.cli.installation import seed
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin
from tests.sdk import agency_day
from tests.sdk.agency_ways import ByCurl, by_python, by_tools, by_typescript
from tests.sdk.test_agents import called, refused, stdio
from tests.sdk.test_typescript_live import project as project
from tests.sdk.test_typescript_sdk import tarball as tarball


@pytest.fixture
def clock() -> Now:
    """The clock of the machine, by which clients and server wait for each other."""
    return Now()


@pytest.fixture
def workshop(app, clock):
    """A server and its partner's live account, with a budget for the day and
    one production more.
    """
    seeded = seed.make_partner("Enterprise", clock())
    account, us = seeded["liveAccountId"], Actor(None, "the tests")
    ceilings = {
        "monthly_ceiling": str(agency_day.SPENT + agency_day.PRICE),
        "concurrency_ceiling": "",
    }
    admin.change(us, admin.ACCOUNT, account, ceilings, clock())
    with served(app, seeded) as workshop:
        yield SimpleNamespace(
            address=workshop.address, seeded=seeded, key=seeded["liveKey"], account=account
        )


def live(way: agency_day.Way, workshop) -> None:
    template = agency_day.work(way)
    agency_day.check_sums(way, workshop.account)
    with Client(workshop.address, workshop.key) as client:
        agency_day.check_budget(client, workshop.account, template)


@pytest.mark.slow
def test_the_day_of_an_agency_goes_by_the_python_client(workshop):
    with by_python(workshop) as way:
        live(way, workshop)


@pytest.mark.slow
def test_the_day_of_an_agency_goes_by_the_typescript_client(workshop, project):
    with by_typescript(workshop, project) as way:
        live(way, workshop)


@pytest.mark.slow
def test_the_day_of_an_agency_goes_by_the_tools_of_agents(workshop):
    with by_tools(workshop) as way:
        live(way, workshop)


@pytest.mark.slow
def test_the_day_of_an_agency_goes_by_curl(workshop):
    live(ByCurl(workshop), workshop)


@pytest.mark.slow
def test_an_agent_translates_a_brief(workshop):
    async def work() -> None:
        async with Agent(stdio(workshop, workshop.key)) as agent:
            first = await called(
                agent,
                "trigger",
                topic="Tides",
                notes="The sea rises.",
                languages=["es"],
                accountId=workshop.account,
            )
            query = {"accountId": workshop.account, "groupId": first["groupId"], "words": "Tides"}
            # words stand alone
            assert "externalId" in await refused(agent, "list_productions", **query)
            del query["words"]
            listed = (await called(agent, "list_productions", **query))["productions"]
            [held] = [
                each["productionId"] for each in listed if each.get("holdReason") == "Translation"
            ]
            segments = (await called(agent, "translation", productionId=held))["segments"]
            assert [each["source"] for each in segments] == ["Tides", "The sea rises."]
            targets = ["Mareas", "El mar sube."]
            sent = [
                {"segmentId": each["segmentId"], "target": to}
                for each, to in zip(segments, targets, strict=True)
            ]
            assert (await called(agent, "translate", productionId=held, segments=sent))[
                "topic"
            ] == "Mareas"

    anyio.run(work)
