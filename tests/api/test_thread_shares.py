"""One allocator of threads: whoever holds half of them is told to wait, before anything is done,
and nobody else notices.
"""

import threading
from contextlib import contextmanager

import pytest
from support import plain_sql
from support.cast import body, refused
from support.shares import count_held

from svc.base.errors import RateLimitExceeded
from svc.domain.productions import listing as productions_listing
from svc.domain.webhooks import long_polls
from svc.store.database import db

PATIENCE = 60  # seconds, which are never reached


@pytest.fixture(autouse=True)
def eight_threads(shares):
    shares.set_threads(8)


class Gate:
    """Where requests stop until they may go on."""

    def __init__(self):
        self.reached, self.opened = threading.Semaphore(0), threading.Event()

    def __call__(self, *_args, **_how):
        self.reached.release()
        assert self.opened.wait(PATIENCE)
        return {"data": [], "hasMore": False, "nextCursor": None}


@contextmanager
def blocked(gate, number, request):
    """So many requests are stopped in the middle; give their answers,
    which are there once the gate is open.
    """
    answers = []

    def ask():
        with request() as answer:  # which is sent to its end, as a server does
            answers.append(answer)

    threads = [threading.Thread(target=ask) for _ in range(number)]
    for each in threads:
        each.start()
        assert gate.reached.acquire(timeout=PATIENCE)
    try:
        yield answers
    finally:
        gate.opened.set()
        for each in threads:
            each.join(PATIENCE)


@pytest.fixture
def gate(monkeypatch):
    made = Gate()
    monkeypatch.setattr(productions_listing, "format_page", made)
    return made


def listing(person):
    return person.get(f"/v1/accounts/{person.account}/productions")


def another_client(app, person):
    return type(person)(app.test_client(), person.seeded, person.key)


def test_a_partner_with_half_of_the_threads_is_refused_and_another_is_answered(
    app, partner, stranger, gate, shares
):
    with blocked(
        gate, shares.owner_limit, lambda: listing(another_client(app, partner))
    ) as answers:
        refusal = partner.get("/v1/languages")
        found = refused(refusal, 429, "RATE_LIMIT_EXCEEDED")
        assert refusal.headers["Retry-After"] == str(found["retryAfterSeconds"]) == "1"
        assert (
            "half of what this server" in found["message"]
            and refusal.headers["X-RateLimit-Remaining"]
        )
        # another key of the same partner
        refused(partner.live().get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")
        assert stranger.get("/v1/languages").status_code == 200
    assert [each.status_code for each in answers] == [200] * 4
    assert partner.get("/v1/languages").status_code == 200


def test_one_request_fewer_is_answered(app, partner, gate, shares):
    with blocked(gate, shares.owner_limit - 1, lambda: listing(another_client(app, partner))):
        assert partner.get("/v1/languages").status_code == 200


def test_a_refused_request_is_in_the_history_and_spends_no_budget(app, partner, gate, shares):
    with blocked(gate, shares.owner_limit, lambda: listing(another_client(app, partner))):
        before = partner.get("/v1/languages").headers["X-RateLimit-Remaining"]
        assert partner.get("/v1/languages").headers["X-RateLimit-Remaining"] == before
    app.extensions["svc"].recorder.flush()
    refusals = "SELECT count(*), sum(times) FROM requests WHERE status_code = 429 AND counted = 0"
    assert plain_sql.row(refusals)[:] == (1, 2)  # alike, hence one row that says how many they were


def test_nothing_is_done_and_no_body_is_read_for_a_refused_request(app, partner, gate, shares):
    class Unread:
        def read(self, *_size):
            raise AssertionError("the body of a refused request is read")

    with blocked(gate, shares.owner_limit, lambda: listing(another_client(app, partner))):
        answer = partner.client.post(
            f"/v1/accounts/{partner.account}/productions",
            headers={"X-API-Key": partner.key},
            environ_overrides={"wsgi.input": Unread(), "CONTENT_LENGTH": "40"},
        )
        refused(answer, 429, "RATE_LIMIT_EXCEEDED")
        refused(
            partner.client.post(
                "/v1/webhooks", headers={"X-API-Key": partner.key}, data=b"x" * 65537
            ),
            413,
            "PAYLOAD_TOO_LARGE",
        )
    assert plain_sql.row("SELECT count(*) FROM productions")[0] == 0


def test_a_key_that_may_not_be_used_from_there_spends_nobodys_share(partner, shares):
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET allowed_ranges = '[\"10.0.0.0/8\"]'")
    held = []
    charge = shares.charge_request
    shares.charge_request = lambda owner: (held.append(owner), charge(owner))
    refused(partner.get("/v1/languages"), 403, "PERMISSION_DENIED")
    assert held == []


def test_a_request_gives_its_thread_back_once_its_answer_is_sent(partner, shares):
    answer = partner.client.get("/v1/languages", headers={"X-API-Key": partner.key}, buffered=False)
    assert count_held(shares, partner.seeded["partnerId"]) == 1
    answer.close()
    assert count_held(shares, partner.seeded["partnerId"]) == 0


def test_a_request_that_fails_gives_its_thread_back(app, partner, shares, monkeypatch):
    monkeypatch.setattr(productions_listing, "format_page", lambda *_: 1 / 0)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    for _ in range(shares.owner_limit + 1):
        refused(listing(partner), 500, "INTERNAL_ERROR")


def test_long_polls_count_with_all_other_requests(app, partner, gate, shares):
    waiting = shares.begin_request()
    with blocked(gate, shares.owner_limit, lambda: listing(another_client(app, partner))):
        with pytest.raises(RateLimitExceeded):
            shares.charge_request(partner.seeded["partnerId"])
        refused(partner.get("/v1/events?waitSeconds=30&cursor=latest"), 429, "RATE_LIMIT_EXCEEDED")
    waiting.end()


def test_work_beside_requests_counts_with_them_until_it_ends(partner, shares):
    owner = partner.seeded["partnerId"]
    works = [shares.begin_background_work(owner) for _ in range(shares.waiting_limit)]
    for each in works:
        each.detach()
    with pytest.raises(RateLimitExceeded, match="take long"):
        shares.begin_background_work(owner)
    assert count_held(shares, owner) == shares.waiting_limit
    for each in works:
        each.end()
        each.end()
    assert count_held(shares, owner) == 0 and shares.begin_background_work(owner)


def test_people_and_keys_of_a_partner_share_and_an_operators_session_has_its_own(
    app, partner, owner, operator, gate, shares
):
    with blocked(gate, shares.owner_limit, lambda: listing(another_client(app, partner))):
        page = owner.get("/console/productions/")
        assert page.status_code == 429 and page.headers["Retry-After"] == "1"
        assert "Too much at once" in page.get_data(
            as_text=True
        ) and "Send fewer at a time" in page.get_data(as_text=True)
        assert operator.get("/console/productions/").status_code == 200


def test_a_cancel_that_finds_no_thread_to_wait_in_is_accepted_at_once(partner, shares, monkeypatch):
    monkeypatch.setattr(long_polls.room, "_sleep", None)  # whose call would fail
    production = body(partner.trigger())["productionId"]
    with shares.admit_wait("one"), shares.admit_wait("two"), shares.admit_wait("three"):
        answer = partner.delete(f"/v1/productions/{production}")
    assert answer.status_code == 202 and body(answer)["cancelRequestedAt"]
