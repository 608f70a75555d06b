"""``python app.py alert``: list, acknowledge and close alerts."""

import click

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.base.text.counted import count
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user, to_plain_row
from svc.domain.monitoring import alerts, health_checks
from svc.domain.paging import Page
from svc.work import alert_sending

_ALERT = click.argument("alert_id", type=click.IntRange(1, command_support.LARGEST_NUMBER))

alert = command_support.group("alert", "Alerts: list, acknowledge and close them.")


@command(alert, "list")
@click.option(
    "--state",
    type=click.Choice(("open", "closed", "all")),
    default="open",
    show_default=True,
    help="Which alerts to list; the console calls closed ones resolved.",
)
@click.option("--name", help="An alert name, such as WebhookDeliveryFailed.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)
def list_(state, name, limit):
    """List alerts, newest first."""
    closed = {"open": False, "closed": True, "all": None}[state]
    columns = ("id", "at", "severity", "name", "message", "partner_id", "seen_at", "closed_at")
    rows = alerts.list_page(Page(limit), closed=closed, name=name)["data"]
    # Alerts of an earlier release, whose names this one does not know, are kept.
    if not rows and name is not None and name not in (names := health_checks.list_alerts()):
        raise CommandError(f"No alert is called {name[:40]!r}; these are: {', '.join(names)}.")
    return [to_plain_row(row, *columns) for row in rows]


@command(alert, "see")
@_ALERT
def see(alert_id):
    """Acknowledge an alert."""
    alerts.acknowledge(get_terminal_user().actor, alert_id, clock.now())
    return Done(f"took note of {alert_id}", {"seen": alert_id})


@command(alert, "close")
@_ALERT
def close(alert_id):
    """Close an alert that needs no further action."""
    alerts.close(get_terminal_user().actor, alert_id, clock.now())
    return Done(f"closed {alert_id}", {"closed": alert_id})


@command(alert, "test")
def test():
    """Send a test message to every address in SVC_ALERT_URLS and report the result."""
    config = settings.read()
    if not config.alert_urls:
        raise CommandError(
            "SVC_ALERT_URLS is empty here: nobody is told of alerts. Set it as the server has it."
        )
    results = alert_sending.send_test_message(
        config.alert_urls, f"This is a test of the alerts of {config.base_url}."
    )
    of_all = count(len(results), "address", "addresses")
    failures = [
        f"number {number} ({scheme}://…)"
        for number, (scheme, is_accepted) in enumerate(results, 1)
        if not is_accepted
    ]
    if failures:
        raise CommandError(
            f"{len(failures)} of {of_all} did not take the message: {', '.join(failures)}."
        )
    return Done(f"{len(results)} of {of_all} took the message", {"sent": len(results)})
