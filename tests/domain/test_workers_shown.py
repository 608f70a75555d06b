"""Servers and workers as operators see them: on the console's first page, in /metrics and by the doctor."""

import json
from dataclasses import replace

import pytest
from support.cast import text

from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import Process
from svc.store import database
from svc.work.doctor import machines
from tests.api.test_monitoring import samples


@pytest.fixture
def farm(app, clock):
    """A server that drives and runs no step, one that stands by, a worker that is silent, and a busy one."""
    for host, role, steps, version in (
        ("silent.example", "worker", 4, "1.0.0"),
        ("first.example", "driver", 0, "1.0.0"),
        ("second.example", "standby", 0, "1.0.0"),
        ("<b>third</b>.example", "worker", 2, "0.9.0"),
    ):
        if host != "silent.example":
            clock.at += 60_000 if host == "first.example" else 0
        workers.beat(Process(f"{host}:1", host, 4711, version, ["video"], clock()), role, steps, clock())


def found(app, clock, **changes) -> list[tuple[str, str]]:
    settings = replace(app.extensions["svc"].settings, **changes)
    with database.separate_connection() as connection:
        return [(each.verdict, each.text) for each in machines.examine(settings, clock(), connection)]


def test_the_first_page_shows_them_to_operators(operator, farm):
    page = text(operator.get("/console/"))
    assert "Servers and workers" in page and "0 of 2 steps at work" in page
    for word in ("silent.example", "server, drives", "server, stands by", "&lt;b&gt;third&lt;/b&gt;.example", "release 0.9.0"):
        assert word in page
    assert "<b>third" not in page and page.count(">silent</span>") == 1


@pytest.mark.parametrize("role", ["owner", "member"])
def test_a_partner_does_not_see_them(request, role, farm):
    page = text(request.getfixturevalue(role).get("/console/"))
    assert "silent.example" not in page and "Servers and workers" not in page


def test_nothing_is_shown_where_there_is_one_machine(operator, app):
    assert "Servers and workers" not in text(operator.get("/console/"))
    assert not [name for name, *_ in samples(app.test_client()) if "processes" in name]


def test_the_metrics_count_them(app, farm):
    counted = samples(app.test_client())
    assert {role: counted["svc_processes", role] for role in ("driver", "standby", "worker")} == {
        "driver": 1,
        "standby": 1,
        "worker": 1,
    }
    assert (counted["svc_processes_silent",], counted["svc_step_slots",], counted["svc_steps_running",]) == (1, 2, 0)


def test_the_doctor_names_the_silent_one_the_old_one_and_what_is_left(app, clock, farm):
    verdicts = found(app, clock)
    assert [verdict for verdict, _ in verdicts] == ["warning", "warning", "ok"]
    texts = " ".join(each for _, each in verdicts)
    assert "Worker 4711 on silent.example gave its last sign of life 60 s ago" in texts
    assert "is of release 0.9.0" in texts and "2 servers and 1 workers live; together they run 2 steps." in texts


def test_the_doctor_says_that_nothing_is_produced_without_a_worker(app, clock, farm):
    clock.tick(60)
    assert ("problem", "No worker runs, and SVC_RENDER_WORKERS is 0: nothing is produced.") in found(
        app, clock, render_workers=0
    )
    assert "problem" not in dict(found(app, clock, render_workers=1))


def test_the_doctor_has_nothing_to_say_of_one_machine(app, clock):
    assert found(app, clock) == []


def test_what_a_worker_may_run_is_kept(farm):
    assert {tuple(json.loads(row["can_run"])) for row in workers.known()} == {("video",)}
