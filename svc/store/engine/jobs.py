"""The interface of the queue of jobs: periodic tasks, of which one process on the database does
each, and jobs by which a commit wakes others.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

TICKS = "ticks"  # the queue of periodic tasks
BEAT_SECONDS = 3.0  # between signs of life
SILENT_SECONDS = 10.0  # without a sign of life after which a process has lost its work and its jobs


@dataclass(frozen=True)
class Periodic:
    """A task that is due every so many ``seconds``, and that any process may do.

    ``run`` must not raise, and may meet itself: on another machine, or after a stall.
    """

    name: str
    run: Callable[[], None]
    seconds: int


# Returns whether a job was aborted.
IsAborted = Callable[[], bool]


@dataclass(frozen=True)
class Service:
    """What a process does for each job in some queues, at most ``at_once`` at the same time.

    ``run`` must not raise. A job carries nothing: ``run`` looks itself for what is to be done, so
    that a job that comes twice or late does no harm. What takes long asks the function that it is
    given whether an operator has aborted the job, and ends if so.
    """

    name: str
    queues: Sequence[str]
    run: Callable[[IsAborted], None]
    at_once: int = 1


class JobCount(NamedTuple):
    """How many jobs a queue has in a status, which is one of Procrastinate's (such as ``todo``,
    ``doing`` and ``failed``), or ``stalled``: begun by a process that gives no sign of life.
    """

    queue: str
    status: str
    number: int


class ListedJob(TypedDict):
    """A job of the queue that has not succeeded.

    ``status``: as in :class:`JobCount`, where ``doing`` excludes ``stalled``; ``worker``: the
    queue's number of the one that does it; ``seconds``: since it has this status;
    ``abort_requested``: an operator has aborted it, and it may not have ended yet.
    """

    id: int
    status: str
    queue: str
    task: str
    worker: int | None
    seconds: int
    attempts: int
    abort_requested: bool


class Jobs(AbstractContextManager[object]):
    """Inside it a process does jobs as they come; at its end it waits for those that run."""

    @abstractmethod
    def begin_to_stop(self) -> None:
        """Take no further jobs. Those that run go on, and the process gives signs of life for
        them. Returns at once.
        """


# Returns how many jobs there is something to be done for, by queue: so many are to wait there.
Ready = Callable[[], Counter[str]]


def format_cron(seconds: int) -> str:
    """Return the cron expression of what is due every so many seconds.

    ``seconds``: a divisor of a minute, an hour or a day.
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
