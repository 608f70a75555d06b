"""A service of one's own with somebody of it, and browsers that are signed in to its console and
must not complain.
"""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from app import create_app
from svc.base import clock as wall_clock
from svc.base import settings
from svc.cli.installation import seed
from svc.domain.audit.audit import Actor
from svc.domain.people import passwords, users
from svc.store.database import db
from tests.support.cast import Browser, Person
from tests.support.own_server import served

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PASSWORD = "correct horse battery"  # everybody's
PATIENCE = 60_000  # milliseconds until a test gives up
REFUSED = "status of 4"  # a form that was not right is answered so, and Chromium mentions it


class LeapingClock:
    """The real time, and as much more as a test has leapt."""

    def __init__(self):
        self.leapt = 0

    def __call__(self) -> int:
        return wall_clock.now() + self.leapt

    def tick(self, seconds: float = 0.001) -> int:
        self.leapt += round(seconds * 1000)
        return self()


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}")
    # five seconds by itself: a busy machine may need more
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@contextmanager
def serving(data_dir: Path):
    """A service on a port of its own with an empty database, whose engine has not been started:
    application and address.
    """
    given = settings.read(
        {"SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8"}, data_dir=data_dir, base_url="http://127.0.0.1"
    )
    app = create_app(given, LeapingClock())
    with served(app) as port:
        yield app, f"http://127.0.0.1:{port}"
    app.extensions["svc"].recorder.stop()
    db.close()


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A service; ``partner`` is somebody of it."""
    monkeypatch.setattr(passwords, "_COST", 2)
    with serving(tmp_path / "data") as (app, address):
        with db.transaction():
            seeded = seed.make_partner("Enterprise", wall_clock.now())
        yield Site(app, address, Person(app.test_client(), seeded, seeded["testKey"]))


class Site:
    def __init__(self, app, address: str, partner: Person | None):
        self.app, self.address, self.partner = app, address, partner
        self.clock = app.extensions["svc"].clock

    @contextmanager
    def engine(self):
        self.app.extensions["engine"].start()
        try:
            yield
        finally:
            self.app.extensions["engine"].stop()

    def somebody(self, role: str, partner: str | None = None) -> str:
        """The id of a new person of ``partner``, or of the one that is there."""
        partner = None if role == "operator" else partner or self.partner.seeded["partnerId"]
        email = f"{role}-{len(users.list_all_users())}@example.com"
        return users.add(
            Actor(None, "the tests"), email, "Ada", PASSWORD, role, partner, self.clock()
        )

    def cookie(self, user_id: str) -> dict:
        """The cookie of somebody who is signed in."""
        jar = Browser(self.app, user_id, self.clock).client._cookies.values()
        value = next(each.value for each in jar if each.key == "session")
        return {"name": "session", "value": value, "url": f"{self.address}/console"}


@pytest.fixture
def visit(chromium, site):
    """``visit(role)``: a page of somebody who is signed in (None: who is not),
    which must not complain.
    """
    opened, complaints = [], []

    def make_page(role: str | None = None, user_id: str | None = None, **more):
        context = chromium.new_context(base_url=site.address, **more)
        context.set_default_timeout(PATIENCE)
        if role or user_id:
            context.add_cookies([site.cookie(user_id or site.somebody(role))])
        page = context.new_page()
        page.on(
            "console", lambda said: complaints.append(said.text) if said.type == "error" else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        opened.append(context)
        return page

    yield make_page
    for context in opened:
        context.close()
    assert [each for each in complaints if REFUSED not in each] == []
