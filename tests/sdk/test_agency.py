"""A small agency through each SDK: a table of briefs, a program that is killed half-way,
an operator, and the bill.
"""

import csv
import json
import os
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import pytest
from partner_production import Client

from svc.base import clock, settings
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db
from tests.sdk.conftest import Running
from tests.sdk.test_typescript_live import project as project
from tests.sdk.test_typescript_sdk import tarball as tarball
from tests.support.documents import ROOT
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
PLACES = 2  # concurrent productions
PRICES = {"explainer": Decimal("0.50"), "short": Decimal("0.25")}  # of seed
NOTES = "The sea rises towards the moon."
# reference, language, type; the operator releases all but one, and the agency withdraws another
ROWS = (
    ("tides-published", "en", "explainer"),
    ("tides-rejected", "en", "explainer"),
    ("gezeiten-published", "de", "short"),
    ("tides-withdrawn", "en", "explainer"),
)
ENDS = {"published": "Published", "rejected": "Failed", "withdrawn": "Cancelled"}


@pytest.fixture
def agency(running) -> Running:
    """A partner of its own on the server, whose live account has few places."""
    database.open_database(settings.read({}, data_dir=running.server.log.parent).database)
    partner = Running(running.server, seed.make_partner("Enterprise", clock.now()))
    db.close()
    operate(
        running,
        "account",
        "set",
        partner.seeded["liveAccountId"],
        "--concurrency-ceiling",
        str(PLACES),
    )
    return partner


def operate(running: Running, *words: str) -> None:
    """What the operator does on the server's machine."""
    environment = os.environ | {
        "SVC_DATA_DIR": str(running.server.log.parent),
        "SVC_BASE_URL": running.address,
    }
    subprocess.run(
        [sys.executable, str(ROOT / "app.py"), *words],
        env=environment,
        check=True,
        timeout=60,
        capture_output=True,
    )


def judge(agency: Running, ended: threading.Event) -> None:
    """The operator: reject one production, leave the agency's own to it, release the others,
    as they come.
    """
    judged = set()
    with Client(agency.address, agency.seeded["liveKey"]) as client:
        while not ended.wait(1):
            waiting = client.productions.list(
                agency.seeded["liveAccountId"], status=["AwaitingApproval"]
            )
            for each in [each for each in waiting if each["productionId"] not in judged]:
                judged.add(each["productionId"])
                if each["externalId"].endswith("rejected"):
                    operate(
                        agency,
                        "production",
                        "reject",
                        each["productionId"],
                        "--reason",
                        "Not on brand",
                    )
                elif each["externalId"].endswith("published"):
                    operate(agency, "production", "release", each["productionId"])


def killed_half_way(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run the agency's program until it has triggered half of its rows."""
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        for _ in range(len(ROWS) // 2):
            assert process.stdout.readline().startswith("triggered ")
        process.kill()


def play(command: list[str], folder: Path, agency: Running) -> None:
    with (folder / "briefs.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["reference", "language", "type", "topic", "notes"])
        table.writerows([*row, "How tides work", NOTES] for row in ROWS)
    account = agency.seeded["liveAccountId"]
    environment = os.environ | {
        "BASE": agency.address,
        "KEY": agency.seeded["liveKey"],
        "ACCOUNT": account,
    }
    environment["PATIENCE"] = str(PATIENCE)
    environment["PYTHONPATH"] = str(ROOT / "sdk" / "python" / "src")
    killed_half_way(command, folder, environment)
    ended = threading.Event()
    operator = threading.Thread(target=judge, args=(agency, ended))
    operator.start()
    try:
        run = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        ended.set()
        operator.join()
    assert run.returncode == 0, run.stdout + run.stderr
    result = json.loads(run.stdout.splitlines()[-1])
    assert {name: status for name, (status, _) in result["outcomes"].items()} == {
        name: ENDS[name.rpartition("-")[2]] for name, _, _ in ROWS
    }
    for name, (status, files) in result["outcomes"].items():
        assert bool(files) == (status == "Published")
        assert all((folder / each).stat().st_size for each in files) and (
            (folder / name).exists() == bool(files)
        )
    assert Decimal(str(result["spend"])) == sum(PRICES[kind] for _, _, kind in ROWS)
    with Client(agency.address, agency.seeded["liveKey"]) as client:
        assert sorted(each["externalId"] for each in client.productions.list(account)) == sorted(
            name for name, _, _ in ROWS
        )


def test_a_small_agency_works_with_the_python_sdk(agency, tmp_path):
    play([sys.executable, str(HERE / "agency_program.py"), "briefs.csv"], tmp_path, agency)


def test_a_small_agency_works_with_the_typescript_sdk(agency, project):
    program = (HERE / "agency_program.mjs").read_text("utf-8")  # beside node_modules
    (project / "agency_program.mjs").write_text(program)
    play(["node", "agency_program.mjs", "briefs.csv"], project, agency)
