"""The alerting rules for Prometheus: of the right form, about figures and labels that there are,
tried by its own tool.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from support.sampling import sampled
from support.stage import claim

from svc.api import prometheus
from svc.base.settings import read
from svc.cli import commands
from svc.domain.lifecycle import lifecycle, render_queue
from svc.domain.monitoring import alerts, backlog, engine_heartbeat, metrics
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.store import meta
from svc.store.database import db
from tests.deploy.test_grafana import told  # noqa: F401 - a fixture

CASES = Path(__file__).with_name("alert_rules_tests.yaml")
US = Viewer(None, "us", "us", identity.OPERATOR, None)
_FUNCTIONS = {"increase", "rate", "sum", "by"}
_DURATION = re.compile(r"(\d+(ms|[smhdwy]))+")
_SEVERITIES = {"info", "warning", "critical"}  # as those of the service's own alerts


def printed() -> str:
    return CliRunner().invoke(commands.main, ["deploy", "prometheus"]).output


RULES = [rule for group in yaml.safe_load(printed())["groups"] for rule in group["rules"]]


def test_the_file_has_the_form_that_prometheus_asks_for():
    text = yaml.safe_load(printed())
    assert set(text) == {"groups"} and all(
        set(group) == {"name", "rules"} for group in text["groups"]
    )
    for rule in RULES:
        assert (
            {"alert", "expr", "labels", "annotations"}
            <= set(rule)
            <= {"alert", "expr", "for", "labels", "annotations"}
        )
        assert re.fullmatch(r"[A-Z]\w+", rule["alert"]) and _DURATION.fullmatch(
            rule.get("for", "1m")
        )
        assert set(rule["labels"]) == {"severity"} and rule["labels"]["severity"] in _SEVERITIES
        assert set(rule["annotations"]) == {"summary", "description"}
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_rule_asks_for_figures_and_labels_that_there_are(rule, told):  # noqa: F811
    names = (
        set(re.findall(r"\b[a-z_]{2,}\b(?=[{\[ (]|$)", re.sub(r"\{[^}]*\}", "{}", rule["expr"])))
        - _FUNCTIONS
    )
    assert names and names <= {*told, "up"}
    labels = set(re.findall(r"(\w+)=?[=!]~?\"", rule["expr"]))
    shown = set(re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values())))
    known = set().union({"job"}, *(told[name] for name in names - {"up"}))
    assert labels <= known and shown <= known


def test_what_a_rule_selects_by_is_what_the_service_says():
    assert 'severity="critical"' in printed() and "severity" in prometheus.COUNTERS["alerts"].labels


def rule(name: str) -> str:
    [expression] = [each["expr"] for each in RULES if each["alert"] == name]
    return expression


def fires(name: str, samples: dict[str, float]) -> bool:
    """Whether a rule that compares plain figures fires.

    One that is missing compares to nothing, as for Prometheus.
    """
    left, right = rule(name).split(" > ")
    figures = {figure: samples.get(figure) for figure in re.findall(r"svc_\w+", rule(name))}
    return None not in figures.values() and eval(left, {}, figures) > eval(right, {}, figures)


def scraped(clock) -> dict[tuple[str, ...], float]:
    """All samples, by their name and the values of their labels."""
    every = [
        sample for family in prometheus.Families(clock()).collect() for sample in family.samples
    ]
    return {(each.name, *each.labels.values()): each.value for each in every}


def plain(clock) -> dict[str, float]:
    return {key[0]: value for key, value in scraped(clock).items() if len(key) == 1}


def test_nobody_drives_where_nobody_ever_did(app, clock):
    assert fires("NobodyDrives", plain(clock))
    with db.transaction():
        engine_heartbeat.record_heartbeat(clock())
    assert not fires("NobodyDrives", plain(clock))
    clock.tick(61)
    assert fires("NobodyDrives", plain(clock))


def test_a_backup_is_old_after_twice_its_interval_also_where_there_was_none_ever(app, clock):
    assert not fires("BackupOld", plain(clock))
    with db.transaction():
        backlog.store_backup_schedule(6, clock())
    clock.tick(12 * 3600)
    assert not fires("BackupOld", plain(clock))
    with db.transaction():
        backlog.store_backup_schedule(6, clock())  # by the next start
    clock.tick(1)
    assert fires("BackupOld", plain(clock))
    with db.transaction():
        meta.put("backup", clock())
    assert not fires("BackupOld", plain(clock))
    clock.tick(12 * 3600 + 1)
    assert fires("BackupOld", plain(clock))
    with db.transaction():
        backlog.store_backup_schedule(0, clock())  # a timer makes them from now on
    assert not fires("BackupOld", plain(clock))


@pytest.mark.parametrize("labels", sampled(map(list, prometheus._ALERTS), 4), ids=" ".join)
def test_the_first_occurrence_of_each_alert_is_an_increase(app, clock, labels):
    assert rule("ServiceAlert") == 'increase(svc_alerts_total{severity="critical"}[10m]) > 0'
    before = scraped(clock)["svc_alerts_total", *labels]
    with db.transaction():
        alerts.raise_alert(*labels, "It is bad", clock())
    assert (before, scraped(clock)["svc_alerts_total", *labels]) == (0, 1)


def test_an_alert_that_is_not_counted_from_0_is_not_raised(app, clock):
    for name, severity in (("SomethingElse", "critical"), ("BackupFailed", "info")):
        with pytest.raises(ValueError, match="missing in SEVERITIES"), db.transaction():
            alerts.raise_alert(name, severity, "It is bad", clock())


def test_the_first_failure_of_a_route_that_has_answered_is_an_increase(app, clock, partner):
    partner.get("/v1/webhooks")
    before = scraped(clock)
    metrics.count_request("/v1/webhooks", "GET", 503, 0.1)
    after = scraped(clock)
    failed = "svc_requests_total", "/v1/webhooks", "GET", "503"
    assert (before[failed], after[failed]) == (0, 1)


@pytest.mark.parametrize(
    "counter", ["deliveries", "deliveries_given_up", "events", "leases_recovered"]
)
def test_whatever_is_counted_is_counted_from_0(app, clock, counter):
    assert {
        key
        for key, value in scraped(clock).items()
        if key[0] == f"svc_{counter}_total" and value == 0
    } == {(f"svc_{counter}_total", *labels) for labels in prometheus.COUNTERS[counter].known}


@pytest.mark.parametrize("why", ["a scenario", "a review", "a pause"])
def test_work_that_waits_for_people_is_no_old_queue(app, clock, partner, why):
    if why == "a scenario":
        partner.trigger(metadataMD="---\nsandbox:\n  holdIn: Queued\n---\n")
    else:
        partner.trigger(review="script" if why == "a review" else "none")
        if why == "a review":
            held = claim(clock)
            with db.transaction():
                lifecycle.await_review(held, clock())
            render_queue.release_claim(held)
        else:
            render_queue.pause(US, None, clock())
    clock.tick(3600)
    assert scraped(clock)["svc_oldest_due_seconds", "production"] == 0


def test_work_that_is_ready_to_run_is_an_old_queue(app, clock, partner):
    partner.trigger()
    clock.tick(1801)
    assert scraped(clock)["svc_oldest_due_seconds", "production"] == 1801
    waits = read({}).queue_alert_minutes * 60  # as long as for the alert of that name
    assert rule("QueueOld") == f"svc_oldest_due_seconds > {waits}"


@pytest.mark.judges
def test_prometheus_own_tool_finds_nothing_wrong_and_the_rules_fire_as_they_should(tmp_path):
    """``alert_rules_tests.yaml`` is in the form that ``promtool test rules`` reads,
    beside the rules as they are printed.
    """
    if shutil.which("promtool") is None:
        pytest.skip("no promtool here")
    (tmp_path / "alerts.yaml").write_text(printed())
    shutil.copy(CASES, tmp_path)
    done = subprocess.run(
        ["promtool", "check", "rules", tmp_path / "alerts.yaml"], capture_output=True, text=True
    )
    assert done.returncode == 0 and f"SUCCESS: {len(RULES)} rules found" in done.stdout, (
        done.stdout + done.stderr
    )
    done = subprocess.run(
        ["promtool", "test", "rules", tmp_path / CASES.name], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_cases_for_promtool_try_every_rule_both_ways():
    cases = yaml.safe_load(CASES.read_text("utf-8"))
    assert cases["rule_files"] == ["alerts.yaml"]
    tried = {
        (case["alertname"], bool(case["exp_alerts"]))
        for test in cases["tests"]
        for case in test["alert_rule_test"]
    }
    assert tried == {(each["alert"], fires) for each in RULES for fires in (True, False)}


def test_the_cases_for_promtool_ask_for_the_words_that_the_rules_have():
    """As far as that can be said without promtool: labels, and the texts up to
    their first figure.
    """
    rules = {each["alert"]: each for each in RULES}
    cases = yaml.safe_load(CASES.read_text("utf-8"))
    for case in (case for test in cases["tests"] for case in test["alert_rule_test"]):
        for expected in case["exp_alerts"]:
            of = rules[case["alertname"]]
            assert expected["exp_labels"]["severity"] == of["labels"]["severity"]
            for name, text in of["annotations"].items():
                pattern = re.sub(r"\\{\\{.*?\\}\\}", ".+", re.escape(text))
                assert re.fullmatch(pattern, expected["exp_annotations"][name]), (
                    case["alertname"],
                    name,
                )
