"""A server that really renders, a partner on it, and the document that the SDKs are made from."""

import json
from dataclasses import dataclass

import pytest
from partner_production import Client

from svc.base import clock, settings
from svc.cli.demo.demo_server import Server
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db
from tests.support.npm import npm as npm
from tests.support.npm import npm_alone as npm_alone
from tests.support.npm import npm_folder as npm_folder
from tests.support.sdk_service import asker


@dataclass(frozen=True)
class Running:
    """A server, and what ``seed --json`` prints of a partner on it."""

    server: Server
    seeded: dict[str, str]

    @property
    def address(self) -> str:
        return self.server.address

    @property
    def key(self) -> str:
        return self.seeded["testKey"]

    @property
    def environment(self) -> dict[str, str]:
        """What examples read."""
        return {"BASE": self.address, "KEY": self.key}

    def brief(self, **changes: str) -> dict[str, str]:
        names = ("languageId", "countryId", "avatarId")
        return {"topic": "How tides work", **{name: self.seeded[name] for name in names}, **changes}


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdk") / "data"
    with Server(folder, 0) as server:
        database.open_database(settings.read({}, data_dir=folder).database)
        seeded = seed.make_partner("Enterprise", clock.now())
        db.close()
        yield Running(server, seeded)


@pytest.fixture
def document(app) -> dict:
    # without the envelope of errors, so that a failure says what broke the document
    return json.loads(app.extensions["document"]())


@pytest.fixture
def client(running):
    """The Python SDK with the partner's test key."""
    with Client(running.address, running.key) as client:
        yield client


@pytest.fixture(params=["sync", "async"])
def ask(request):
    """``ask(service, call)``: what ``call(client)`` gives, of either half of the Python SDK;
    iterators become lists.
    """
    return asker(request.param)
