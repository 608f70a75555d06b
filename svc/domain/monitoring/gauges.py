"""The register of the gauges: figures of /metrics that are read when they are asked for.

    @gauge("publications_waiting", "Unfinished publications.")
    def count_publications(reading: Reading) -> int: ...

A gauge is one function in a module of this folder or of ``checks``. It takes no other edit to show
it in /metrics; svc/deploy/grafana.json has the panels, and svc/deploy/alerts.yaml the rules.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from svc.base.processes import entry_points
from svc.domain import monitoring
from svc.domain.monitoring import checks
from svc.store.database import Connection, db

Kind = TypeVar("Kind")
# The figures by the value of the label, or one without a label; None: the gauge is not shown.
Figures: TypeAlias = Mapping[Any, float] | float | None


@dataclass(frozen=True)
class Reading:
    """One reading of all gauges, over a connection of its own."""

    connection: Connection
    now: int
    _measured: dict[Callable[..., Any], Any] = field(default_factory=dict)

    def measure_once(self, measure: Callable[["Reading"], Kind]) -> Kind:
        """Return what ``measure`` returns, which is called once for all gauges."""
        if measure not in self._measured:
            self._measured[measure] = measure(self)
        result: Kind = self._measured[measure]
        return result


@dataclass(frozen=True)
class Gauge:
    """A gauge: its name without ``svc_``, its help text, and the names of its labels."""

    name: str
    text: str
    labels: tuple[str, ...]
    read: Callable[[Reading], Figures]


_gauges: dict[str, Gauge] = {}


def gauge(
    name: str, text: str, *labels: str
) -> Callable[[Callable[[Reading], Figures]], Callable[[Reading], Figures]]:
    """Register the decorated function as the gauge ``name``. With several labels, the keys of its
    figures are tuples. ValueError: there is one of this name.
    """

    def register(read: Callable[[Reading], Figures]) -> Callable[[Reading], Figures]:
        if name in _gauges:
            raise ValueError(f"the gauge {name!r} is there already")
        _gauges[name] = Gauge(name, text, labels, read)
        return read

    return register


def list_gauges() -> list[Gauge]:
    """Return all gauges, by the names of their modules, and in each as they stand there."""
    _import_gauges()
    return sorted(_gauges.values(), key=lambda each: each.read.__module__)


def read_gauges(now: int) -> list[tuple[Gauge, Mapping[Any, float] | float]]:
    """Read all gauges, and return those that are shown, each with its figures."""
    with db.separate_connection() as connection:
        reading = Reading(connection, now)
        read = [(each, each.read(reading)) for each in list_gauges()]
    return [(each, figures) for each, figures in read if figures is not None]


@functools.cache
def _import_gauges() -> None:
    entry_points.import_modules(monitoring)
    entry_points.import_modules(checks)
