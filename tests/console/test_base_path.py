"""Behind a proxy that serves the application below a path and takes the path away,
as SVC_BASE_URL says: every link works.
"""

import html
import re
from urllib.parse import urljoin, urlsplit

import pytest
from support.cast import Person, body
from werkzeug.test import Client, TestResponse

from app import create_app
from svc.base import settings
from svc.cli.installation import seed
from svc.domain.audit.audit import Actor
from svc.domain.monitoring import base_url_check
from svc.domain.people import users
from svc.store.database import db

BASE = "https://example.com/films"
LINK = re.compile(
    r'\b(href|src|action|formaction|poster|hx-get|hx-post)="(?!data:|#|mailto:)([^"]*)"'
)
# not pages, or long to make
CHANGES = re.compile(r"/static/|/voices/|preview|sign-out|\.(?:wav|mp3)")


class Proxy:
    """Passes on what is below the path, without it, and answers 404 to everything else,
    as the host's other pages do.
    """

    def __init__(self, application):
        self._application = application

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if not path.startswith("/films/"):
            start_response("404 Not Found", [("Content-Type", "text/plain"), ("X-Astray", path)])
            return [b""]
        return self._application(
            {**environ, "PATH_INFO": path.removeprefix("/films")}, start_response
        )


@pytest.fixture
def below(tmp_path, clock, cheap_passwords):
    """A browser that reaches the application through the proxy alone,
    and keeps cookies by their paths.
    """
    app = create_app(settings.read({}, data_dir=tmp_path / "data", base_url=BASE), clock)
    client = Client(Proxy(app), TestResponse)
    client.application_itself = app
    yield client
    app.extensions["svc"].recorder.stop()
    db.close()


def get(client, url: str, **more):
    return client.get(
        urlsplit(url).path, query_string=urlsplit(url).query, base_url="https://example.com", **more
    )


def sign_in(client, clock) -> None:
    users.add(
        Actor(None, "us"), "ada@example.com", "Ada", "correct horse", "operator", None, clock()
    )
    page = get(client, f"{BASE}/console/sign-in")
    token = re.search('name="csrf_token"[^>]*value="([^"]+)"', page.get_data(as_text=True))[1]
    form = {"email": "ada@example.com", "password": "correct horse", "csrf_token": token}
    entered = client.post(
        "/films/console/sign-in",
        data=form,
        base_url="https://example.com",
        headers={"Referer": f"{BASE}/console/sign-in"},
    )
    assert (entered.status_code, entered.headers["Location"]) in (
        (302, "/films/console/"),
        (303, "/films/console/"),
    )


@pytest.mark.parametrize("most", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_signing_in_works_and_every_link_of_the_console_leads_somewhere(below, clock, most):
    seeded = seed.make_partner("Enterprise", clock())
    sign_in(below, clock)
    account = seeded["sandboxAccountId"]
    waiting = [
        f"{BASE}/console/",
        f"{BASE}/console/partners/{seeded['partnerId']}",
        f"{BASE}/console/connections/{account}",
    ]
    waiting.append(f"{BASE}/docs")
    seen, astray = set(), {}
    while waiting and len(seen) < most:
        url = waiting.pop(0).partition("#")[0]
        if url in seen or CHANGES.search(url):
            continue
        seen.add(url)
        answer = get(below, url)
        place = answer.headers.get("Location")
        found = [("href", place)] if place else LINK.findall(answer.get_data(as_text=True))
        for kind, each in ((kind, urljoin(url, html.unescape(link))) for kind, link in found):
            path = urlsplit(each).path
            if urlsplit(each).netloc == "example.com" and (
                not path.startswith("/films/") or path.startswith("/films/films/")
            ):
                astray[each] = url
            elif kind == "href" and each.startswith(BASE) and "?" not in each:
                waiting.append(each)
        if "X-Astray" in answer.headers or answer.status_code == 404:
            astray[url] = answer.status_code
    assert astray == {} and len(seen) == most


def test_the_place_of_what_was_made_is_below_the_path(below, clock):
    seeded = seed.make_partner("Enterprise", clock())
    who = Person(Client(below.application_itself, TestResponse), seeded, seeded["testKey"])
    for made in (
        who.trigger(),
        who.post(f"/v1/accounts/{who.account}/batches", json={"items": [who.brief()]}),
    ):
        place = made.headers["Location"]
        assert place.startswith("/films/v1/"), body(made)
        assert (
            get(below, f"https://example.com{place}", headers={"X-API-Key": who.key}).status_code
            == 200
        )


def test_links_for_others_begin_with_the_whole_address(below):
    texts = [
        get(below, f"{BASE}{path}").get_data(as_text=True)
        for path in ("/openapi.json", "/llms.txt", "/docs/changelog.xml")
    ]
    assert all(BASE in text for text in texts)
    assert not [
        text
        for text in texts
        if re.search(r"https://example\.com/(?!films)(?:v1|docs|openapi|console)", text)
    ]


def test_a_page_of_another_host_s_path_gets_no_cookie_of_the_console(below, clock):
    sign_in(below, clock)
    assert below.get_cookie("session", "example.com", "/films/console") and not below.get_cookie(
        "session", "example.com", "/"
    )


@pytest.mark.parametrize("base", ["https://example.com", "https://example.com/films"])
def test_a_request_by_the_right_host_is_no_mismatch_also_below_a_path(base):
    seen = '{"scheme": "https", "host": "example.com", "forwarded": false, "at": 5}'
    assert base_url_check.find_mismatch(seen, base, 0) is None
    assert (
        base_url_check.find_mismatch(seen.replace("example.com", "other.example"), base, 0)["host"]
        == "other.example"
    )
    assert base_url_check.find_mismatch(seen.replace("false", "true"), base, 0)["forwarded"]
