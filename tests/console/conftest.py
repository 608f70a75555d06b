"""A service that has an account, a clock that stands still, and a stranger's browser."""

import pytest

from svc.store.database import db, open_database
from svc.work.avatar_previews import AvatarPreviews
from svc.work.publishing import exchanges
from tests.support.published import Clock, make_account, watch_app


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(autouse=True)
def places_are_waited_for(monkeypatch):
    """A request waits for a place as long as it takes, so that no test depends on
    the machine's speed.
    """
    monkeypatch.setattr(exchanges, "SECONDS", 60)


@pytest.fixture(autouse=True)
def outlines(monkeypatch):
    """What the scenes of a brief are: a list, None while they are being made, or an error.

    ``asked``: who asked for which. No script is written beside a test's requests.
    """
    kept = {"answer": None, "asked": []}

    def begin_outline(self, account, brief, now, owner, seconds=0):
        kept["asked"].append((account["id"], brief.metadata_md, owner, seconds))
        if isinstance(kept["answer"], Exception):
            raise kept["answer"]
        return kept["answer"]

    monkeypatch.setattr(AvatarPreviews, "begin_outline", begin_outline)
    return kept


@pytest.fixture
def media(tmp_path):
    """The media directory; the database is beside it."""
    open_database(tmp_path / "service.db")
    make_account()
    yield tmp_path / "media"
    db.close()


@pytest.fixture
def client(media, clock):
    return watch_app(media.parent, clock).test_client()
