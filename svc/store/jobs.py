"""What the processes on one database do for each other: tasks that one of them does each time."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Periodic:
    """A task that is due every so many ``seconds``, and that any process may do.

    ``run`` must not raise, and may meet itself: on another machine, or after a stall.
    """

    name: str
    run: Callable[[], None]
    seconds: int


def cron(seconds: int) -> str:
    """Return in cron's words when something is due every so many seconds, of which a minute, an
    hour or a day is a multiple.
    """
    if seconds == 86_400:
        return "0 0 * * *"
    for unit, of, words in (
        (1, 60, "* * * * * {}"),
        (60, 3600, "{} * * * *"),
        (3600, 86_400, "0 {} * * *"),
    ):
        if unit <= seconds < of and seconds % unit == 0 and of % seconds == 0:
            return words.format("*" if seconds == unit else f"*/{seconds // unit}")
    raise ValueError(f"no time of cron comes every {seconds} seconds")
