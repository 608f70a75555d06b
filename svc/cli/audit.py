"""``python app.py audit``: who changed what, when, and how it was before and after."""

import click

from svc.base.errors import CommandError
from svc.cli import operating
from svc.domain import audit as log
from svc.domain import people
from svc.domain.paging import Page


@click.command()
@click.option("--actor", "email", help="Who: an e-mail address.")
@click.option("--action", help="Such as key.revoke, or key. for all that is done with keys.")
@click.option("--partner", "partner_id", help="Whose matter.")
@click.option("--subject", "subject_id", help="The id of what was changed.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")
def audit(email, action, partner_id, subject_id, limit, as_json):
    """Show who changed what, newest first."""
    operating.open_server()
    person = people.find(email) if email else None
    if email and person is None:
        raise CommandError(f"Nobody has the e-mail address {email}; python app.py user list names everybody.")
    found = log.page(
        Page(limit), actor_id=person["id"] if person else None, action=action, partner_id=partner_id, subject_id=subject_id
    )["data"]
    shown = ("at", "actor", "action", "subject", "before", "after") if not as_json else None
    operating.write([{name: each[name] for name in shown or each if name != "atMs"} for each in found], as_json)
