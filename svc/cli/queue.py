"""``python app.py queue``: who waits for the render workers, and the pause of one partner's queue or of all."""

import click

from svc.base import clock
from svc.cli import operating
from svc.cli.operating import Done, command, me, plain
from svc.domain import render_queue

queue = operating.group("queue", "The queue of steps: who waits, and its pause.")
_PARTNER = click.option("--partner", "partner_id", help="Of this partner alone; without it the whole queue.")


@command(queue, "show")
def show():
    """Show each partner with work: its weight, how many productions wait and run, and since when its queue is paused."""
    columns = ("partner_id", "name", "tier", "weight", "waiting", "running", "paused_at")
    return [plain(row, *columns) for row in render_queue.overview()]


@command(queue, "pause")
@_PARTNER
def pause(partner_id):
    """Start no further step. What runs is finished; triggers are taken; cancelling and expiry go on."""
    render_queue.pause(me(), partner_id, clock.now())
    return _status(partner_id)


@command(queue, "resume")
@_PARTNER
def resume(partner_id):
    """Start steps again."""
    render_queue.resume(me(), partner_id, clock.now())
    return _status(partner_id)


def _status(partner_id: str | None) -> Done:
    since = render_queue.paused_at(partner_id)
    whose = f"the queue of {partner_id}" if partner_id else "the whole queue"
    words = f"{whose} is paused" if since else f"{whose} goes on"
    return Done(words, {"partnerId": partner_id, "pausedAt": clock.text(since)})
