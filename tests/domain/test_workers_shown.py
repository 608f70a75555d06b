"""Servers and workers as operators see them: on the console's first page,
in /metrics and by the doctor.
"""

import json
import re
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import text

from svc.base.errors import StartRefused
from svc.base.version import VERSION
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import Process
from svc.store import meta
from svc.store.database import db
from svc.store.engine.jobs import JobCount
from svc.work.doctor import machines
from svc.work.machines import same_files
from tests.api.test_monitoring import samples


@pytest.fixture
def farm(app, clock):
    """A server that runs no step, one of an earlier release that stands by, a silent worker,
    and a busy one.
    """
    for host, role, steps, version in (
        ("silent.example", "worker", 4, VERSION),
        ("first.example", "driver", 0, VERSION),
        ("second.example", "standby", 0, VERSION),
        ("<b>third</b>.example", "worker", 2, "0.9.0"),
    ):
        if host != "silent.example":
            clock.at += 60_000 if host == "first.example" else 0
        can_run = ["video"] if host == "silent.example" else sorted(render_queue.ALL_ABILITIES)
        workers.record_heartbeat(
            Process(f"{host}:1", host, 4711, version, can_run, clock()), role, steps, clock()
        )


def found(app, clock, **changes) -> list[tuple[str, str]]:
    settings = replace(app.extensions["svc"].settings, **changes)
    with db.separate_connection() as connection:
        return [
            (each.verdict, each.text) for each in machines.examine(settings, clock(), connection)
        ]


def test_others_that_keep_the_files_elsewhere_are_named(app, clock, farm, monkeypatch):
    settings = replace(app.extensions["svc"].settings, storage_url="s3://films/prod")
    said = (
        "SVC_STORAGE_URL is s3://films/prod here, and no bucket where the others on this "
        "database run."
    )
    assert ("problem", said) in found(app, clock, storage_url="s3://films/prod")
    monkeypatch.setattr(db, "place", lambda: "")
    same_files.require(settings, clock())  # on SQLite there are no others
    monkeypatch.setattr(db, "place", lambda: "here:")
    with pytest.raises(StartRefused, match="or stop all of them before it is changed"):
        same_files.require(settings, clock())
    with db.transaction():
        meta.put("storage_url", "s3://films/prod")
    same_files.require(settings, clock())
    assert ("problem", said) not in found(app, clock, storage_url="s3://films/prod")
    with pytest.raises(StartRefused, match="is no bucket here, and s3://films/prod where"):
        same_files.require(app.extensions["svc"].settings, clock())
    # by then all of them are silent
    same_files.require(app.extensions["svc"].settings, clock() + 16_000)


def test_a_second_server_without_a_bucket_is_refused(app, clock, farm, monkeypatch):
    settings = app.extensions["svc"].settings
    monkeypatch.setattr(db, "place", lambda: "here:")
    with pytest.raises(StartRefused, match="A server on first.example works on this database, too"):
        same_files.require(settings, clock())
    monkeypatch.setattr(db, "place", lambda: "first.example:")
    same_files.require(settings, clock())  # it is this data directory's own
    monkeypatch.setattr(db, "place", lambda: "here:")
    same_files.require(settings, clock() + 16_000)  # by then it is silent


def test_the_first_page_shows_them_to_operators(operator, farm):
    page = text(operator.get("/console/"))
    assert "Servers and workers" in page and "0 of 2 steps at work" in page
    for word in (
        "silent.example",
        "server, stands by",
        "&lt;b&gt;third&lt;/b&gt;.example",
        "release 0.9.0",
    ):
        assert word in page
    assert "<b>third" not in page and page.count(">silent</span>") == 1


def test_a_sick_one_is_shown_everywhere_with_its_reason(app, operator, clock, farm):
    process = Process(
        "sick:1", "sick.example", 42, "1.0.0", sorted(render_queue.ALL_ABILITIES), clock()
    )
    workers.record_heartbeat(process, "worker", 8, clock(), sick="No room <b>there</b>.")
    page = text(operator.get("/console/"))
    assert page.count(">sick</span>") == 1 and "No room &lt;b&gt;there&lt;/b&gt;." in page
    assert "0 of 2 steps at work" in page  # nothing is left to it
    [(verdict, said)] = [each for each in found(app, clock) if "sick.example" in each[1]]
    assert verdict == "problem" and said.endswith("place is usable again: No room <b>there</b>.")
    counted = samples(app.test_client())
    assert (counted["svc_processes_sick",], counted["svc_step_slots",]) == (1, 2)
    workers.record_heartbeat(process, "worker", 8, clock())
    assert samples(app.test_client())["svc_processes_sick",] == 0


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
    assert (
        counted["svc_processes_silent",],
        counted["svc_step_slots",],
        counted["svc_steps_running",],
    ) == (1, 2, 0)


def test_the_doctor_names_the_silent_one_the_old_one_and_what_is_left(app, clock, farm):
    verdicts = found(app, clock)
    assert [verdict for verdict, _ in verdicts] == ["warning", "warning", "ok"]
    texts = " ".join(each for _, each in verdicts)
    assert "Worker 4711 on silent.example gave its last sign of life 60 s ago" in texts
    assert (
        "is of release 0.9.0" in texts
        and "2 servers and 1 worker live; together they run 2 steps." in texts
    )


