"""The dashboard asks for figures that there are, with labels that they have."""

import json
import re
from pathlib import Path

import pytest
from support import plain_sql

from svc.api import prometheus
from svc.domain.monitoring import metrics, workers
from svc.store.database import db

DASHBOARD = json.loads(
    (Path(__file__).parents[2] / "svc" / "deploy" / "grafana.json").read_text("utf-8")
)
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


@pytest.fixture
def told(app, partner, clock) -> dict[str, set[str]]:
    """Every figure that there is, with its labels; something has happened of each kind."""
    for name, each in prometheus.COUNTERS.items():
        metrics.increment(name, *each.labels)
    for name, each in prometheus.HISTOGRAMS.items():
        metrics.observe(name, 1.0, *each.labels)
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO meta VALUES ('heartbeat', '0'), ('backup_since', '0'), "
            "('backup_hours', '6')"
        )
    process = workers.Process("here:1", "here", 1, "1", [], clock())
    workers.record_heartbeat(process, "worker", 1, clock())
    return {
        sample.name: set(sample.labels)
        or (set(family._labelnames) if hasattr(family, "_labelnames") else set())
        for family in prometheus.Families(clock()).collect()
        for sample in [*family.samples, *_empty(family)]
    }


def _empty(family):
    """A gauge by status has no sample while nothing has that status."""
    if not family.samples:
        family.add_metric(["x"] * len(family._labelnames), 0)
    return family.samples


def test_each_expression_asks_for_a_figure_that_there_is(told):
    for expression in EXPRESSIONS:
        names = set(re.findall(r"\bsvc_\w+", expression))
        assert names and names <= set(told), expression


def test_each_label_is_one_of_its_figure(told):
    for expression in EXPRESSIONS:
        labels = {
            each.strip()
            for group in re.findall(r"by \(([^)]*)\)", expression)
            for each in group.split(",")
        }
        labels |= set(re.findall(r"(\w+)=?[=!]~?\"", expression))
        [name] = set(re.findall(r"\bsvc_\w+", expression))
        assert labels <= told[name], expression


def test_every_figure_is_on_the_dashboard(told):
    shown = " ".join(EXPRESSIONS)
    for name in told:
        stem = re.sub(r"_(bucket|count|sum|created)$", "", name)
        assert stem in shown, name


def test_no_two_panels_lie_on_each_other():
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for at in [panel["gridPos"]]
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
