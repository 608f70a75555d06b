"""The metrics in Prometheus' data model: the sums of all processes from the database,
and the current backlog.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from svc.base.states import EVENT_TYPES, FURTHER_EVENT_TYPES
from svc.domain.monitoring import alerts, backlog, metrics, workers
from svc.domain.tables.productions import ShownWorker


@dataclass(frozen=True)
class Description:
    """The help text and the label names of a metric. ``known``: labels that are counted from 0, not
    from their first event.

    An increase is the difference of two samples, so a rule about it never sees what a series begins
    with.
    """

    text: str
    labels: tuple[str, ...]
    known: tuple[tuple[str, ...], ...] = ()


_EVENTS = tuple((each,) for each in (*EVENT_TYPES, *FURTHER_EVENT_TYPES))
_ALERTS = tuple(
    (name, severity) for name, severities in alerts.SEVERITIES.items() for severity in severities
)
_FAILURES = ("500", "503")  # statuses of answers that a rule counts

COUNTERS = {
    "requests": Description(
        "Requests answered, by route and status.", ("route", "method", "status")
    ),
    "events": Description("Events of productions, by type.", ("type",), _EVENTS),
    "deliveries": Description(
        "Webhook delivery attempts, by outcome.", ("outcome",), (("succeeded",), ("failed",))
    ),
    "deliveries_given_up": Description(
        "Webhook deliveries that failed after all retries.", (), ((),)
    ),
    "leases_recovered": Description(
        "Leases recovered from processes that died or hung.", (), ((),)
    ),
    "alerts": Description("Alerts raised.", ("name", "severity"), _ALERTS),
}
HISTOGRAMS = {
    "request_seconds": Description("Duration of requests in seconds.", ("route",)),
    "estimate_error": Description(
        "Relative error of the first estimate of a production's duration.", ()
    ),
    "step_seconds": Description("Duration of production steps in seconds.", ("step", "outcome")),
    "delivery_seconds": Description("Response time of webhook endpoints in seconds.", ("outcome",)),
    "delivery_delay_seconds": Description(
        "Delay between an event and the arrival of its webhook in seconds.", ()
    ),
}


class Families(Collector):
    """Collects all metrics at one instant."""

    def __init__(self, now: int):
        self._now = now

    def collect(self) -> Iterator[Metric]:
        totals: dict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
        for name, labels, value in metrics.read_totals():
            totals[name][labels] = value
        for name, description in COUNTERS.items():
            family = CounterMetricFamily(f"svc_{name}", description.text, labels=description.labels)
            for labels, value in (
                dict.fromkeys((*description.known, *_failures(name, totals)), 0.0) | totals[name]
            ).items():
                family.add_metric(labels, value)
            yield family
        for name, description in HISTOGRAMS.items():
            yield _histogram(name, description, totals)
        yield from _gauges(backlog.measure_backlog(self._now))
        yield from _machines(workers.list_with_steps(self._now))
        yield from _jobs(workers.jobs())


def _failures(
    name: str, totals: Mapping[str, Mapping[tuple[str, ...], float]]
) -> Iterator[tuple[str, ...]]:
    """Yield the labels of failed answers of each route that has answered,
    so that its first failure is an increase.
    """
    if name == "requests":
        for route, method, _ in totals[name]:
            yield from ((route, method, status) for status in _FAILURES)


def _histogram(name: str, description: Description, totals: dict[str, Any]) -> Metric:
    family = HistogramMetricFamily(f"svc_{name}", description.text, labels=description.labels)
    for labels, total in totals[f"{name}_sum"].items():
        buckets, sofar = [], 0.0
        for bound in (*map(str, metrics.BOUNDS[name]), "+Inf"):
            sofar += totals[f"{name}_bucket"].get((*labels, bound), 0.0)
            buckets.append((bound, sofar))
        family.add_metric(labels, buckets, total)
    return family


def _gauges(state: backlog.Backlog) -> Iterator[Metric]:
    yield _gauge("productions", "Unfinished productions, by status.", "status", state.productions)
    yield _gauge(
        "deliveries_waiting", "Webhook deliveries in the queue, by lane.", "lane", state.deliveries
    )
    yield _gauge("publications_waiting", "Unfinished publications.", None, {"": state.publications})
    due = {queue: age / 1000 for queue, age in state.oldest_due.items()}
    yield _gauge(
        "oldest_due_seconds", "How long the oldest work item has been ready to run.", "queue", due
    )
    age = float("inf") if state.heartbeat_age is None else state.heartbeat_age / 1000
    yield _gauge(
        "heartbeat_age_seconds",
        "Age of the heartbeat of the engine; +Inf: none has run yet.",
        None,
        {"": age},
    )
    yield _gauge(
        "disk_free_bytes",
        "Free space on the disk of the data directory.",
        None,
        {"": state.disk_free},
    )
    yield _gauge(
        "database_bytes",
        "Size of the database without its write-ahead log.",
        None,
        {"": state.database_size},
    )
    yield _gauge(
        "database_free_bytes", "Unused space within the database.", None, {"": state.database_free}
    )
    yield _gauge("wal_bytes", "Size of the write-ahead log.", None, {"": state.wal_size})
    if state.backup_age is not None and state.backup_interval is not None:
        text = (
            "Age of the newest scheduled backup; while there is none, the time since they are "
            "scheduled."
        )
        yield _gauge("backup_age_seconds", text, None, {"": state.backup_age / 1000})
        text = "Time between scheduled backups."
        yield _gauge("backup_interval_seconds", text, None, {"": state.backup_interval / 1000})


def _machines(processes: list[ShownWorker]) -> Iterator[Metric]:
    """Describe servers and workers, where several machines share the database."""
    if not processes:
        return
    alive = [each for each in processes if not each["is_silent"]]
    roles = {
        role: sum(each["role"] == role for each in alive)
        for role in ("driver", "standby", "worker")
    }
    yield _gauge(
        "processes", "Servers and workers that give signs of life, by role.", "role", roles
    )
    yield _gauge(
        "processes_silent",
        "Servers and workers that give none.",
        None,
        {"": len(processes) - len(alive)},
    )
    yield _gauge(
        "processes_sick",
        "Of those that give signs of life, those that take no steps until their place is usable.",
        None,
        {"": sum(each["sick"] is not None for each in alive)},
    )
    yield _gauge(
        "step_slots",
        "How many steps they can run at the same time.",
        None,
        {"": sum(e["steps"] for e in alive)},
    )
    yield _gauge(
        "steps_running",
        "How many steps they run.",
        None,
        {"": sum(each["running"] for each in alive)},
    )


def _jobs(counts: Sequence[tuple[str, str, int]]) -> Iterator[Metric]:
    """Describe the queues of jobs, where several machines share the database."""
    if counts:
        text = "Jobs of the queues by which servers and workers hear of work."
        family = GaugeMetricFamily("svc_jobs", text, labels=["queue", "status"])
        for queue, status, number in counts:
            family.add_metric([queue, status], number)
        yield family


def _gauge(name: str, what: str, label: str | None, values: Mapping[Any, float]) -> Metric:
    family = GaugeMetricFamily(f"svc_{name}", what, labels=[label] if label else [])
    for value, number in values.items():
        family.add_metric([str(value)] if label else [], number)
    return family
