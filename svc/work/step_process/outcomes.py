"""The outcomes of a step, one type for each way in which it ends;
svc.work.step_process.running handles each.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from svc.base.outage import Outage


@dataclass(frozen=True)
class Completed:
    """The step has done its work."""


@dataclass(frozen=True)
class Failed:
    """The step cannot succeed. ``code``: of the failed production; ``message``: for the partner."""

    code: str
    message: str


@dataclass(frozen=True)
class PutOff:
    """A service that the step needs is down.

    ``code``, ``message``: as of :class:`Failed`, if it stays down.
    """

    code: str
    message: str


@dataclass(frozen=True)
class TimedOut:
    """The step ran for longer than the operator allows, and was killed."""

    message: str
    code: ClassVar[str] = "STEP_TIMED_OUT"


@dataclass(frozen=True)
class Crashed:
    """The step's process died or sent an invalid message.

    ``message``: with the last line of its output.
    """

    message: str
    code: ClassVar[str] = "STEP_CRASHED"


@dataclass(frozen=True)
class Interrupted:
    """The step was stopped by ``trouble``, a temporary outage of the machine."""

    message: str
    trouble: Outage


Outcome: TypeAlias = Completed | Failed | PutOff | TimedOut | Crashed | Interrupted


def refuse_malformed_files(error: Exception) -> Crashed:
    """Return the outcome of a step that reported success but left malformed files:
    it counts as a crash.
    """
    return Crashed(f"The step left malformed files: {type(error).__name__}: {str(error)[:200]}")
