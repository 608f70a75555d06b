"""The register of the health checks: a check is one function in a module of the folder ``checks``,
under its name.

    @health_check("disk", "The data directory", is_readiness=True, alert="DiskNearlyFull")
    def check_disk(installation: Installation) -> str | None: ...

Whatever lists checks, or runs them, reads this register: /readyz, the alerts and their counters in
/metrics, the sign of life, the doctor, and the table in docs/operations.md. To add a check takes
no other edit, in a module that is there or in a new one.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from svc.base.processes import entry_points
from svc.base.settings import Settings
from svc.domain.monitoring import alerts, checks
from svc.store.database import Connection
from svc.store.queries import Prepared

# The marks around the table in docs/operations.md.
START, END = "<!-- health checks -->", "<!-- /health checks -->"
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Installation:
    """What is checked. ``files_problem``: says why the store of the finished files does not answer.
    ``connection``: to its database, if that is not the open one, as for the doctor."""

    settings: Settings
    now: int
    files_problem: Callable[[], str | None] = lambda: None
    connection: Connection | None = None

    def rows(self, query: Prepared[Kind], **values: Any) -> list[Kind]:
        """Return the rows of a query."""
        if self.connection is None:
            return query.rows(**values)
        return query.rows_by(self.connection, **values)


@dataclass(frozen=True)
class Problem:
    """What a check found: what its subject has or does, or a sentence where it has no subject,
    without the full stop. ``severity``: of the alert; empty: the check's first. ``of``: which of
    several like things has the problem, such as a machine, so that the alert about one does not
    stand for those about the others."""

    text: str
    severity: str = ""
    of: str = ""


# None, (): all is well
Problems: TypeAlias = str | Problem | Sequence[Problem] | None


@dataclass(frozen=True)
class HealthCheck:
    """A check. ``subject``: what the problem is of, in an alert; empty: problems are sentences.

    ``is_readiness``: the service is not ready for requests while there is a problem.
    ``alert``: the name of the alert that a problem raises, empty: none does; ``severities``: those
    that it may have. ``known_seconds``: for how long the result holds, beyond the second for which
    every result of readiness does. ``hint``: the command that mends it, for the doctor; empty: the
    doctor has examinations of its own for it.
    """

    name: str
    subject: str
    is_readiness: bool
    alert: str
    severities: tuple[str, ...]
    known_seconds: float
    hint: str
    look: Callable[[Installation], Problems]

    def find_problems(self, installation: Installation) -> list[Problem]:
        """Run the check, and return what it found; empty: all is well."""
        problems = self.look(installation)
        if isinstance(problems, str):
            return [Problem(problems)]
        return [problems] if isinstance(problems, Problem) else list(problems or ())

    def describe_problem(self, problem: Problem) -> str:
        """Return the sentence that describes a problem to an operator."""
        text = problem.text.removesuffix(".")  # an outage says a whole sentence
        return f"{self.subject}: {text}." if self.subject else f"{text}."

    def find_severity(self, problem: Problem) -> str:
        """Return the severity of the alert about a problem."""
        return problem.severity or self.severities[0]


_checks: dict[str, HealthCheck] = {}


def health_check(
    name: str,
    subject: str = "",
    *,
    is_readiness: bool = False,
    alert: str = "",
    severities: tuple[str, ...] = ("warning",),
    known_seconds: float = 0.0,
    hint: str = "",
) -> Callable[[Callable[[Installation], Problems]], Callable[[Installation], Problems]]:
    """Register the decorated function as the check ``name``; the arguments are those of
    :class:`HealthCheck`.

    ValueError: there is one of this name, or nobody is told of what it finds.
    """

    def register(
        look: Callable[[Installation], Problems],
    ) -> Callable[[Installation], Problems]:
        if name in _checks or not (is_readiness or alert or hint):
            raise ValueError(f"the check {name!r} is there already, or tells nobody")
        if alert:
            alerts.declare(alert, severities)
        _checks[name] = HealthCheck(
            name, subject, is_readiness, alert, severities, known_seconds, hint, look
        )
        return look

    return register


def list_checks() -> list[HealthCheck]:
    """Return all checks, by the names of their modules, and in each as they stand there."""
    _import_checks()
    return sorted(_checks.values(), key=lambda check: check.look.__module__)


@functools.cache
def _import_checks() -> None:
    entry_points.import_modules(checks)


def list_alerts() -> dict[str, tuple[str, ...]]:
    """Return the severities of every alert that there is, by its name: those that checks raise,
    and those of events."""
    list_checks()
    return alerts.list_declared()


def format_table() -> str:
    """Return the table of all checks for the documentation."""
    rows = ["| check | `/readyz` | alert | severity |", "|---|---|---|---|"]
    for check in list_checks():
        readiness = "not ready" if check.is_readiness else "–"
        alert = f"`{check.alert}` | {', '.join(check.severities)}" if check.alert else "– | –"
        rows.append(f"| {check.name} | {readiness} | {alert} |")
    return "\n".join(rows)
