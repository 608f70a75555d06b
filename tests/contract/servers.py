"""Servers for machines that test: gunicorn on a database in which every state can be met."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests
from support import plain_sql
from support.cast import Clock
from support.stage import complete_steps, make, publish_all

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.cli.demo.demo_server import find_free_port
from svc.cli.installation import seed
from svc.domain import master_keys
from svc.domain.access import keys
from svc.domain.lifecycle import briefs
from svc.domain.partners import accounts
from svc.domain.productions import productions
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import subscriptions
from svc.store import database
from svc.store.database import db

ROOT = Path(__file__).parents[2]
START_SECONDS = 60  # until a server that hangs is given up


@dataclass(frozen=True)
class Spacious:
    """``keys``: of two partners.

    ``known``: identifiers of the first one by the names that the document has for them.
    """

    address: str
    keys: dict[str, str]
    known: dict[str, list[str]]


@contextmanager
def spacious_server(folder: Path) -> Iterator[Spacious]:
    """The application of ``spacious`` as a process of its own,
    on what :func:`furnish` puts into its database.
    """
    found_keys, known = furnish(folder / "data")
    address = f"http://127.0.0.1:{find_free_port(0)}"
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--chdir",
        str(ROOT),
        "--pythonpath",
        f"{ROOT},{ROOT / 'tests'}",
        "--threads",
        "4",
        "--worker-class",
        "svc.serving.worker.Worker",
        "--bind",
        address.removeprefix("http://"),
        "--log-level",
        "warning",
        f"contract.spacious:app_of('{folder / 'data'}', '{address}')",
    ]
    with (
        (folder / "server.log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        try:
            wait_for(address, process)
            yield Spacious(address, found_keys, known)
        finally:
            process.terminate()


def wait_for(address: str, process: subprocess.Popen) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            requests.get(f"{address}/openapi.json", timeout=START_SECONDS)
            return
        except requests.ConnectionError:
            time.sleep(0.05)
    raise CommandError("the server did not answer")


def furnish(data_dir: Path) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Two partners, the first with productions in several states and a webhook with deliveries:
    keys and identifiers.
    """
    given = settings.read({}, data_dir=data_dir)
    data_dir.mkdir(parents=True)
    database.open_database(given.database)
    try:
        person, stranger = (seed.make_partner("Enterprise", clock.now()) for _ in range(2))
        caller = keys.authenticate(person["testKey"], clock.now())
        ring = master_keys.open_ring(given.secret, clock.now())
        hook = subscriptions.register(
            caller,
            endpoint_url="https://example.org/hooks",
            event_types=["production.queued"],
            account_ids=None,
            account_scope_id=None,
            now=clock.now(),
            ring=ring,
            check_url=lambda _: None,
        )
        known = {
            "accountId": [person["sandboxAccountId"]],
            "accountScopeId": [person["sandboxAccountId"]],
            "accountIds": [person["sandboxAccountId"]],
            "avatarId": [person["avatarId"]],
            "languageId": [person["languageId"]],
            "countryId": [person["countryId"]],
            "subscriptionId": [hook["subscriptionId"]],
            "productionId": _produce(caller, person),
        }
        known["deliveryId"] = [row["id"] for row in plain_sql.rows("SELECT id FROM deliveries")]
        known["deliverableId"] = [
            row["id"] for row in plain_sql.rows("SELECT id FROM deliverables")
        ]
        return {"partner": person["testKey"], "stranger": stranger["testKey"]}, known
    finally:
        db.close()


def _produce(caller, person: dict) -> list[str]:
    """A published production, one that is being made, one that is queued."""
    account = accounts.find(caller, person["sandboxAccountId"])
    brief = briefs.Brief(
        "How tides work", person["languageId"], person["countryId"], person["avatarId"]
    )
    told = Clock(clock.now())
    for _ in range(3):
        productions.trigger(
            account,
            brief,
            told.tick(0.001),
            correlation_id="contract",
            ttl_hours=72,
            prices=Prices(),
        )
    complete_steps(told, made=[make()])
    publish_all(told)
    complete_steps(told, 2)
    return [row["id"] for row in plain_sql.rows("SELECT id FROM productions")]
