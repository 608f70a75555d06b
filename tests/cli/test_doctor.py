"""The doctor finds each thing that goes wrong, says it, and names what mends it;
``serve`` refuses what would lose data.
"""

import json
import os
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click
import peewee
import pytest
from support import plain_sql
from support.sampling import sampled

from svc.base import disk, start_failures
from svc.base.clock import DAY
from svc.base.processes import landlock, seccomp
from svc.cli import command_support
from svc.cli.installation import doctor as doctor_command
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import base_url_check, maintenance
from svc.store import database, meta
from svc.store.backup import database_file
from svc.store.database import db
from svc.store.engine import schema
from svc.work.backup import incremental
from svc.work.backup import make as backup
from svc.work.doctor import directory as directory_check
from svc.work.doctor import run as doctor
from svc.work.doctor.findings import Finding
from svc.work.doctor.run import OK, PROBLEM, WARNING

ROOT = Path(__file__).parents[2]


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


@pytest.fixture(autouse=True)
def no_media(monkeypatch):
    """The media check takes seconds and is tested by itself."""
    monkeypatch.setattr(doctor, "_check_media", lambda: [])


def visit(app, given, clock, **more) -> dict:
    """Findings by name; the application's database is closed for it,
    as the doctor is a process of its own.
    """
    app.extensions["svc"].recorder.stop()
    db.close()
    return {each.name: each for each in doctor.examine(given, clock(), **more)}


def edit(given, sql: str, *parameters) -> None:
    with closing(database_file.connect(given.database)) as connection:
        connection.execute(sql, parameters)


def test_the_doctor_says_why_a_process_cannot_start(app, given, clock):
    start_failures.record(given.data_dir, "The secret is missing.", clock())
    found = visit(app, given, clock)["processes"]
    assert found.verdict == PROBLEM and found.text.endswith("Z: The secret is missing.")
    assert "journalctl" in found.mend


def test_a_sound_installation_has_no_problem_but_that_nobody_serves(app, given, clock):
    found = visit(
        app,
        replace(given, base_url="https://media.example.com", disk_floor_megabytes=0),
        clock,
        deep=True,
    )
    assert {each.name for each in found.values() if each.verdict == PROBLEM} == {"engine"}
    assert {
        "disk",
        "space",
        "fsync",
        "sqlite",
        "modes",
        "database",
        "clock",
        "base URL",
        "backup",
    } <= set(found)
    assert all(each.mend for each in found.values() if each.verdict != OK)


def test_what_a_system_lacks_to_confine_steps_is_said(app, given, clock, monkeypatch):
    monkeypatch.setattr(landlock, "read_landlock_version", lambda: 0)
    found = visit(app, given, clock)["confinement"]
    assert found.verdict == WARNING and "lacks: reads only what it needs (Landlock)" in found.text
    monkeypatch.setattr(landlock, "read_landlock_version", lambda: 6)
    monkeypatch.setattr(seccomp, "is_known", lambda: True)
    assert visit(app, given, clock)["confinement"].verdict == OK


def test_a_network_disk_is_a_problem(app, given, clock, monkeypatch):
    monkeypatch.setattr(disk, "find_disk", lambda _: disk.Disk("nfs4", "/srv"))
    assert visit(app, given, clock)["disk"].verdict == PROBLEM


@pytest.mark.parametrize(
    ("kind", "text"), [("tmpfs", "machine restarts"), ("overlay", "mount a volume")]
)
def test_a_disk_that_forgets_is_a_warning(app, given, clock, monkeypatch, kind, text):
    monkeypatch.setattr(disk, "find_disk", lambda _: disk.Disk(kind, "/"))
    found = visit(app, given, clock)["disk"]
    assert found.verdict == WARNING and text in found.text


def test_a_full_disk_is_a_problem(app, given, clock, monkeypatch):
    monkeypatch.setattr(disk, "count_free_megabytes", lambda _: 12)
    found = visit(app, given, clock)["space"]
    assert found.verdict == PROBLEM and "12 MB are free" in found.text


def test_a_disk_without_room_for_files_is_a_problem(app, given, clock, monkeypatch):
    monkeypatch.setattr(disk, "count_free_files", lambda _: 12)
    found = visit(app, given, clock)["space"]
    assert (
        found.verdict == PROBLEM
        and "room for 12 more files" in found.text
        and "--inodes" in found.mend
    )
    monkeypatch.setattr(disk, "count_free_files", lambda _: None)  # Btrfs has no such limit
    assert visit(app, given, clock)["space"].verdict == OK


