"""``python app.py partner``: partners: their status, tier and flags, and their data."""

from collections.abc import Mapping
from pathlib import Path

import click

from svc.base import clock, settings
from svc.base.text.counted import count
from svc.cli import command_support
from svc.cli.command_support import (
    Done,
    command,
    get_terminal_user,
    list_given_options,
    to_plain_row,
)
from svc.domain.audit import audit
from svc.domain.paging import Page
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import search as partner_search
from svc.domain.tiers import TIERS
from svc.work import partner_data

partner = command_support.group("partner", "Partners: their status, tier and flags.")
_COLUMNS = (
    "id",
    "name",
    "status",
    "tier",
    "key_rotation",
    "self_lifecycle",
    "created_at",
    "portal_origins",
)


@command(partner, "list")
@click.option("--search", help="Part of the name, or an ID.")
@click.option(
    "--status",
    type=click.Choice(partner_admin.PARTNER_STATUSES),
    help="Show only partners in this state.",
)
@click.option("--tier", type=click.Choice(tuple(TIERS)), help="Show only partners of this tier.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)
def list_(search, status, tier, limit):
    """List partners, newest first."""
    rows = partner_search.list_page(
        "partner", Page(limit), search=search, status=status, tier=tier
    )["data"]
    return [to_plain_row(row, *_COLUMNS, "accounts", "people") for row in rows]


@command(partner, "show")
@click.argument("partner_id")
def show(partner_id):
    """Show one partner."""
    return to_plain_row(partner_admin.find(partner_admin.PARTNER, partner_id), *_COLUMNS)


@command(partner, "add")
@click.argument("name")
@click.option(
    "--tier",
    type=click.Choice(tuple(TIERS)),
    default="Free",
    show_default=True,
    help="What decides its limits.",
)
def add(name, tier):
    """Add a partner. Then add a customer and an account for it."""
    partner_id = partner_admin.add_partner(
        get_terminal_user().actor, {"name": name, "tier": tier}, clock.now()
    )
    return Done(f"added the partner {partner_id}", {"id": partner_id})


@command(partner, "set", formerly="change")
@click.argument("partner_id")
@click.option("--name", help="Its new name.")
@click.option(
    "--status",
    type=click.Choice(partner_admin.PARTNER_STATUSES),
    help="The API refuses a partner that is not Active.",
)
@click.option("--tier", type=click.Choice(tuple(TIERS)), help="What decides its limits.")
@click.option(
    "--key-rotation",
    type=click.Choice(("on", "off")),
    help="Whether the partner may rotate its own keys.",
)
@click.option(
    "--self-lifecycle",
    type=click.Choice(("on", "off")),
    help="Whether the partner may reinstate its own webhooks.",
)
@click.option(
    "--portal-origins",
    help=(
        "The sites that may show portals within their pages, such as https://www.example.com; '' "
        "for none."
    ),
)
def change(partner_id, **options):
    """Change the given settings and keep the others."""
    partner = partner_admin.change(
        get_terminal_user().actor,
        partner_admin.PARTNER,
        partner_id,
        list_given_options(**options),
        clock.now(),
    )
    return to_plain_row(partner, *_COLUMNS)


@command(partner, "export", files=True)
@click.argument("partner_id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export(partner_id: str, file: Path) -> Done:
    """Write all data of a partner to FILE, a tar archive of JSON lines by table and media files."""
    counts = partner_data.export(partner_id, settings.read(), file)
    after = {"file": str(file.absolute()), "rows": sum(counts.values())}
    with audit.recording(
        get_terminal_user().actor,
        "partner.export",
        partner_data.find_partner_name(partner_id),
        clock.now(),
        subject_id=partner_id,
        partner_id=partner_id,
        after=after,
    ):
        pass
    sentence = f"{file}: {_count(counts)}"
    return Done(sentence, {"file": str(file), "rows": counts})


def _describe_partner(partner_id: str) -> str:
    return (
        f"the partner {partner_data.find_partner_name(partner_id)} with all its data "
        "(`partner export` saves a copy)"
    )


@command(partner, "erase", removes=_describe_partner)
@click.argument("partner_id")
def erase(partner_id: str) -> Done:
    """Erase a partner and all its data.

    The audit log keeps the actions, without names and values.
    """
    erased = partner_data.erase(partner_id, settings.read(), clock.now, get_terminal_user().actor)
    sentence = f"erased {_count(erased)}; backups still hold them"
    return Done(sentence, {"erased": erased})


def _count(rows: Mapping[str, int]) -> str:
    """Return how many rows there are, and how many of them are productions."""
    productions = count(rows.get("productions", 0), "production")
    return f"{count(sum(rows.values()), 'row')}, {productions}"
