"""The alerting rules for Prometheus: of the right form, about figures and labels that there are, tried by its own tool."""

import re
import shutil
import subprocess

import pytest
import yaml
from click.testing import CliRunner

from svc.api import prometheus
from svc.cli import commands
from tests.deploy.test_grafana import told  # noqa: F401 - a fixture

_FUNCTIONS = {"increase", "rate", "sum", "by"}
_DURATION = re.compile(r"(\d+(ms|[smhdwy]))+")
_SEVERITIES = {"info", "warning", "critical"}  # as those of the service's own alerts


def printed() -> str:
    return CliRunner().invoke(commands.main, ["deploy", "prometheus"]).output


RULES = [rule for group in yaml.safe_load(printed())["groups"] for rule in group["rules"]]


def test_the_file_has_the_form_that_prometheus_asks_for():
    text = yaml.safe_load(printed())
    assert set(text) == {"groups"} and all(set(group) == {"name", "rules"} for group in text["groups"])
    for rule in RULES:
        assert {"alert", "expr", "labels", "annotations"} <= set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"[A-Z]\w+", rule["alert"]) and _DURATION.fullmatch(rule.get("for", "1m"))
        assert set(rule["labels"]) == {"severity"} and rule["labels"]["severity"] in _SEVERITIES
        assert set(rule["annotations"]) == {"summary", "description"}
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_rule_asks_for_figures_and_labels_that_there_are(rule, told):  # noqa: F811
    names = set(re.findall(r"\b[a-z_]{2,}\b(?=[{\[ (]|$)", re.sub(r"\{[^}]*\}", "{}", rule["expr"]))) - _FUNCTIONS
    assert names and names <= {*told, "up"}
    labels = set(re.findall(r"(\w+)=?[=!]~?\"", rule["expr"]))
    shown = set(re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values())))
    known = set().union({"job"}, *(told[name] for name in names - {"up"}))
    assert labels <= known and shown <= known


def test_what_a_rule_selects_by_is_what_the_service_says():
    assert 'severity="critical"' in printed() and "severity" in prometheus.COUNTERS["alerts"].labels
    assert 'queue!="delivery"' in printed()


@pytest.mark.judges
def test_prometheus_own_tool_finds_nothing_wrong(tmp_path):
    if shutil.which("promtool") is None:
        pytest.skip("no promtool here")
    (tmp_path / "alerts.yaml").write_text(printed())
    done = subprocess.run(["promtool", "check", "rules", tmp_path / "alerts.yaml"], capture_output=True, text=True)
    assert done.returncode == 0 and f"SUCCESS: {len(RULES)} rules found" in done.stdout, done.stdout + done.stderr
    (tmp_path / "down.yaml").write_text(_DOWN)
    done = subprocess.run(["promtool", "test", "rules", tmp_path / "down.yaml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


_DOWN = """
rule_files: [alerts.yaml]
tests:
  - interval: 1m
    input_series:
      - {series: 'up{job="partner-production"}', values: '1 1 0 0 0 0 0'}
      - {series: 'svc_heartbeat_age_seconds', values: '2 3 90 150 210 270 330'}
    alert_rule_test:
      - {eval_time: 1m, alertname: ServiceDown, exp_alerts: []}
      - eval_time: 6m
        alertname: ServiceDown
        exp_alerts:
          - exp_labels: {severity: critical, job: partner-production}
            exp_annotations:
              summary: The service does not answer.
              description: See its log (journalctl --unit partner-production), and what `python app.py doctor` finds.
      - eval_time: 6m
        alertname: NobodyDrives
        exp_alerts:
          - exp_labels: {severity: critical}
            exp_annotations:
              summary: Nothing is made, sent or published.
              description: The last heartbeat of a process that drives the work is 5m 30s old.
"""
