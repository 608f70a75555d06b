"""``python app.py partner export`` and ``partner erase``: export and erase a partner's data."""

from collections.abc import Mapping
from pathlib import Path

import click

from svc.base import clock, settings
from svc.base.text.counted import count
from svc.cli.command_support import Done, command, get_terminal_user
from svc.cli.records.partner import partner
from svc.domain.audit import audit
from svc.work import partner_data


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
