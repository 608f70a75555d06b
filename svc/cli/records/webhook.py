"""``python app.py webhook``: webhooks, their deliveries, redelivery and replay."""

import click

from svc.base import clock, settings, states
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user, to_plain_row
from svc.cli.records.filters import require_named
from svc.domain import master_keys
from svc.domain.paging import Page
from svc.domain.webhooks import admin as webhook_admin
from svc.domain.webhooks import deliveries as delivery_log
from svc.domain.webhooks import event_types, signing_secrets

webhook = command_support.group("webhook", "Webhooks and their deliveries.")
_COLUMNS = (
    "id",
    "partner_name",
    "environment",
    "endpoint_url",
    "status",
    "failure_count",
    "last_delivery_at",
    "created_at",
)


@command(webhook, "list")
@click.option("--partner", "partner_id", help="Show only this partner's webhooks.")
@click.option(
    "--status",
    type=click.Choice(("Active", "Failed")),
    help="Show only webhooks in this state.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)
def list_(partner_id, status, limit):
    """List webhooks, newest first."""
    require_named(partner_id)
    return [
        to_plain_row(row, *_COLUMNS)
        for row in webhook_admin.list_page(partner_id, Page(limit), status)["data"]
    ]


@command(webhook, "show")
@click.argument("subscription_id")
def show(subscription_id):
    """Show one webhook with its health."""
    row, health = (
        webhook_admin.find(None, subscription_id),
        webhook_admin.measure_delivery_health(subscription_id),
    )
    return {
        **to_plain_row(row, *_COLUMNS, "event_types", "account_ids"),
        "successRate": health.rate,
        "queued": health.queued,
    }


@command(webhook, "list-deliveries", formerly="deliveries")
@click.argument("subscription_id")
@click.option(
    "--status",
    type=click.Choice(states.DELIVERY_STATES),
    help="Show only deliveries in this state.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many to list at most.",
)
def deliveries(subscription_id, status, limit):
    """List deliveries of a webhook, newest first, each with its last attempt."""
    webhook_admin.find(None, subscription_id)
    columns = (
        "id",
        "event_type",
        "production_id",
        "sequence",
        "status",
        "attempts",
        "status_code",
        "error",
        "created_at",
        "next_attempt_at",
    )
    search = delivery_log.Search(subscription_id=subscription_id, status=status)
    return [to_plain_row(row, *columns) for row in delivery_log.search(search, Page(limit))["data"]]


@command(webhook, "pause")
@click.argument("subscription_id")
def pause(subscription_id):
    """Let deliveries wait until the webhook is resumed."""
    webhook_admin.pause(get_terminal_user(), subscription_id, clock.now())
    return Done(f"paused {subscription_id}", {"paused": subscription_id})


@command(webhook, "resume")
@click.argument("subscription_id")
def resume(subscription_id):
    """Send the deliveries that waited, in order."""
    webhook_admin.resume(get_terminal_user(), subscription_id, clock.now())
    return Done(f"resumed {subscription_id}", {"resumed": subscription_id})


@command(webhook, "ping")
@click.argument("subscription_id")
@click.option(
    "--event-type",
    type=click.Choice(event_types.NAMES),
    default="webhook.ping",
    show_default=True,
    help="Of which event type a sample is sent.",
)
def ping(subscription_id, event_type):
    """Send a test event: a ping, or a sample of an event type."""
    delivery = webhook_admin.ping(
        get_terminal_user(), subscription_id, clock.now(), event_type=event_type
    )
    return Done(f"queued the delivery {delivery}", {"deliveryId": delivery})


@command(webhook, "reinstate")
@click.argument("subscription_id")
def reinstate(subscription_id):
    """Make a Failed webhook Active again."""
    webhook_admin.reinstate(get_terminal_user(), subscription_id, clock.now())
    return Done(f"reinstated {subscription_id}", {"reinstated": subscription_id})


@command(webhook, "roll-secret")
@click.argument("subscription_id")
@click.option(
    "--overlap-hours",
    type=click.IntRange(0, signing_secrets.MOST_OVERLAP_HOURS),
    default=signing_secrets.OVERLAP_HOURS,
    show_default=True,
    help="How long the old secret continues to sign too; 0 ends it immediately.",
)
def roll_secret(subscription_id, overlap_hours):
    """Create a new signing secret, and show it once."""
    ring = master_keys.open_ring(settings.read().secret, clock.now())
    answer = webhook_admin.roll_secret(
        get_terminal_user(), subscription_id, overlap_hours, clock.now(), ring
    )
    ends = (
        f"; the old one also signs until {answer['previousSecretEndsAt']}" if overlap_hours else ""
    )
    return Done(f"the new signing secret, shown once: {answer['signingSecret']}{ends}", answer)


@command(webhook, "redeliver")
@click.argument("subscription_id")
@click.argument("delivery_id")
def redeliver(subscription_id, delivery_id):
    """Send one delivery again."""
    webhook_admin.redeliver(get_terminal_user(), subscription_id, delivery_id, clock.now())
    return Done(f"queued {delivery_id}", {"deliveryId": delivery_id})


@command(webhook, "replay")
@click.argument("subscription_id")
@click.option(
    "--from",
    "since",
    required=True,
    help="The start of the period, such as 2026-11-20T09:30, in UTC.",
)
@click.option("--to", "until", default="", help="The end of the period; now by default.")
@click.option("--missed", is_flag=True, help="Send only deliveries that never arrived.")
def replay(subscription_id, since, until, missed):
    """Send the deliveries of a period again, in order."""
    form = {"from": since, "to": until, "missed": "on" if missed else ""}
    queued_count = webhook_admin.replay(get_terminal_user(), subscription_id, form, clock.now())
    return Done(f"queued {queued_count}", {"queued": queued_count})


@command(webhook, "remove", formerly="delete", removes="the webhook with its deliveries")
@click.argument("subscription_id")
def delete(subscription_id):
    """Remove a webhook."""
    webhook_admin.delete(get_terminal_user(), subscription_id, clock.now())
    return Done(f"removed {subscription_id}", {"removed": subscription_id})
