"""``python app.py seed``: add demo partners, each with a live and a sandbox account,
keys and avatars.
"""

import json
import uuid

import click

from svc.base import clock, ids, settings
from svc.base.processes import owner
from svc.domain.access import keys
from svc.domain.partners import create as create_partner
from svc.domain.tiers import TIERS
from svc.store import database
from svc.store.database import db
from svc.work.publishing.publisher import PLATFORM_NAMES


@click.command()
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line instead of a list."
)
@click.option(
    "--tier",
    type=click.Choice(tuple(TIERS)),
    default="Standard",
    show_default=True,
    help="What decides the partner's limits.",
)
@click.option(
    "--partners",
    "count",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    help="The number of partners.",
)
def seed(as_json: bool, tier: str, count: int) -> None:
    """Add a demo partner with accounts, keys and avatars."""
    config = settings.read()
    owner.become_owner(config.data_dir)
    database.open_database(config.database, config.database_url)
    for _ in range(count):
        partner = make_partner(tier, clock.now())
        click.echo(
            json.dumps(partner)
            if as_json
            else "\n".join(f"{name:16} {value}" for name, value in partner.items())
        )


def make_partner(tier: str, now: int) -> dict[str, str]:
    """Add a demo partner; return its IDs and keys by the names that ``seed --json`` prints."""
    creator = str(uuid.uuid4())
    with db.transaction():
        partner_id = create_partner.create_partner(f"Demo partner {creator[:4]}", tier, now)
        customer_id = create_partner.create_customer(partner_id, "Demo customer", now)
        live = create_partner.create_account(
            partner_id, customer_id, "Demo channel", now, platforms=PLATFORM_NAMES
        )
        sandbox = create_partner.create_account(
            partner_id, customer_id, "Demo sandbox", now, creator=creator, platforms=PLATFORM_NAMES
        )
        avatars = create_partner.create_presenters(customer_id, now)
        _, live_key = keys.create(partner_id, "live", "Demo live key", now)
        _, test_key = keys.create(partner_id, "test", "Demo test key", now, creator=creator)
    return {
        "partnerId": partner_id,
        "liveKey": live_key,
        "testKey": test_key,
        "liveAccountId": live,
        "sandboxAccountId": sandbox,
        "avatarId": avatars[0],
        "languageId": ids.derive_id("language", "en"),
        "countryId": ids.derive_id("country", "US"),
        "projectTypeSlug": "explainer",
    }
