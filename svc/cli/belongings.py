"""``python app.py partner export`` and ``partner erase``: what belongs to a partner, handed out and removed."""

from pathlib import Path

import click

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.cli.operating import Done, command, me
from svc.cli.partner import partner
from svc.domain import audit
from svc.store import database
from svc.work import erasure


@command(partner, "export")
@click.argument("partner_id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export(partner_id: str, file: Path) -> Done:
    """Write all that belongs to a partner to FILE, a tar: rows as JSON lines by table, and files."""
    counted = erasure.export(partner_id, settings.read(), file)
    with database.write():
        audit.record(
            me().actor, "partner.export", erasure.name_of(partner_id), clock.now(), subject_id=partner_id,
            partner_id=partner_id, after={"rows": sum(counted.values())},
        )  # fmt: skip
    said = f"{file}: {sum(counted.values())} rows, {counted['productions']} productions"
    return Done(said, {"file": str(file), "rows": counted})


@command(partner, "erase")
@click.argument("partner_id")
@click.option("--yes", is_flag=True, help="Without it only what would be erased is said.")
def erase(partner_id: str, yes: bool) -> Done:
    """Erase a partner with everything that belongs to it. What people did to it stays in the audit log."""
    if not yes:
        name = erasure.name_of(partner_id)
        raise CommandError(f"This erases the partner {name} for good; call it again with --yes. `partner export` before it.")
    erased = erasure.erase(partner_id, settings.read(), clock.now, me().actor)
    said = f"erased {sum(erased.values())} rows, {erased.get('productions', 0)} productions; backups still hold them"
    return Done(said, {"erased": erased})
