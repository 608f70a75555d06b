"""The figures as Prometheus knows them: sums of all processes from the database, and what waits at this moment."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from svc.domain import backlog, metrics


@dataclass(frozen=True)
class Told:
    """How a sum is told of: what it is, and the names of its labels."""

    what: str
    labels: tuple[str, ...]


COUNTERS = {
    "requests": Told("Requests answered, by route and status.", ("route", "method", "status")),
    "events": Told("Events of productions, by type.", ("type",)),
    "deliveries": Told("Attempts to deliver a webhook, by outcome.", ("outcome",)),
    "deliveries_given_up": Told("Webhooks that failed after all their retries.", ()),
    "leases_recovered": Told("Leases of processes that died, or hung, and gave their work to others.", ()),
    "alerts": Told("Alerts raised.", ("name", "severity")),
}
HISTOGRAMS = {
    "request_seconds": Told("How long requests took to be answered.", ("route",)),
    "estimate_error": Told("How far off the first estimate of a production's end was, as a share of what it took.", ()),
    "step_seconds": Told("How long steps of productions took.", ("step", "outcome")),
    "delivery_seconds": Told("How long endpoints took to answer a webhook.", ("outcome",)),
    "delivery_delay_seconds": Told("How long after its event a webhook arrived.", ()),
}


class Families(Collector):
    """Everything there is to tell at an instant."""

    def __init__(self, now: int):
        self._now = now

    def collect(self) -> Iterator[Metric]:
        totals: dict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
        for name, labels, value in metrics.totals():
            totals[name][labels] = value
        for name, told in COUNTERS.items():
            family = CounterMetricFamily(f"svc_{name}", told.what, labels=told.labels)
            for labels, value in totals[name].items():
                family.add_metric(labels, value)
            yield family
        for name, told in HISTOGRAMS.items():
            yield _histogram(name, told, totals)
        yield from _gauges(backlog.backlog(self._now))


def _histogram(name: str, told: Told, totals: dict[str, Any]) -> Metric:
    family = HistogramMetricFamily(f"svc_{name}", told.what, labels=told.labels)
    for labels, total in totals[f"{name}_sum"].items():
        buckets, sofar = [], 0.0
        for bound in (*map(str, metrics.BOUNDS[name]), "+Inf"):
            sofar += totals[f"{name}_bucket"].get((*labels, bound), 0.0)
            buckets.append((bound, sofar))
        family.add_metric(labels, buckets, total)
    return family


def _gauges(found: backlog.Backlog) -> Iterator[Metric]:
    yield _gauge("productions", "Productions that have not ended, by status.", "status", found.productions)
    yield _gauge("deliveries_waiting", "Webhooks that have not arrived yet, by lane.", "lane", found.deliveries)
    yield _gauge("publications_waiting", "Publications that are not there yet.", None, {"": found.publications})
    due = {queue: age / 1000 for queue, age in found.oldest_due.items()}
    yield _gauge("oldest_due_seconds", "For how long the oldest piece of work has been due.", "queue", due)
    age = float("nan") if found.heartbeat_age is None else found.heartbeat_age / 1000
    yield _gauge("heartbeat_age_seconds", "How old the heartbeat of whoever drives the work is.", None, {"": age})
    yield _gauge("disk_free_bytes", "What is free on the disk of the data directory.", None, {"": found.disk_free})
    yield _gauge("database_bytes", "The database, without its write-ahead log.", None, {"": found.database_size})
    yield _gauge("database_free_bytes", "Of it, what is used anew before it grows.", None, {"": found.database_free})
    yield _gauge("wal_bytes", "The write-ahead log.", None, {"": found.wal_size})
    if found.backup_age is not None:
        yield _gauge("backup_age_seconds", "How old the newest backup by the clock is.", None, {"": found.backup_age / 1000})


def _gauge(name: str, what: str, label: str | None, values: Mapping[Any, float]) -> Metric:
    family = GaugeMetricFamily(f"svc_{name}", what, labels=[label] if label else [])
    for value, number in values.items():
        family.add_metric([str(value)] if label else [], number)
    return family
