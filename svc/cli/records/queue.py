"""``python app.py queue``: show the queue of steps, and pause and resume it for one partner
or for all.
"""

import click

from svc.base import clock
from svc.cli import command_support
from svc.cli.command_support import Done, command, plain_row, terminal_user
from svc.domain.productions import render_queue

queue = command_support.group("queue", "The queue of steps: show, pause and resume it.")
_PARTNER = click.option(
    "--partner", "partner_id", help="The partner whose queue is meant; the whole queue by default."
)


@command(queue, "show")
def show():
    """Show the partners that have work, each with its weight,
    its numbers of waiting and running productions, and any pause.
    """
    columns = ("partner_id", "name", "tier", "weight", "waiting", "running", "paused_at")
    return [plain_row(row, *columns) for row in render_queue.list_shares()]


@command(queue, "pause")
@_PARTNER
def pause(partner_id):
    """Start no new steps. Running steps finish; triggers, cancellation and expiry continue."""
    render_queue.pause(terminal_user(), partner_id, clock.now())
    return _status(partner_id)


@command(queue, "resume")
@_PARTNER
def resume(partner_id):
    """Resume starting steps."""
    render_queue.resume(terminal_user(), partner_id, clock.now())
    return _status(partner_id)


def _status(partner_id: str | None) -> Done:
    since = render_queue.paused_at(partner_id)
    whose = f"the queue of {partner_id}" if partner_id else "the whole queue"
    words = f"{whose} is paused" if since else f"{whose} goes on"
    return Done(words, {"partnerId": partner_id, "pausedAt": clock.text(since)})
