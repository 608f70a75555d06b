"""A service that has an account, a clock that stands still, and a stranger's browser."""

import pytest

from svc.store.database import close_database, open_database
from svc.work.connected import exchanges
from tests.support.published import Clock, make_account, watch_app


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(autouse=True)
def places_are_waited_for(monkeypatch):
    """A request waits for a place as long as it takes, so that no test depends on the machine's speed."""
    monkeypatch.setattr(exchanges, "SECONDS", 60)


@pytest.fixture
def media(tmp_path):
    """The media directory; the database is beside it."""
    open_database(tmp_path / "service.db")
    make_account()
    yield tmp_path / "media"
    close_database()


@pytest.fixture
def client(media, clock):
    return watch_app(media.parent, clock).test_client()