@pytest.mark.parametrize(("took", "verdict"), [(0.001, WARNING), (0.5, OK), (120.0, WARNING)])
def test_a_disk_that_confirms_too_early_or_too_late_is_a_warning(took, verdict):
    assert directory_check._fsync(took).verdict == verdict


def test_an_sqlite_that_corrupts_is_a_problem(app, given, clock, monkeypatch):
    monkeypatch.setattr(doctor.inspection, "LIBRARY_VERSION", "3.40.1")
    assert visit(app, given, clock)["sqlite"].verdict == PROBLEM


def test_a_secret_that_others_may_read_is_a_problem(app, given, clock):
    (given.data_dir / "secret").chmod(0o644)
    found = visit(app, given, clock)["modes"]
    assert found.verdict == PROBLEM
    subprocess.run(found.mend, shell=True, check=True)
    assert visit(app, given, clock)["modes"].verdict == OK


def test_a_damaged_database_is_a_problem(app, given, clock):
    app.extensions["svc"].recorder.stop()
    db.close()
    with given.database.open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(20_000))
    found = visit(app, given, clock)["database"]
    assert found.verdict == PROBLEM and "restore" in found.mend


@pytest.mark.parametrize(
    ("number", "verdict"),
    [(str(schema.OLDEST), WARNING), (str(schema.OLDEST - 1), PROBLEM), ("9999", PROBLEM)],
)
def test_another_schema_is_told_and_left_as_it_is(app, given, clock, number, verdict):
    edit(given, "UPDATE meta SET value = ? WHERE name = 'schema_version'", number)
    assert visit(app, given, clock)["schema"].verdict == verdict
    with closing(database_file.connect(given.database)) as connection:
        assert connection.execute(
            "SELECT value FROM meta WHERE name = 'schema_version'"
        ).fetchone() == (number,)


def test_a_clock_behind_the_database_is_a_problem(app, given, clock):
    edit(given, "INSERT INTO meta VALUES ('heartbeat', ?)", str(clock() + 3_600_000))
    found = visit(app, given, clock)["clock"]
    assert found.verdict == PROBLEM and "3600 s behind" in found.text


