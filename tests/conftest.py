"""The application on a data directory of its own, a partner, and a stranger."""

import pytest
from cast import Clock, Person

from app import create_app
from svc.base import settings
from svc.cli import seed
from svc.store import database


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(tmp_path, clock):
    """The application; no engine drives it, so that a test decides what happens when."""
    given = settings.read({}, data_dir=tmp_path / "data", base_url="http://localhost")
    made = create_app(given, clock)
    yield made
    made.extensions["svc"].recorder.stop()
    database.close_database()


@pytest.fixture
def person(app, clock):
    """Make somebody: ``person(tier="Free")``."""

    def make(tier: str = "Enterprise") -> Person:
        seeded = seed.make_partner(tier, clock())
        return Person(app.test_client(), seeded, seeded["testKey"])

    return make


@pytest.fixture
def partner(person) -> Person:
    """A partner on the Enterprise tier, with its test key."""
    return person()


@pytest.fixture
def stranger(person) -> Person:
    """Another partner, who must reach nothing of the first one."""
    return person()
