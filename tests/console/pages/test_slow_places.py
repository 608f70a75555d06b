"""A place that answers slowly: nobody's request waits for it, its partner alone is limited,
and the result is shown later.
"""

import threading

import pytest
from support import plain_sql
from support.cast import body, text
from support.places import SECRET
from support.receivers import LOOPBACK

from svc.domain.publishing import connection_tries
from svc.platforms import PLACES, PublishError
from svc.store.database import db
from svc.work.publishing import exchanges
from svc.work.publishing.connections import Connections

PATIENCE = 60  # seconds, which are never reached
FORM = {
    "name": "n8n",
    "url": "https://93.184.215.14/x",
    "signing_secret": SECRET,
    "shape": "landscape",
    "title_template": "{title}",
    "text_template": "{summary}",
}


class SlowPlace:
    """A Hook that answers when it is told to. ``calls``: how many are waiting or were answered."""

    def __init__(self, place, problem=None):
        self.description, self.check, self.problem = place.description, place.check, problem
        self.asked, self.answers, self.threads = threading.Semaphore(0), threading.Event(), []

    def test(self, _connection, _tools):
        self._wait()
        return {}

    def withdraw(self, _post_id, _connection, _tools):
        self._wait()

    def _wait(self):
        self.threads.append(threading.current_thread())
        self.asked.release()
        assert self.answers.wait(PATIENCE)
        if self.problem:
            raise PublishError(self.problem, retryable=False)

    def answer(self, number=1):
        """Let it answer so many that it is asked, and wait until what they showed
        has been entered.
        """
        for _ in range(number):
            assert self.asked.acquire(timeout=PATIENCE)
        self.answers.set()
        for each in self.threads:
            each.join(PATIENCE)


@pytest.fixture
def slow(app, monkeypatch):
    made = SlowPlace(PLACES["Hook"])
    monkeypatch.setitem(PLACES, "Hook", made)
    monkeypatch.setattr(exchanges, "SECONDS", 0)
    yield made
    made.answers.set()
    for each in threading.enumerate():  # before the database is closed
        if each.name == "place":
            each.join(PATIENCE)


@pytest.fixture
def here(app, partner, clock, shares) -> str:
    shares.set_threads(8)
    service = app.extensions["svc"]
    object.__setattr__(service, "connections", Connections(LOOPBACK, service.ring, clock))
    return f"/console/connections/{partner.account}"


def test_what_a_try_computes_counts_as_its_partners(shares, monkeypatch):
    """A place that refuses at once is tried again at once:
    each time, its handshake is computed here, and not in the request's thread.
    """
    noted = []
    monkeypatch.setattr(exchanges, "SECONDS", PATIENCE)
    monkeypatch.setattr(
        shares, "record_work", lambda owner, seconds: noted.append((owner, seconds))
    )
    assert exchanges.run_exchange("one", "account", "Try", lambda: None, lambda: 0)
    [(owner, seconds)] = noted
    assert owner == "one" and seconds > 0


def names() -> list[str]:
    return [
        row["name"]
        for row in plain_sql.rows(
            "SELECT name FROM connections WHERE removed_at IS NULL ORDER BY name"
        )
    ]


def test_adding_is_answered_while_the_place_is_asked_and_its_result_is_shown(here, owner, slow):
    assert owner.post(f"{here}/add/Hook", FORM).status_code == 303
    assert names() == [] and "has not answered yet" in text(owner.get(here))
    going_on = owner.get(f"{here}/tries")
    assert going_on.status_code == 200 and 'hx-trigger="every 2s"' in text(going_on)
    slow.answer()
    ended = owner.get(f"{here}/tries")
    assert (ended.status_code, ended.headers["HX-Refresh"]) == (204, "true")
    assert names() == ["n8n"] and "it worked" in text(owner.get(here))


def test_a_late_failure_is_shown_and_stores_nothing(here, owner, slow):
    slow.problem = "The place answered 403."
    owner.post(f"{here}/add/Hook", FORM)
    slow.answer()
    assert (
        "The try did not work. The place answered 403." in text(owner.get(here)) and names() == []
    )


def test_a_change_that_was_tried_while_somebody_else_saved_one_overwrites_nothing(
    here, owner, slow
):
    slow.answers.set()
    owner.post(f"{here}/add/Hook", FORM)
    slow.answer()
    connection_id = plain_sql.one("SELECT id FROM connections")[0]
    slow.answers.clear()
    assert (
        owner.post(
            f"{here}/{connection_id}", {**FORM, "signing_secret": "", "title_template": "Mine"}
        ).status_code
        == 303
    )
    with db.transaction():  # what somebody else's form stores while mine waits for the place
        plain_sql.execute("UPDATE connections SET title_template = 'Theirs'")
    slow.answer()
    assert plain_sql.one("SELECT title_template FROM connections")[0] == "Theirs"
    assert "Somebody else changed this connection" in text(owner.get(here))


