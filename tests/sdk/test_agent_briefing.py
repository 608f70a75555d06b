"""An agent works through a table: a template, a row for each city, a script that is changed,
one that is rejected.
"""

import anyio
import pytest
from mcp import Client

from tests.sdk.test_agents import called, refused, stdio

NOTES = "The sea of {{city}} rises towards the moon.\n\n## The guest\n\nA lion waits at the door."


def template(client, running) -> str:
    """A template of the partner, added with the Python SDK."""
    made = client.templates.create(
        running.seeded["sandboxAccountId"],
        {
            "name": "Cities",
            "brief": {
                **running.brief(),
                "topic": "Tides of {{city}}",
                "metadataMD": NOTES,
                "review": "script",
            },
            "variables": [{"name": "city", "type": "text", "required": True}],
        },
    )
    return made["templateId"]


@pytest.mark.slow
def test_an_agent_reviews_the_scripts_of_a_table(running, client):
    template_id = template(client, running)

    async def work():
        async with Client(stdio(running)) as agent:
            listed = (await called(agent, "list_templates"))["templates"]
            assert [each["templateId"] for each in listed] == [template_id]
            table = {
                "templateId": template_id,
                "csv": "city\nLisbon\nPorto\n",
                "idempotencyKey": "cities",
            }
            batch = await called(agent, "trigger_table", **table)
            assert (await called(agent, "trigger_table", **table))["batchId"] == batch["batchId"]
            found = await called(agent, "batch", batchId=batch["batchId"])
            first, second = (each["productionId"] for each in found["items"])
            await awaits(agent, first)
            script = await called(agent, "script", productionId=first)
            scenes = [{"sceneId": each["sceneId"]} for each in script["scenes"]]
            scenes[0] |= {"narration": "Nobody in Lisbon sleeps.", "keyPhrase": "Nobody"}
            change = {"productionId": first, "version": 1, "scenes": scenes}
            assert (await called(agent, "change_script", **change))["version"] == 2
            assert "SCRIPT_CHANGED" in await refused(
                agent, "approve_script", productionId=first, version=1
            )
            await called(agent, "approve_script", productionId=first, version=2)
            await awaits(agent, second)
            await called(agent, "cancel", productionId=second)
            assert (
                await end(agent, first) == "Published" and await end(agent, second) == "Cancelled"
            )
            said = (await called(agent, "transcript", productionId=first))["transcript"]
            assert (
                "Nobody in Lisbon sleeps." in said
                and "towards the moon" not in said
                and "A lion waits" in said
            )
            counts = (await called(agent, "batch", batchId=batch["batchId"]))["batch"]["counts"]
            assert (counts["published"], counts["cancelled"]) == (1, 1)
            await called(agent, "cancel_batch", batchId=batch["batchId"])
            third = await called(
                agent, "trigger_template", templateId=template_id, values={"city": "Faro"}
            )
            await called(agent, "cancel", productionId=third["productionId"])

    anyio.run(work)


async def awaits(agent, production: str) -> None:
    """Wait until a script awaits its review."""
    last = 0
    while True:
        found = await called(
            agent, "follow", productionId=production, afterSequence=last, waitSeconds=20
        )
        if found["production"]["holdReason"] == "ScriptReview":
            return
        last = max([last, *(event["sequenceNumber"] for event in found["events"])])


async def end(agent, production: str) -> str:
    last, status = 0, ""
    while status not in ("Published", "Failed", "Cancelled"):
        found = await called(
            agent, "follow", productionId=production, afterSequence=last, waitSeconds=20
        )
        last = max([last, *(event["sequenceNumber"] for event in found["events"])])
        status = found["production"]["status"]
    return status
