"""``python app.py maintenance``: maintenance mode, in which the API answers 503."""

import click

from svc.base import clock
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user
from svc.domain.monitoring import maintenance as switch

maintenance = command_support.group(
    "maintenance", "Maintenance mode, in which the API answers 503."
)


@command(maintenance, "on")
@click.option(
    "--retry-after",
    "seconds",
    type=click.IntRange(1, switch.LONGEST),
    default=switch.RETRY_SECONDS,
    show_default=True,
    help="The Retry-After for clients, in seconds.",
)
def on(seconds):
    """Answer every API request with 503."""
    switch.set_maintenance_as(get_terminal_user().actor, True, clock.now(), seconds)
    return _report_status()


@command(maintenance, "off")
def off():
    """Answer API requests normally again."""
    switch.set_maintenance_as(get_terminal_user().actor, False, clock.now())
    return _report_status()


@command(maintenance, "show", formerly="status")
def status():
    """Show whether maintenance mode is on."""
    return _report_status()


def _report_status() -> Done:
    seconds = switch.retry_after()
    words = (
        "off: the API answers"
        if seconds is None
        else f"on: the API answers 503, Retry-After {seconds} s"
    )
    return Done(words, {"maintenance": seconds is not None, "retryAfterSeconds": seconds})
