"""A forgotten password: a link by mail, once, for half an hour;
nobody learns who has an account.
"""

import re
import threading

import pytest
from support import plain_sql
from support.cast import text

from svc.adapters import mail, notify
from svc.base import clock as times
from svc.console.sign_in import background
from svc.domain.monitoring import alerts
from svc.domain.paging import Page
from svc.domain.people import password_reset, sessions, users

URL = (
    "mailto://user:secret@smtp.example.com/somebody@example.com?from=us@example.com&"
    "to=ops@example.com&cc=boss@example.com"
)
NEW = "zebra-quilt-marsh-77"


@pytest.fixture
def sent(app, monkeypatch) -> list[tuple[str, str, str]]:
    """The mails of a service that has a mail server; they are sent before the answer."""
    mails = []
    service = app.extensions["svc"]
    object.__setattr__(service, "mail", lambda *given: mails.append(given) or True)
    monkeypatch.setattr(background, "run_job", lambda job: job() or True)
    return mails


def ask(app, email: str, address: str = "192.0.2.7"):
    client = app.test_client()
    token = re.search(
        r'name="csrf_token" value="([^"]+)"',
        client.get("/console/sign-in/forgotten").get_data(as_text=True),
    )[1]
    form = {"email": email, "csrf_token": token}
    return client, client.post(
        "/console/sign-in/forgotten", data=form, environ_base={"REMOTE_ADDR": address}
    )


def place(mails) -> str:
    return re.search(r"/console/welcome/\S+", mails[-1][2])[0]


def set_password(client, path: str):
    token = re.search(
        r'name="csrf_token" value="([^"]+)"', client.get(path).get_data(as_text=True)
    )[1]
    return client.post(path, data={"password": NEW, "again": NEW, "csrf_token": token})


def test_the_link_sets_a_new_password_once_and_ends_all_sessions(app, owner, sent, clock):
    email = users.get(owner.user_id)["email"]
    client, _ = ask(app, f" {email.upper()} ")
    assert sent[0][0] == email
    token = place(sent).rpartition("/")[2]
    rows = [tuple(row) for row in plain_sql.rows("SELECT * FROM invitations")]
    assert rows and token not in str(rows)  # only its hash is stored
    assert set_password(client, place(sent)).status_code == 303
    assert owner.get("/console/").status_code == 303  # the earlier session has ended
    assert sessions.sign_in(email, NEW, "192.0.2.9", None, clock())["id"] == owner.user_id
    assert client.get(place(sent)).status_code == 410


def test_the_link_ends_after_half_an_hour(app, owner, sent, clock):
    client, _ = ask(app, users.get(owner.user_id)["email"])
    clock.tick(password_reset.LIFETIME / 1000 - 1)
    assert client.get(place(sent)).status_code == 200
    clock.tick(2)
    assert client.get(place(sent)).status_code == 410


def test_the_answer_is_the_same_for_an_address_that_nobody_has(app, owner, member, sent, clock):
    _, known = ask(app, users.get(owner.user_id)["email"])
    _, unknown = ask(app, "nobody@example.com")
    users.change(
        users.make_viewer(users.get(owner.user_id)).actor, member.user_id, clock(), disabled=True
    )
    _, disabled = ask(app, users.get(member.user_id)["email"])
    assert len(sent) == 1
    pages = [
        re.sub(r'content="\d+"|value="[^"]*"|"X-CSRFToken": "[^"]*"', "", text(each))
        for each in (known, unknown, disabled)
    ]
    assert pages[0] == pages[1] == pages[2] and "a mail is on its way" in pages[0]


@pytest.mark.parametrize("who", ["owner@example.com", "nobody@example.com"])
def test_requests_are_limited_whether_or_not_somebody_has_the_address(app, sent, clock, who):
    answers = [ask(app, who, f"192.0.2.{number}")[1].status_code for number in range(4)]
    assert answers == [200, 200, 200, 429]
    clock.tick(16 * times.MINUTE / 1000)
    assert ask(app, who)[1].status_code == 200


@pytest.mark.parametrize("who", ["owner@example.com", "nobody@example.com"])
def test_a_mail_that_is_left_out_for_want_of_room_is_not_said_to_be_sent(
    app, sent, monkeypatch, who
):
    monkeypatch.setattr(background, "run_job", lambda job: False)
    _, answer = ask(app, who)
    assert answer.status_code == 503 and answer.headers["Retry-After"] == "60"
    assert (
        "yours was not" in text(answer) and "on its way" not in text(answer) and who in text(answer)
    )


def test_a_mail_that_the_server_does_not_take_is_told_to_the_operator_and_to_nobody_else(
    app, owner, operator, sent, clock
):
    object.__setattr__(app.extensions["svc"], "mail", lambda *given: False)
    email = users.get(owner.user_id)["email"]
    pages = [text(ask(app, each)[1]) for each in (email, "nobody@example.com")]
    assert (
        len(
            {
                re.sub(r'content="\d+"|value="[^"]*"|"X-CSRFToken": "[^"]*"', "", each)
                for each in pages
            }
        )
        == 1
    )
    [alert] = [
        each for each in alerts.list_page(Page())["data"] if each["name"] == password_reset.ALERT
    ]
    assert (
        "was not sent" in alert["message"]
        and alert["subject_id"] == owner.user_id
        and email not in alert["message"]
    )
    assert "was not sent" in text(operator.get("/console/alerts"))
    assert not password_reset.send("nobody@example.com", lambda *given: True, clock())
    assert password_reset.send(email, lambda *given: True, clock())


def test_without_a_mail_server_the_page_says_whom_to_ask(app):
    client = app.test_client()
    assert "Forgot your password?" in client.get("/console/sign-in").get_data(as_text=True)
    page = client.get("/console/sign-in/forgotten").get_data(as_text=True)
    assert "Ask an owner of your partner account" in page and "<form" not in page


def test_the_mail_goes_to_this_person_alone(monkeypatch):
    given = []
    monkeypatch.setattr(notify, "notify", lambda urls, title, body: given.append(urls) or True)
    assert (
        mail.find_server(("tgram://x/y", URL)) == URL and mail.find_server(("tgram://x/y",)) is None
    )
    assert mail.send(URL, "ada@example.org", "Title", "Text")
    assert given == [
        (
            (
                "mailto://user:secret@smtp.example.com?from=us%40example.com&format=text&"
                "to=ada%40example.org"
            ),
        )
    ]
    assert (
        not mail.send(URL, "ada@example.org,eve@example.org", "Title", "Text") and len(given) == 1
    )


def test_a_flood_of_requests_starts_only_some_jobs():
    go, done = threading.Event(), []
    started = [background.run_job(lambda: go.wait(60) and done.append(1)) for _ in range(10)]
    assert started.count(True) == 4
    go.set()
    while len(done) < 4:
        threading.Event().wait(0.01)