def test_an_unexpected_failure_ends_a_try_too(here, owner, slow, monkeypatch, caplog):
    monkeypatch.setattr(slow, "test", lambda *_: slow._wait() or 1 / 0)
    owner.post(f"{here}/add/Hook", FORM)
    slow.answer()
    assert "Something went wrong on our side" in text(owner.get(here))
    caplog.clear()


def test_a_secret_that_is_made_is_shown_though_the_place_has_not_answered(here, owner, slow):
    page = text(
        owner.post(f"{here}/add/Hook", {**FORM, "signing_secret": ""}, follow_redirects=True)
    )
    assert "whsec_" in page and "It works" not in page and "has not answered yet" in page


def test_trying_and_renewing_are_answered_while_the_place_is_asked(here, owner, slow):
    slow.answers.set()
    owner.post(f"{here}/add/Hook", FORM)
    slow.answer()
    [row] = plain_sql.rows("SELECT * FROM connections")
    slow.answers.clear()
    assert owner.post(f"{here}/{row['id']}/try", {}).status_code == 303
    assert owner.post(f"{here}/{row['id']}", {**FORM, "shape": "portrait"}).status_code == 303
    assert plain_sql.row("SELECT shape FROM connections")[0] == "landscape"
    slow.answer(2)
    assert plain_sql.row("SELECT shape FROM connections")[0] == "portrait"


def test_a_withdrawal_is_answered_while_the_place_is_asked(here, owner, partner, slow):
    slow.answers.set()
    owner.post(f"{here}/add/Hook", FORM)
    slow.answer()
    production = body(partner.trigger())["productionId"]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Published' WHERE id = ?", (production,))
        plain_sql.execute(
            "UPDATE publications SET status = 'Published', post_url = 'https://relay.example.com/1'"
        )
    slow.answers.clear()
    page = f"/console/productions/{production}"
    assert owner.post(f"{page}/platforms/n8n/withdraw", {}).status_code == 303
    assert (
        "Withdrawing from n8n" in text(owner.get(page))
        and owner.get(f"{page}/tries").status_code == 200
    )
    slow.answer()
    ended = owner.get(f"{page}/tries")
    # and a video plays on
    assert ended.headers["HX-Retarget"] == "#live" and "Withdrawn</span>" in text(ended)
    assert plain_sql.row("SELECT status FROM publications WHERE platform = 'n8n'")[0] == "Withdrawn"


def test_one_partners_slow_places_keep_no_other_partner_from_adding_one(
    here, owner, somebody, stranger, slow, shares
):
    for name in ("one", "two"):
        assert owner.post(f"{here}/add/Hook", {**FORM, "name": name}).status_code == 303
    refused = owner.post(f"{here}/add/Hook", {**FORM, "name": "three"})
    assert (
        refused.status_code == 429
        and refused.headers["Retry-After"] == "5"
        and "take long" in text(refused)
    )
    other = somebody("owner", stranger.seeded["partnerId"])
    assert other.post(f"/console/connections/{stranger.account}/add/Hook", FORM).status_code == 303
    assert owner.get(here).status_code == 200  # two of its four threads are left
    slow.answer(3)
    assert names() == ["n8n", "one", "two"]
    assert owner.post(f"{here}/add/Hook", {**FORM, "name": "three"}).status_code == 303


def test_a_try_that_was_lost_with_its_process_is_said_to_be(partner, clock):
    connection_tries.begin_try(partner.account, None, "n8n", clock())
    clock.tick(connection_tries.LONGEST_TRY / 1000)
    [lost] = connection_tries.list_tries_of_account(partner.account, clock())
    assert "restarted" in lost["problem"]
    clock.tick(3600)
    assert connection_tries.list_tries_of_account(partner.account, clock()) == []
    connection_tries.begin_try(partner.account, None, "n8n", clock())
    assert plain_sql.row("SELECT count(*) FROM connection_tries")[0] == 1


def test_strangers_see_no_tries(here, owner, somebody, stranger, slow):
    owner.post(f"{here}/add/Hook", FORM)
    assert somebody("owner", stranger.seeded["partnerId"]).get(f"{here}/tries").status_code == 404