@pytest.mark.parametrize(
    ("release", "where"),
    [
        ("0.9.9", "on <b>third</b>.example"),
        (VERSION.rpartition(".")[0] + ".10", "on this machine"),
        ("10.0.0", "on this machine"),
    ],
)
def test_the_doctor_says_on_which_machine_the_older_release_is(app, clock, farm, release, where):
    with db.transaction():
        plain_sql.execute("UPDATE workers SET version = ? WHERE version = '0.9.0'", (release,))
    with db.separate_connection() as connection:
        mends = [
            each.mend
            for each in machines.examine(app.extensions["svc"].settings, clock(), connection)
        ]
    assert f"git pull  # {where}, and start it anew" in mends


def test_the_doctor_says_that_nothing_is_produced_without_a_worker(app, clock, farm):
    clock.tick(60)
    assert (
        "problem",
        "No worker runs, and SVC_RENDER_WORKERS is 0: nothing is produced.",
    ) in found(app, clock, render_workers=0)
    assert "problem" not in dict(found(app, clock, render_workers=1))


@pytest.mark.parametrize(("own", "steps", "named"), [(0, 2, True), (0, 0, False), (1, 2, False)])
def test_the_doctor_names_the_steps_that_no_living_worker_may_run(
    app, clock, farm, own, steps, named
):
    """The silent one may run video; a server with steps of its own runs all of them."""
    clock.tick(60)
    may = sorted(render_queue.STEP_NAMES - {"video", "checks"})
    workers.record_heartbeat(
        Process("fourth:1", "fourth", 4711, VERSION, may, clock()), "worker", steps, clock()
    )
    text = "No worker that lives may run these steps: video, checks. Productions wait there."
    assert (("problem", text) in found(app, clock, render_workers=own)) == named


def test_the_doctor_names_a_worker_that_speaks_fewer_languages(app, clock, farm):
    clock.tick(60)
    for host, more in (("fourth", {"ja"}), ("fifth", {"ja", "th"})):
        may = sorted(render_queue.STEP_NAMES | more)
        workers.record_heartbeat(
            Process(f"{host}:1", host, 4711, VERSION, may, clock()), "worker", 2, clock()
        )
    said = [
        text
        for _, text in found(app, clock, speech_languages=("ja", "th"))
        if "SVC_SPEECH_LANGUAGES" in text
    ]
    assert said == [
        (
            "Worker 4711 on fourth has no th in SVC_SPEECH_LANGUAGES: it runs no step of such "
            "productions."
        )
    ]


def test_the_first_page_says_what_a_worker_is_limited_to(operator, farm):
    page = text(operator.get("/console/"))
    assert (
        page.count("only video · without Kokoro-82M 1.0 (int8) · without he · without ja · ") == 1
    )
    assert page.count("only ") == page.count("without ja ") == 1


def test_the_doctor_has_nothing_to_say_of_one_machine(app, clock):
    assert found(app, clock) == []


def test_what_a_worker_may_run_is_kept(farm):
    assert ("video",) in {tuple(json.loads(row["can_run"])) for row in workers.list_processes()}


@pytest.fixture
def jobs(monkeypatch):
    """Jobs of the queue: some wait, one runs, and two are lost."""
    counts = [
        JobCount("steps.video", "todo", 3),
        JobCount("steps.script", "doing", 1),
        JobCount("steps.script", "stalled", 1),
        JobCount("ticks", "failed", 1),
    ]
    monkeypatch.setattr(db, "count_jobs", lambda: counts)
    return counts


def test_the_metrics_count_the_jobs_of_each_queue(app, jobs):
    counted = samples(app.test_client())
    assert counted["svc_jobs", "steps.video", "todo"] == 3
    assert counted["svc_jobs", "steps.script", "stalled"] == 1


def test_the_doctor_says_how_to_retry_a_job_that_was_lost(app, clock, jobs):
    said = (
        "2 jobs of the queue failed, or began in a process that is gone (steps.script: 1 "
        "stalled, ticks: 1 failed). What they were to do is looked for each second all the same."
    )
    assert ("warning", said) in found(app, clock)
    del jobs[2:]
    at_work = "steps.script: 1 running, steps.video: 3 waiting"
    said = f"Jobs of the queue: {at_work}. `queue abort ID` ends one."
    assert ("ok", said) in found(app, clock)
    del jobs[:]
    assert not any("obs of the queue" in text for _, text in found(app, clock))


def test_the_first_page_counts_the_jobs_of_each_queue_and_says_how_to_retry_one(
    operator, partner, farm, jobs
):
    page = text(operator.get("/console/"))
    counted = re.findall(r'<td data-label="([^"]+)"[^>]*>([^<]+)</td>', page)
    shown = [(name, value) for name, value in counted if value != "0"]
    assert shown[-6:] == [
        ("Queue of jobs", "steps.script"),
        ("Stalled", "1"),
        ("Queue of jobs", "steps.video"),
        ("Waiting", "3"),
        ("Queue of jobs", "ticks"),
        ("Failed", "1"),
    ]
    assert "queue retry ID" in page and "queue abort ID" in page
    jobs.clear()
    assert "queue retry ID" not in text(operator.get("/console/"))
