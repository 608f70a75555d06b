"""What a browser gets where an address leads nowhere: a page, where programs get the envelope."""

import pytest
from flask.testing import FlaskClient
from support.cast import body, text
from support.tables import each_of

from svc.base import media_types

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
LONG = "text/html," + "a/b;q=0.5," * 800
PAGES = ["/docs/", "/docs/nothing", "/nothing", "/watch/", "/watch/a/b", "/portal/a/b", "/static/x"]


@pytest.fixture
def stranger(app) -> FlaskClient:
    return app.test_client()


@each_of("path", PAGES)
def test_a_mistyped_address_is_a_page_for_a_browser_and_the_envelope_for_a_program(stranger, path):
    page = stranger.get(path, headers=BROWSER)
    assert (page.status_code, page.mimetype, page.headers["Vary"]) == (404, "text/html", "Accept")
    envelope = stranger.get(path)
    assert (envelope.status_code, envelope.mimetype) == (404, "application/json")
    assert body(envelope)["message"] in text(page)
    assert 'href="/docs"' in text(page) and "/static/watch.css" in text(page)


def test_a_method_that_an_address_does_not_take_is_a_page_with_the_same_headers(stranger):
    page, envelope = stranger.post("/docs", headers=BROWSER), stranger.post("/docs")
    assert (page.status_code, page.mimetype) == (405, "text/html")
    assert page.headers["Allow"] == envelope.headers["Allow"]
    assert body(envelope)["message"] in text(page)


def test_a_page_loads_nothing_of_others_and_is_not_kept(stranger):
    headers = stranger.get("/nothing", headers=BROWSER).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Cache-Control"] == "no-store"
    assert headers.getlist("X-Content-Type-Options") == ["nosniff"]
    assert headers["X-Correlation-Id"]


@each_of("path", ["/v1/nothing", "/v1", "/v1/accounts", "/files/nothing"])
def test_the_api_answers_a_browser_with_the_envelope(stranger, path):
    answer = stranger.get(path, headers=BROWSER)
    assert answer.mimetype == "application/json" and "error" in body(answer)


@each_of(
    "accept",
    ["*/*", "application/json", "application/json, text/html", "text/css,*/*;q=0.1", "text/*;q=0"],
)
def test_whoever_does_not_prefer_html_gets_the_envelope(stranger, accept):
    assert stranger.get("/nothing", headers={"Accept": accept}).mimetype == "application/json"


def test_an_error_says_its_correlation_id(app, monkeypatch):
    def fail():
        raise RuntimeError("unforeseen")

    monkeypatch.setitem(app.view_functions, "docs.page", fail)
    page = app.test_client().get("/docs", headers=BROWSER)
    assert (page.status_code, page.mimetype) == (500, "text/html")
    assert page.headers["X-Correlation-Id"] in text(page)


@pytest.mark.parametrize("path", ["/console/nothing", "/console/productions/a/nothing/at/all"])
def test_a_signed_in_person_gets_a_page_of_an_address_of_the_console(owner, path):
    page = owner.get(path, headers=BROWSER)
    assert (page.status_code, page.mimetype) == (404, "text/html")


def test_what_a_player_sends_in_vain_is_answered_with_the_whole_envelope(stranger):
    answer = stranger.post("/watch/nothing/plays", json={})
    found = body(answer)
    assert (answer.status_code, found["error"]) == (404, "NOT_FOUND")
    assert set(found) == {"error", "message", "retryAfterSeconds", "correlationId"}
    assert found["correlationId"] == answer.headers["X-Correlation-Id"]


def test_a_long_list_of_what_is_accepted_is_not_read(stranger, monkeypatch):
    monkeypatch.setattr(media_types, "parse_accept_header", None)  # whose call would fail
    answer = stranger.get("/nothing", headers={"Accept": LONG})
    assert (answer.status_code, answer.mimetype) == (404, "application/json")
