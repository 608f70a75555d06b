"""``python app.py alert``: what the operator should know."""

import click

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.cli import operating
from svc.cli.operating import Done, command, me, plain
from svc.domain import alerts
from svc.domain.paging import Page
from svc.work import chores

alert = operating.group("alert", "Alerts: what the operator should know.")


@command(alert, "list")
@click.option("--state", type=click.Choice(("open", "closed", "all")), default="open", show_default=True)
@click.option("--name", help="Such as WebhookDeliveryFailed.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
def list_(state, name, limit):
    """List alerts, newest first."""
    closed = {"open": False, "closed": True, "all": None}[state]
    columns = ("id", "at", "severity", "name", "message", "partner_id", "seen_at", "closed_at")
    return [plain(row, *columns) for row in alerts.page(Page(limit), closed=closed, name=name)["data"]]


@command(alert, "see")
@click.argument("alert_id", type=int)
def see(alert_id):
    """Take note of an alert."""
    alerts.see(me().actor, alert_id, clock.now())
    return Done(f"took note of {alert_id}", {"seen": alert_id})


@command(alert, "close")
@click.argument("alert_id", type=int)
def close(alert_id):
    """Close an alert: nothing is left to do about it."""
    alerts.close(me().actor, alert_id, clock.now())
    return Done(f"closed {alert_id}", {"closed": alert_id})


@command(alert, "test")
def test():
    """Send a message to every address of SVC_ALERT_URLS, and say which took it."""
    given = settings.read()
    if not given.alert_urls:
        raise CommandError("SVC_ALERT_URLS is empty here: nobody is told of alerts. Set it as the server has it.")
    told = chores.try_addresses(given.alert_urls, f"This is a test of the alerts of {given.base_url}.")
    failed = [f"number {number} ({kind}://…)" for number, (kind, taken) in enumerate(told, 1) if not taken]
    if failed:
        raise CommandError(f"{len(failed)} of {len(told)} addresses did not take the message: {', '.join(failed)}.")
    return Done(f"{len(told)} of {len(told)} addresses took the message", {"sent": len(told)})
