"""The metrics in Prometheus' data model: the sums of all processes from the database,
and the current backlog.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from svc.domain.monitoring import gauges, health_checks, metrics
from svc.domain.monitoring.gauges import Gauge
from svc.domain.webhooks import event_types


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


_EVENTS = tuple((each,) for each in event_types.NAMES)
_ALERTS = tuple(
    (name, severity)
    for name, severities in health_checks.list_alerts().items()
    for severity in severities
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
                dict.fromkeys((*description.known, *_list_failures(name, totals)), 0.0)
                | totals[name]
            ).items():
                family.add_metric(labels, value)
            yield family
        for name, description in HISTOGRAMS.items():
            yield _make_histogram(name, description, totals)
        for gauge, figures in gauges.read_gauges(self._now):
            yield _make_gauge(gauge, figures)


def _list_failures(
    name: str, totals: Mapping[str, Mapping[tuple[str, ...], float]]
) -> Iterator[tuple[str, ...]]:
    """Yield the labels of failed answers for each route that has answered, so that a route's first
    failure counts as an increase.
    """
    if name == "requests":
        for route, method, _ in totals[name]:
            yield from ((route, method, status) for status in _FAILURES)


def _make_histogram(name: str, description: Description, totals: dict[str, Any]) -> Metric:
    family = HistogramMetricFamily(f"svc_{name}", description.text, labels=description.labels)
    for labels, total in totals[f"{name}_sum"].items():
        buckets, sofar = [], 0.0
        for bound in (*map(str, metrics.BOUNDS[name]), "+Inf"):
            sofar += totals[f"{name}_bucket"].get((*labels, bound), 0.0)
            buckets.append((bound, sofar))
        family.add_metric(labels, buckets, total)
    return family


def _make_gauge(gauge: Gauge, figures: Mapping[Any, float] | float) -> Metric:
    family = GaugeMetricFamily(f"svc_{gauge.name}", gauge.text, labels=gauge.labels)
    values = figures if isinstance(figures, Mapping) else {(): figures}
    for labels, number in values.items():
        label_names = labels if isinstance(labels, tuple) else (labels,)
        family.add_metric([str(label) for label in label_names], number)
    return family
