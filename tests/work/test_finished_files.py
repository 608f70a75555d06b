"""The files of a finished production go to the store before its last step counts,
whatever the store does meanwhile.
"""

import contextlib
import hashlib
import json
import os
import shutil
import time
from dataclasses import replace

import pytest
import requests
from support import plain_sql
from support.cast import body

from svc.adapters.files.bucket import Bucket
from svc.base import clock as wall_clock
from svc.cli.demo.client import Client
from svc.cli.demo.demo_server import Server
from svc.cli.installation import seed
from svc.domain.productions.detail import THUMBNAIL
from svc.media.model import QualityFinding, QualityFindings, save
from svc.store import database
from svc.store.database import db
from svc.work.backup import make as backup
from svc.work.engine import Engine
from svc.work.step_process.outcomes import Completed
from tests.store.buckets import serving
from tests.support.elsewhere import Elsewhere
from tests.support.left_files import leave_files


def until(what, seconds=60.0):
    """Wait for the engine's threads, which no clock of ours drives."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "the engine did not get there"
        time.sleep(0.01)
    return found


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def bucket(app, tmp_path, monkeypatch):
    monkeypatch.setattr("svc.work.step_process.runner.run_step", leave_files)
    monkeypatch.setattr("svc.work.outages.AGAIN_SECONDS", 0.02)
    store = Elsewhere(tmp_path / "bucket")
    app.extensions["svc"].storage.files = store
    return store


@pytest.fixture
def engine(app, bucket):
    service = app.extensions["svc"]
    engine = Engine(service.settings, service.storage, service.ring)
    engine.start()
    yield engine
    engine.stop()


def test_a_bucket_that_fails_for_a_while_delays_a_production_and_loses_nothing(
    engine, partner, bucket
):
    bucket.failures = 5
    production = body(partner.trigger())["productionId"]
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Published'"))
    rows = plain_sql.rows(
        "SELECT file, sha256 FROM deliverables WHERE production_id = ?", (production,)
    )
    assert len(rows) >= 9 and bucket.failures == 0
    assert all(
        hashlib.sha256(bucket.read(row["file"])).hexdigest() == row["sha256"] for row in rows
    )
    assert plain_sql.row("SELECT max(attempts) FROM production_steps")[0] == 0


def test_the_thumbnail_of_the_widest_video_is_kept_under_one_name_and_erased_with_the_rest(
    app, engine, partner, bucket, monkeypatch
):
    def leave_thumbnails(name, folder, *given):
        for shape in ("landscape", "portrait"):
            (folder / f"thumbnail-{shape}.webp").write_bytes(shape.encode())
        return leave_files(name, folder, *given)

    monkeypatch.setattr("svc.work.step_process.runner.run_step", leave_thumbnails)
    production = body(partner.trigger())["productionId"]
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Published'"))
    assert bucket.read(f"{production}/{THUMBNAIL}") == b"landscape"
    assert [name for name in bucket.list_names(production) if "thumbnail" in name] == [
        f"{production}/{THUMBNAIL}"
    ]
    listed = body(partner.get(f"/v1/productions/{production}/deliverables"))["data"]
    assert len(listed) == 9 and "webp" not in str(listed)
    app.extensions["svc"].storage.remove_production(production)
    assert list(bucket.list_names(production)) == []


def test_the_pictures_of_warnings_lie_beside_the_files_and_are_erased_with_them(
    app, engine, partner, bucket, monkeypatch
):
    slow = QualityFinding(
        "reading speed",
        "captions.srt",
        "22",
        "20",
        False,
        certain=False,
        scene=2,
        picture="warning-1.jpg",
    )

    def leave_warnings(name, folder, *given):
        leave_files(name, folder, *given)
        save(
            QualityFindings((slow, replace(slow, check="caption gap"), replace(slow, picture=""))),
            folder / "findings.json",
        )
        for number in (1, 2):  # the second is of an earlier run of the step: nothing names it
            (folder / f"warning-{number}.jpg").write_bytes(b"picture %d" % number)
        return Completed()

    monkeypatch.setattr("svc.work.step_process.runner.run_step", leave_warnings)
    production = body(partner.trigger())["productionId"]
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Published'"))
    assert [name for name in bucket.list_names(production) if "warning" in name] == [
        f"{production}/warning-1.jpg"
    ]
    assert bucket.read(f"{production}/warning-1.jpg") == b"picture 1"
    row = plain_sql.row("SELECT gate_warnings FROM productions WHERE id = ?", (production,))
    assert [(each["scene"], each["picture"]) for each in json.loads(row["gate_warnings"])] == [
        (2, "warning-1.jpg"),
        (2, "warning-1.jpg"),
        (2, None),
    ]
    assert "jpg" not in str(body(partner.get(f"/v1/productions/{production}/deliverables")))
    app.extensions["svc"].storage.remove_production(production)
    assert list(bucket.list_names(production)) == []


def test_malformed_findings_count_as_a_crash_of_the_step(engine, partner, bucket, monkeypatch):
    def leave_nonsense(name, folder, *given):
        leave_files(name, folder, *given)
        (folder / "findings.json").write_text('{"findings": [{"check": 1}]}')
        return Completed()

    monkeypatch.setattr("svc.work.step_process.runner.run_step", leave_nonsense)
    partner.trigger()
    failed = until(
        lambda: plain_sql.row(
            "SELECT error_code, error_message FROM productions WHERE status = 'Failed'"
        )
    )
    assert failed["error_code"] == "STEP_CRASHED" and "malformed files" in failed["error_message"]


@pytest.mark.slow
def test_a_cancel_while_the_bucket_fails_ends_the_waiting_and_leaves_no_file(
    engine, partner, bucket
):
    bucket.failures = 10_000
    production = body(partner.trigger())["productionId"]
    until(lambda: bucket.failures < 9_990)
    partner.delete(f"/v1/productions/{production}")
    bucket.failures = 0
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Cancelled'"))
    assert (
        list(bucket.list_names(production)) == []
        and plain_sql.rows("SELECT 1 FROM deliverables") == []
    )


@pytest.mark.slow
def test_a_production_whose_files_go_to_a_bucket_is_published_and_downloaded_from_there(
    app, partner, monkeypatch
):
    monkeypatch.setattr("svc.work.step_process.runner.run_step", leave_files)
    with serving("media") as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        service, bucket = app.extensions["svc"], Bucket("s3://media/service")
        service.storage.files = bucket
        engine = Engine(service.settings, service.storage, service.ring)
        engine.start()
        try:
            production = body(partner.trigger())["productionId"]
            until(
                lambda: plain_sql.row(
                    "SELECT 1 FROM productions WHERE status IN ('Published', 'Failed')"
                ),
                120,
            )
        finally:
            engine.stop()
        for each in body(partner.get(f"/v1/productions/{production}/deliverables"))["data"]:
            address = partner.client.get(each["sasUrl"]).headers["Location"]
            assert (
                hashlib.sha256(requests.get(address, timeout=60).content).hexdigest()
                == each["sha256"]
            )
        assert len(list(bucket.list_names(production))) == 10  # nine deliverables and the findings
        assert body(partner.get(f"/v1/productions/{production}"))["status"] == "Published"


@pytest.mark.slow
def test_a_production_through_real_steps_with_its_files_in_a_bucket(tmp_path, monkeypatch):
    """Its first steps run in one data directory, and the others in one that has nothing but the
    database and the secret.
    """
    first, second = tmp_path / "first", tmp_path / "second"
    with serving("media") as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with Server(first, 0, SVC_STORAGE_URL="s3://media/service") as server, opened(first):
            client, production = trigger_small(server)
            steps_of(client, production, 3)
        second.mkdir(mode=0o700)
        for path in (first / "secret", *first.glob("service.db*")):
            shutil.copy(path, second)
        shutil.rmtree(first / "work")
        with Server(second, 0, SVC_STORAGE_URL="s3://media/service") as server, opened(second):
            client.base_url = server.address
            check_its_files(server, client, production, Bucket("s3://media/service"))
            backup.make_backup(second, tmp_path / "backup.tar")
        for folder in (first, second):
            log = (folder / "server.log").read_text()
            assert not (folder / "media").exists()
            assert "Traceback" not in log and os.environ["AWS_ENDPOINT_URL"] not in log


@contextlib.contextmanager
def opened(data_dir):
    database.open_database(data_dir / "service.db")
    try:
        yield
    finally:
        db.close()


def trigger_small(server: Server) -> tuple[Client, str]:
    seeded = seed.make_partner("Enterprise", wall_clock.now())
    client = Client(server.address, seeded["testKey"])
    brief = {name: seeded[name] for name in ("languageId", "countryId", "avatarId")}
    notes = "## One\n\nThe only scene says this much."
    address = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
    return client, client.post(address, {"topic": "A small one", "metadataMD": notes, **brief})[
        "productionId"
    ]


def steps_of(client: Client, production: str, number: int) -> dict:
    """Wait until so many steps are complete.

    Each has its own patience: on a busy machine, all of them take minutes.
    """
    complete = -1
    while True:
        found = client.get(f"/v1/productions/{production}")
        if found["stepsComplete"] >= number or found["status"] in ("Published", "Failed"):
            return found
        if found["stepsComplete"] > complete:
            complete, deadline = found["stepsComplete"], time.monotonic() + 300
        assert time.monotonic() < deadline, found
        time.sleep(0.5)


def check_its_files(server: Server, client: Client, production: str, bucket: Bucket) -> None:
    steps_of(client, production, 7)
    until(
        lambda: client.get(f"/v1/productions/{production}")["status"] in ("Published", "Failed"), 60
    )
    found = client.get(f"/v1/productions/{production}")
    assert found["status"] == "Published", found
    files = client.get(f"/v1/productions/{production}/deliverables")["data"]
    assert (
        len(files) == 9 and requests.get(f"{server.address}/readyz", timeout=60).status_code == 200
    )
    for each in files:
        answer = requests.get(each["sasUrl"], timeout=60)
        assert [step.status_code for step in answer.history] == [302]
        assert hashlib.sha256(answer.content).hexdigest() == each["sha256"]
        assert (
            len(requests.get(each["sasUrl"], headers={"Range": "bytes=0-9"}, timeout=60).content)
            == 10
        )
    kept = set(bucket.list_names(production))
    # the posters of both shapes, a thumbnail
    assert f"{production}/findings.json" in kept and len(kept) == 9 + 4
    until(lambda: not list(bucket.list_names("work")))
    assert list(bucket.list_names("scenes")), "the first machine's, for the next production"
    assert tuple(plain_sql.row("SELECT max(attempts), count(*) FROM production_steps")) == (0, 7)
