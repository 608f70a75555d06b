"""What the documents promise of commands, through the real thing: processes,
a browser's requests, files.
"""

import hashlib
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner
from support import plain_sql
from support.cast import body
from support.stage import complete_steps, make, publish_all

from svc.base import clock as wall_clock
from svc.base.settings import read
from svc.cli import commands
from svc.cli.demo.client import Client
from svc.cli.demo.demo_server import Server, find_free_port
from svc.cli.installation import bundle
from svc.domain.audit import audit
from svc.domain.paging import Page
from svc.media.checks import probe
from svc.store import database
from svc.work.doctor import run as doctor
from svc.work.engine import Engine
from tests.media import small_clips
from tests.support.processes import processes_with

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
PATIENCE = 240.0
# the engine's own: at another one, its briefs expire
REALLY = pytest.mark.parametrize("clock", [wall_clock.now], ids=["now"])
BRIEF = "# Tea\n\nTea rests on three things.\n\n- The leaf\n- The water\n"


def environment(**settings: str) -> dict[str, str]:
    """This process's own, with these settings alone."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith("SVC_")
    } | settings


def until(found, seconds: float = PATIENCE):
    """Look again and again at what other processes and threads do."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return value


@pytest.mark.slow
def test_the_demo_serves_until_ctrl_c_and_its_file_of_names_makes_calls_work(tmp_path):
    command = [sys.executable, "-u", str(APP), "demo", "--data-dir", str(tmp_path / "demo-data")]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment(),
    )
    try:
        assert any("press Ctrl-C to stop it" in line for line in running.stdout)
        names = ("LIVE_KEY", "ACCOUNT", "LANGUAGE_ID", "COUNTRY_ID", "AVATAR_ID", "PRODUCTION")
        script = f"""set -eu; . demo-data/demo.env
            for key in "$KEY" "$LIVE_KEY"; do
                curl --fail --silent -H "X-API-Key: $key" $BASE/v1/partner/accounts
            done
            for each in {" ".join(f'"${name}"' for name in names)}; do [ -n "$each" ]; done"""
        told = subprocess.run(
            ["sh", "-c", script],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert told.returncode == 0, told.stderr
        assert (
            told.stdout.count('"environment":"sandbox"') >= 1
            and told.stdout.count('"environment":"live"') >= 1
        )
        running.send_signal(signal.SIGINT)
        running.stdout.read()
        assert running.wait(60) == 0
    finally:
        running.kill()
        running.stdout.close()
    assert processes_with(str(tmp_path)) == []


@pytest.mark.slow
def test_render_makes_the_files_of_a_brief_without_server_or_database(
    tmp_path,
):
    (tmp_path / "tea.md").write_text(BRIEF)
    frames = {}
    dressed = (
        "--look",
        "short",
        "--theme",
        "light",
        "--accent",
        "#c02020",
        "--full-text",
        "--music",
        "focused",
        "--shape",
        "landscape",
        "--shape",
        "portrait",
        "--shape",
        "feed",
    )
    dressed += (
        "--intro",
        str(
            small_clips.write(
                tmp_path / "intro.webm", 1.0, kind="webm", codecs=("libvpx-vp9", "libopus")
            )
        ),
    )
    for name, dress in {"plain": (), "dressed": dressed}.items():
        command = [
            sys.executable,
            str(APP),
            "render",
            str(tmp_path / "tea.md"),
            "-o",
            str(tmp_path / name),
            *dress,
        ]
        settings = environment(SVC_DATA_DIR=str(tmp_path / "data"))
        told = subprocess.run(
            command, capture_output=True, text=True, env=settings, timeout=PATIENCE, check=False
        )
        assert told.returncode == 0, told.stdout + told.stderr
        made = {each.name for each in (tmp_path / name).iterdir()}
        assert {
            "landscape.mp4",
            "portrait.mp4",
            "described.mp4",
            "captions.srt",
            "captions.vtt",
            "transcript.docx",
            "transcript.txt",
            "certificate.pdf",
        } <= made
        frames[name] = hashlib.sha256(
            (tmp_path / name / "poster-landscape.jpg").read_bytes()
        ).hexdigest()
        assert probe.probe_film(tmp_path / name / "portrait.mp4")
        assert ((tmp_path / name / "feed.mp4").exists(), "square.mp4" in made) == (
            name == "dressed",
            False,
        )
        music = b"focused and sound effects, generated by this service"
        assert (music in (tmp_path / name / "portrait.mp4").read_bytes()) is (name == "dressed")
        assert (
            b"a clip that the account provided" in (tmp_path / name / "landscape.mp4").read_bytes()
        ) is (name == "dressed")
    assert frames["plain"] != frames["dressed"]
    assert not (tmp_path / "data" / "service.db").exists()


@pytest.mark.slow
def test_a_first_start_prints_a_link_that_makes_the_first_operator_and_later_ones_print_none(
    tmp_path,
):
    def served(act):
        port = find_free_port(0)
        settings = environment(SVC_DATA_DIR=str(tmp_path / "data"), PYTHONUNBUFFERED="1")
        command = [sys.executable, str(APP), "serve", "--port", str(port)]
        with (tmp_path / "log").open("w") as log:
            running = subprocess.Popen(command, stdout=log, stderr=log, env=settings)
            try:
                until(lambda: _answers(port))
                act(port, (tmp_path / "log").read_text())
            finally:
                running.terminate()
                running.wait(60)

    def first(port, told):
        [link] = re.findall(r"first operator\s+(\S+)", told)
        browser, password = requests.Session(), secrets.token_urlsafe(24)
        [token] = re.findall(
            r'name="csrf_token" value="([^"]+)"', browser.get(link, timeout=60).text
        )
        form = {
            "csrf_token": token,
            "name": "Ada",
            "email": "ada@example.com",
            "password": password,
            "again": password,
        }
        assert browser.post(link, form, timeout=60, allow_redirects=False).status_code == 303
        assert "Audit log" in browser.get(f"http://127.0.0.1:{port}/console/", timeout=60).text
        assert requests.get(link, timeout=60).status_code != 200

    served(first)
    served(lambda port, told: pytest.fail(told) if "first operator" in told else None)


def _answers(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/healthz", timeout=60).ok
    except requests.ConnectionError:
        return False


@pytest.mark.slow
def test_a_process_whose_engine_is_off_answers_and_another_one_drives(tmp_path):
    data = tmp_path / "data"
    with Server(data, 0, SVC_ENGINE="off") as server:
        told = subprocess.run(
            [sys.executable, str(APP), "seed", "--json"],
            capture_output=True,
            text=True,
            check=True,
            env=environment(SVC_DATA_DIR=str(data)),
        )
        seeded = requests.models.complexjson.loads(told.stdout)
        client = Client(server.address, seeded["testKey"])
        brief = {name: seeded[name] for name in ("languageId", "countryId", "avatarId")} | {
            "topic": "Tea"
        }
        production = client.post(f"/v1/accounts/{seeded['sandboxAccountId']}/productions", brief)[
            "productionId"
        ]
        assert requests.get(f"{server.address}/readyz", timeout=60).status_code == 503
        assert not doctor.is_driven(data)
        assert client.get(f"/v1/productions/{production}")["status"] == "Queued"
        with Server(data, 0):
            until(lambda: client.get(f"/v1/productions/{production}")["stepsComplete"] > 0)
            assert until(
                lambda: requests.get(f"{server.address}/readyz", timeout=60).status_code == 200
            )


@pytest.mark.slow
@REALLY
@pytest.mark.parametrize("workers", [1, 2])
def test_so_many_productions_are_made_side_by_side_as_there_are_render_workers(
    app, partner, stranger, workers
):
    service, most = app.extensions["svc"], []
    given = service.settings.__class__(**{**vars(service.settings), "render_workers": workers})
    engine = Engine(given, service.storage, service.ring)
    for each in (partner, stranger):
        assert each.trigger(metadataMD=BRIEF).status_code == 202
    engine.start()
    try:

        def both_further() -> bool:
            rows = plain_sql.rows(
                "SELECT claim_token IS NOT NULL AS taken, steps_complete AS done, status "
                "FROM productions"
            )
            most.append(sum(row["taken"] for row in rows))
            return all(row["done"] >= 1 for row in rows)

        until(both_further)
    finally:
        engine.stop()
    assert max(most) == workers


@pytest.mark.slow
@REALLY
@pytest.mark.parametrize(("ceiling", "most_at_once"), [(0, 2), (1, 1)])
def test_one_partner_has_as_many_render_workers_as_its_ceiling_says(
    app, partner, ceiling, most_at_once
):
    service, most = app.extensions["svc"], []
    asked = read({"SVC_RENDER_WORKERS": "2", "SVC_PARTNER_RENDER_WORKERS": str(ceiling)})
    changes = {name: getattr(asked, name) for name in ("render_workers", "partner_render_workers")}
    engine = Engine(
        service.settings.__class__(**{**vars(service.settings), **changes}),
        service.storage,
        service.ring,
    )
    for _ in range(2):
        assert partner.trigger(metadataMD=BRIEF).status_code == 202
    engine.start()
    try:

        def both_further() -> bool:
            rows = plain_sql.rows(
                "SELECT claim_token IS NOT NULL AS taken, steps_complete AS done FROM productions"
            )
            most.append(sum(row["taken"] for row in rows))
            return sum(row["done"] for row in rows) >= 3

        until(both_further)
    finally:
        engine.stop()
    assert max(most) == most_at_once


@pytest.mark.slow
def test_the_contact_sheet_is_drawn_by_its_command(tmp_path):
    command = [sys.executable, "-m", "tests.media.contact_sheet", str(tmp_path / "sheet.png")]
    subprocess.run(command, cwd=ROOT, check=True, timeout=3 * PATIENCE)
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")


def test_an_operator_releases_a_live_production_by_a_command(app, partner, clock, monkeypatch):
    production = body(partner.live().trigger())["productionId"]
    complete_steps(clock, made=[make()])
    monkeypatch.setenv("SVC_DATA_DIR", str(app.extensions["svc"].settings.data_dir))
    monkeypatch.setattr(database, "open_database", lambda *_: None)  # this very process has it open
    monkeypatch.setattr(wall_clock, "now", clock)
    done = CliRunner().invoke(commands.main, ["production", "release", production])
    assert done.exit_code == 0 and production in done.output
    publish_all(clock)
    assert body(partner.live().get(f"/v1/productions/{production}"))["status"] == "Published"
    assert audit.list_page(Page(1))["data"][0]["action"] == "production.release"


def test_the_checksum_of_a_bundle_is_one_that_sha256sum_reads(tmp_path):
    (tmp_path / "svc.pyz").write_bytes(b"the whole program")
    digest = bundle.write_checksum(tmp_path / "svc.pyz")
    assert digest == hashlib.sha256(b"the whole program").hexdigest()
    told = subprocess.run(
        ["sha256sum", "--check", "svc.pyz.sha256"], cwd=tmp_path, capture_output=True, check=False
    )
    assert told.returncode == 0
    (tmp_path / "svc.pyz").write_bytes(b"another program")
    told = subprocess.run(
        ["sha256sum", "--check", "svc.pyz.sha256"], cwd=tmp_path, capture_output=True, check=False
    )
    assert told.returncode == 1
