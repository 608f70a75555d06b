"""An installation with connections: fixtures and functions of tests that publish productions at
places of accounts.
"""

import hashlib
import json
import threading
import time

import pytest
from support import plain_sql
from support.cast import body
from support.places import PATIENCE
from support.receivers import LOOPBACK
from support.stage import DRIVER, complete_steps, make

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.domain.lifecycle import deliverables
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer
from svc.domain.productions import distribution, publications
from svc.platforms.connected import Tools
from svc.store.database import db
from svc.work.outages import Outages
from svc.work.publishing.connections import Connections
from svc.work.publishing.publisher import Publisher

US = Viewer(None, "us", "us at the command line", OPERATOR, None)
CONTENT = b"moving pictures" * 1000
DESCRIPTION = (
    "Tides\n\nThe sea rises.\n\n0:00 Start\n0:12 Middle\n0:30 End\n\nMade by software.\n\n"
    "#tides #sea"
)


@pytest.fixture
def service(app):
    return app.extensions["svc"]


@pytest.fixture
def connected(service, clock):
    return Connections(LOOPBACK, service.ring, clock)


@pytest.fixture
def publisher(service, clock):
    """The publisher as the engine runs it."""
    stopping = threading.Event()
    tools = Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock)
    made = Publisher(DRIVER, service.storage, clock, Outages(clock, stopping), service.ring, tools)
    yield made
    made.stop()


@pytest.fixture
def released(service, partner, clock):
    """Make a production with a video for each of its platforms, and release it."""

    def make_one(account: str | None = None, content: bytes = CONTENT, by=partner) -> str:
        production = body(by.trigger(account=account))["productionId"]
        folder = service.settings.data_dir / "media" / production
        folder.mkdir(parents=True)
        (folder / "video.mp4").write_bytes(content)
        facts = {
            "file": f"{production}/video.mp4",
            "size_bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        names = publications.list_platforms(production)
        complete_steps(clock, made=[make(name, "Video", "mp4", **facts) for name in names])
        deliverables.store_descriptions(production, dict.fromkeys(names, DESCRIPTION))
        if status_of(production) == "AwaitingApproval":
            with db.transaction():
                distribution.make_due(production, clock())
        return production

    return make_one


def status_of(production: str) -> str:
    return plain_sql.one("SELECT status FROM productions WHERE id = ?", (production,))["status"]


def publication(production: str, platform: str) -> dict:
    return dict(
        plain_sql.one(
            "SELECT * FROM publications WHERE production_id = ? AND platform = ?",
            (production, platform),
        )
    )


def wait_until(what) -> None:
    ends_at = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < ends_at, "the publisher did not get there"
        time.sleep(0.01)


def claim_until(publisher, what) -> None:
    """Let the publisher claim again and again until ``what`` is so, as the engine does: PostgreSQL
    passes over what another publication of the same production has locked at that moment.
    """

    def claim_and_look() -> bool:
        publisher.claim_publications()
        return what()

    wait_until(claim_and_look)


def publish(publisher, clock, production: str, *ended: str) -> list[str]:
    """Let the publisher work until the named platforms have ended; their states."""
    done = ("Published", "Failed", "Withdrawn")
    claim_until(
        publisher,
        lambda: all(publication(production, name)["status"] in done for name in ended),
    )
    return [publication(production, name)["status"] for name in ended]


def add(connected, partner, there, name: str = "", viewer: Viewer = US, **changes: str) -> str:
    given = {**there.values, **changes} | ({"name": name} if name else {})
    return connected.add(viewer, partner.account, there.connector, given)[0]


def move(name: str, url: str) -> None:
    """Let a connection lead to another address, as when a place changes after it was tried."""
    for row in plain_sql.rows("SELECT id, settings FROM connections WHERE name = ?", (name,)):
        with db.transaction():
            settings = json.dumps({**json.loads(row["settings"]), "url": url})
            plain_sql.execute(
                "UPDATE connections SET settings = ? WHERE id = ?", (settings, row["id"])
            )
