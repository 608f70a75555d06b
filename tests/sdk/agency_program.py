"""A small agency's program, written with the Python SDK: ``python agency_program.py briefs.csv``,
run by test_agency.py.
"""

import asyncio
import csv
import json
import os
import sys

from partner_production import AsyncClient, ProductionEnded

PATIENCE = int(os.environ["PATIENCE"])  # seconds
ACCOUNT = os.environ["ACCOUNT"]


async def trigger(client: AsyncClient, row: dict[str, str], avatar: str) -> str:
    """Trigger the production of a row, once, however often this program is run."""
    brief = {
        "topic": row["topic"],
        "languageId": await client.language_id(row["language"]),
        "countryId": await client.country_id("US"),
        "avatarId": avatar,
        "projectTypeSlug": row["type"],
        "metadataMD": row["notes"],
        "externalId": row["reference"],
    }
    production = await client.productions.trigger(
        ACCOUNT, brief, idempotency_key=row["reference"], wait_for_place=PATIENCE
    )
    print("triggered", row["reference"], flush=True)
    return production["productionId"]


async def see_through(
    client: AsyncClient, row: dict[str, str], production_id: str
) -> tuple[str, list[str]]:
    """Wait until a production has ended; return its status and the files of a published one."""

    async def on_event(event):
        if event["eventType"] == "production.awaiting_approval" and row["reference"].endswith(
            "withdrawn"
        ):
            await client.productions.cancel(production_id)

    try:
        await client.productions.wait_until_published(
            production_id, on_event=on_event, timeout=PATIENCE
        )
    except ProductionEnded as ended:
        return ended.production["status"], []
    files = await client.deliverables.download_all(production_id, row["reference"])
    return "Published", [str(each) for each in files]


async def main() -> None:
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.DictReader(file))
    async with AsyncClient(os.environ["BASE"], os.environ["KEY"]) as client:
        avatar = (await client.accounts.get(ACCOUNT))["avatars"][0]["avatarId"]
        productions = [await trigger(client, row, avatar) for row in rows]
        outcomes = await asyncio.gather(
            *(see_through(client, row, each) for row, each in zip(rows, productions))
        )
        usage = await client.partner.usage()
    spend = next(
        each["spend"] for each in usage["months"][0]["byAccount"] if each["accountId"] == ACCOUNT
    )
    print(
        json.dumps(
            {
                "outcomes": {row["reference"]: each for row, each in zip(rows, outcomes)},
                "spend": spend,
            }
        )
    )


asyncio.run(main())