def test_an_engine_that_beats_is_fine_and_one_that_hangs_is_not(app, given, clock):
    edit(given, "INSERT INTO meta VALUES ('heartbeat', ?)", str(clock() - 2000))
    holder = (
        "import fcntl,sys; f=open(sys.argv[1],'w'); fcntl.flock(f, fcntl.LOCK_EX); "
        "print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder, str(given.data_dir / "driver.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as driver:
        driver.stdout.readline()
        assert visit(app, given, clock)["engine"].verdict == OK
        clock.tick(60)
        assert "heartbeat has stopped" in visit(app, given, clock)["engine"].text
        driver.stdin.close()
    assert "No engine is running" in visit(app, given, clock)["engine"].text


@pytest.mark.sqlite("reads the file of the data directory")
def test_what_an_operator_has_stopped_is_a_warning_with_the_command_that_goes_on(app, given, clock):
    assert not {"maintenance", "queue"} & visit(app, given, clock).keys()
    database.open_database(given.database)
    maintenance.set_maintenance(True)
    render_queue.pause(command_support.get_terminal_user(), None, clock())
    found = visit(app, given, clock)
    assert (found["maintenance"].verdict, found["queue"].verdict) == (WARNING, WARNING)
    assert found["maintenance"].mend == "python app.py maintenance off"
    assert found["queue"].mend == "python app.py queue resume"


def test_partners_who_come_by_another_address_are_noticed(app, given, clock, partner):
    partner.get("/v1/webhooks", base_url="http://localhost")
    assert base_url_check.find_mismatch(meta.read_text("address_seen"), given.base_url, 0) is None
    partner.get("/v1/webhooks", base_url="https://real.example.com")
    partner.get("/v1/webhooks", key="svc_live_stranger", base_url="https://scanner.example.com")
    found = visit(app, given, clock)["address"]
    assert found.verdict == PROBLEM and "https://real.example.com" in found.text
    # it would be followed to the letter
    assert "SVC_BASE_URL=https://HOST" in found.mend and "example.com" not in found.mend
    assert "address" not in visit(app, replace(given, base_url="https://real.example.com"), clock)
    clock.tick(8 * DAY / 1000)
    assert "address" not in visit(app, given, clock)


@pytest.mark.sqlite("reads the file of the data directory")
def test_a_proxy_that_is_not_counted_is_noticed(app, given, clock, partner):
    partner.get("/v1/webhooks", headers={"X-Forwarded-For": "203.0.113.9"})
    found = visit(app, given, clock)["proxy"]
    assert found.verdict == PROBLEM and "made it up" in found.text
    assert found.mend.startswith("SVC_TRUSTED_PROXIES=1  # only if a proxy of yours")


@pytest.mark.sqlite("reads the file of the data directory")
def test_a_request_that_came_through_fewer_proxies_than_are_counted_is_noticed(
    app, given, clock, partner
):
    two = replace(given, base_url="https://media.example.com", trusted_proxies=2)
    watcher = base_url_check.Watcher(two.base_url, two.trusted_proxies)
    app.extensions["svc"] = replace(app.extensions["svc"], watcher=watcher)

    def come(forwarded: str | None, base_url: str = two.base_url) -> dict | None:
        clock.tick(61)
        headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
        partner.get("/v1/webhooks", base_url=base_url, headers=headers)
        return json.loads(meta.read_text("address_seen") or "null")

    assert come("203.0.113.9, 192.0.2.7") is None
    assert come("198.51.100.1, 203.0.113.9,192.0.2.7") is None  # a client may add to it
    assert come(None, "http://127.0.0.1:8080") is None  # from this machine itself
    assert come(None)["hops"] == 0
    assert come("203.0.113.9")["hops"] == 1
    found = visit(app, two, clock)["proxy"]
    assert found.verdict == WARNING and "through 1 of the 2 proxies" in found.text
    assert found.mend.startswith("SVC_TRUSTED_PROXIES=1 ")
    assert "proxy" not in visit(app, replace(two, trusted_proxies=1), clock)


@pytest.mark.parametrize(
    "scheme", sampled(["https", "javascript", "\x1b]0;", "https://a.example/"], 2)
)
@pytest.mark.parametrize(
    "host",
    ["evil.example; reboot", "\x1b[2J", "a.example/SVC_X=1", "a b", "", "é.example", "$(reboot)"],
)
def test_what_a_client_sent_is_shown_only_if_it_may_be_an_address_and_is_never_offered(
    app, given, clock, scheme, host
):
    seen = {"scheme": scheme, "host": host, "forwarded": False, "at": clock()}
    edit(given, "INSERT INTO meta VALUES ('address_seen', ?)", json.dumps(seen))
    found = visit(app, given, clock)["address"]
    assert "named what is no host as its address" in found.text
    assert found.mend.startswith("SVC_BASE_URL=https://HOST  #")


def test_no_finding_controls_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr(click, "style", lambda text, **_: text)
    doctor_command._show(
        Finding("rule", PROBLEM, "a pattern \x1b]0;owned\x07", "rm 'a\x1b[2Jb'\nrm -r /")
    )
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\x07" not in shown and shown.count("\n") == 2


def test_requests_from_the_machine_itself_are_nobodys_address(app, given, clock, partner):
    for address in ("http://127.0.0.1:8080", "http://[::1]:8080"):
        partner.get("/v1/webhooks", base_url=address)
    assert "address" not in visit(app, given, clock)


def test_a_backup_in_the_repository_is_the_newest_by_its_time(app, given, clock):
    given = replace(given, backup_every_hours=6)
    incremental.add_backup(given.data_dir, incremental.open_repository(given.backups))
    [manifest] = given.backups.glob("manifests/*.json")
    os.utime(manifest, (clock() / 1000, clock() / 1000))
    assert visit(app, given, clock)["backup"].verdict == OK
    manifest.with_name("20261101T000000Z-00000000.json").write_text("damaged")
    os.utime(manifest, (clock() / 1000 - 86400, clock() / 1000 - 86400))
    assert visit(app, given, clock)["backup"].verdict == PROBLEM


def test_a_backup_that_is_dated_ahead_of_the_clock_is_a_problem(app, given, clock):
    given = replace(given, backup_every_hours=6)
    edit(given, "INSERT INTO meta VALUES ('backup', ?)", str(clock() + 40 * 86_400_000))
    found = visit(app, given, clock)["backup"]
    assert found.verdict == PROBLEM and "ahead of the clock" in found.text
    edit(given, "UPDATE meta SET value = ? WHERE name = 'backup'", str(clock()))
    assert visit(app, given, clock)["backup"].verdict == OK


def test_backups_that_have_stopped_are_a_problem(app, given, clock):
    given = replace(given, backup_every_hours=6)
    assert "None has been made" in visit(app, given, clock)["backup"].text
    edit(given, "INSERT INTO meta VALUES ('backup', ?)", str(clock()))
    assert visit(app, given, clock)["backup"].verdict == OK
    clock.tick(13 * 3600)
    assert visit(app, given, clock)["backup"].verdict == PROBLEM


@pytest.mark.sqlite("reads the file of the data directory")
def test_an_endpoint_that_cannot_be_reached_is_a_warning_without_its_path(
    app, given, clock, partner
):
    url = "https://93.184.215.14/hooks?token=very-secret"
    partner.post("/v1/webhooks", json={"endpointUrl": url, "eventTypes": ["production.queued"]})
    edit(
        given,
        (
            "UPDATE subscriptions SET endpoint_url = replace(endpoint_url, '93.184.215.14', "
            "'127.0.0.1:1')"
        ),
    )
    found = visit(app, given, clock, endpoints=True)["endpoint"]
    assert (
        found.verdict == WARNING and "127.0.0.1:1" in found.text and "very-secret" not in found.text
    )


def run(*words: str, data_dir: Path) -> subprocess.CompletedProcess:
    environment = {"SVC_DATA_DIR": str(data_dir), "PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "app.py", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
def test_the_command_tells_people_and_machines_and_exits_by_what_it_found(app, given, tmp_path):
    app.extensions["svc"].recorder.stop()
    db.close()
    backup.make_backup(given.data_dir, tmp_path / "backup.tar")
    told = run(
        "doctor", "--json", "--backup", str(tmp_path / "backup.tar"), data_dir=given.data_dir
    )
    found = json.loads(told.stdout)
    verdicts = {each["name"]: each["verdict"] for each in found["findings"]}
    assert (told.returncode, found["problems"]) == (1, 1)  # nobody serves
    assert (
        verdicts["backup file"]
        == verdicts["encoder"]
        == verdicts["voices"]
        == verdicts["fonts"]
        == OK
    )
    os.truncate(tmp_path / "backup.tar", 1000)
    shown = run("doctor", "--backup", str(tmp_path / "backup.tar"), data_dir=given.data_dir)
    assert "✗ backup file" in shown.stdout and shown.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", [["serve", "--port", "1"], ["doctor"]])
def test_a_data_directory_that_cannot_be_is_said_without_a_traceback(tmp_path, command):
    (tmp_path / "file").touch()
    told = run(*command, data_dir=tmp_path / "file")
    assert told.returncode in (1, 2) and "Traceback" not in told.stderr
    assert "cannot be written" in told.stderr + told.stdout


@pytest.mark.slow
def test_gunicorn_ends_with_the_sentence_instead_of_starting_workers_for_ever(tmp_path):
    (tmp_path / "file").touch()
    environment = {"SVC_DATA_DIR": str(tmp_path / "file"), "PATH": os.environ["PATH"]}
    told = subprocess.run(
        [
            sys.executable,
            "-m",
            "gunicorn",
            "--worker-class",
            "svc.serving.worker.Worker",
            "--bind",
            "127.0.0.1:0",
            "wsgi:app",
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (
        told.returncode == 3
        and "cannot be written" in told.stderr
        and "Traceback" not in told.stderr
    )


def test_peewee_brings_the_sqlite_that_is_judged():
    assert peewee.sqlite3.__name__.startswith("pysqlite3")


@pytest.mark.sqlite("reads the file of the data directory")
def test_a_pattern_that_is_given_up_is_found_with_its_rule(app, given, clock):
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, '(?=a)b', 1, 0)"
        )
    found = visit(app, given, clock)["rule"]
    assert (
        found.verdict == WARNING
        and "(?=a)b" in found.text
        and "look-ahead" in found.text
        and "rule remove r" in found.mend
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "0.0.0.0", "[::]"])
def test_links_that_only_this_machine_can_follow_are_a_warning(app, given, clock, host):
    found = visit(app, replace(given, base_url=f"http://{host}:8080"), clock)["base URL"]
    assert found.verdict == WARNING and "only this machine can reach" in found.text
