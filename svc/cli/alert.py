"""``python app.py alert``: what the operator should know."""

import click

from svc.base import clock
from svc.cli import operating
from svc.cli.operating import Done, command, me, plain
from svc.domain import alerts
from svc.domain.paging import Page

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
