"""A form that is sent twice is carried out once; every form of the console that changes something
has the token for it.
"""

import io
import json
import re
import threading
import uuid
from pathlib import Path

from support import plain_sql
from support.cast import text
from support.tables import each_of

from svc.console import sent_forms as console_forms
from svc.domain.people import sent_forms
from svc.domain.productions import productions

TEMPLATES = Path(console_forms.__file__).with_name("templates")
FORM = re.compile(r"<form\b[^>]*>", re.I)


def number_of(table: str) -> int:
    return plain_sql.one(f"SELECT count(*) FROM {table}")[0]


def token_of(page: str) -> str:
    tokens = set(re.findall(r'name="once" value="([^"]+)"', page))
    assert len(tokens) == 1
    return tokens.pop()


def brief(partner, **more) -> dict:
    names = ("languageId", "countryId", "avatarId")
    return {
        "account": partner.seeded["sandboxAccountId"],
        "topic": "Tides",
        **{name: partner.seeded[name] for name in names},
        **more,
    }


@each_of("path", sorted(TEMPLATES.glob("*.html")))
def test_every_form_that_changes_something_has_the_token_of_its_page(path):
    source = path.read_text()
    for form in FORM.finditer(source):
        if 'method="post"' in form[0]:
            rest = source[form.end() :].lstrip()
            assert re.match(r"\{\{ (csrf|csrf_field)\(\) \}\}", rest), (path.name, form[0])
    assert 'name="csrf_token"' not in source and len(
        re.findall(r"macro csrf\(\)[^\n]*\{\{ csrf_field\(\) \}\}", source)
    ) == (source.count("macro csrf()"))


def test_a_second_press_gets_the_production_of_the_first(owner, partner):
    form = brief(partner, once=token_of(text(owner.get("/console/productions/new"))))
    first, second = (owner.post("/console/productions/new", form) for _ in range(2))
    assert (first.status_code, second.status_code) == (303, 303)
    assert first.location == second.location and number_of("productions") == 1
    assert "You sent this form twice; it was carried out once." in text(owner.get(second.location))


def test_other_fields_are_another_form(owner, partner):
    token = str(uuid.uuid4())
    first = owner.post("/console/productions/new", brief(partner, once=token))
    second = owner.post("/console/productions/new", brief(partner, once=token, topic="Winds"))
    assert first.location != second.location and number_of("productions") == 2


def test_another_file_is_another_form_and_the_same_file_is_the_same(operator, partner):
    path, token = f"/console/accounts/{partner.account}/pictures", str(uuid.uuid4())

    def send(content: bytes) -> int:
        return operator.post(
            path, {"once": token, "name": "x.png", "picture": (io.BytesIO(content), "x.png")}
        ).status_code

    assert [send(b"one"), send(b"two")] == [400, 400]
    assert number_of("sent_forms") == 0


def test_a_form_that_was_refused_can_be_sent_again(owner, partner, app):
    token = str(uuid.uuid4())
    refused = owner.post("/console/productions/new", brief(partner, once=token, topic=""))
    assert refused.status_code == 400 and number_of("sent_forms") == 0
    assert owner.post("/console/productions/new", brief(partner, once=token)).status_code == 303


def test_the_same_token_of_somebody_else_is_another_form(owner, operator, partner):
    form = brief(partner, once=str(uuid.uuid4()))
    assert (
        owner.post("/console/productions/new", form).location
        != operator.post("/console/productions/new", form).location
    )


def test_two_presses_at_the_same_time_make_one_production(owner, partner, monkeypatch):
    form, triggering, go_on, answers = (
        brief(partner, once=str(uuid.uuid4())),
        threading.Event(),
        threading.Event(),
        [],
    )
    monkeypatch.setattr(
        "svc.domain.productions.admin.productions.screen_before_trigger", _held(triggering, go_on)
    )
    other = owner.app.test_client()
    other._cookies = owner.client._cookies
    sent = {**form, "csrf_token": owner.token()}
    first = threading.Thread(
        target=lambda: answers.append(other.post("/console/productions/new", data=sent))
    )
    first.start()
    assert triggering.wait(60)
    monkeypatch.setattr(console_forms, "_waiting", lambda seconds: go_on.set() or first.join(60))
    answers.append(owner.post("/console/productions/new", form))
    first.join(60)
    assert {each.status_code for each in answers} == {303}
    assert len({each.location for each in answers}) == 1 and number_of("productions") == 1


def _held(begun: threading.Event, go_on: threading.Event):
    screen = productions.screen_before_trigger

    def held(*given):
        begun.set()
        assert go_on.wait(60)
        return screen(*given)

    return held


def test_a_form_whose_action_broke_off_is_not_carried_out_again(owner, partner, monkeypatch):
    token = str(uuid.uuid4())

    def break_off(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("svc.domain.productions.admin.productions.screen_before_trigger", break_off)
    assert owner.post("/console/productions/new", brief(partner, once=token)).status_code == 500
    monkeypatch.undo()
    again = owner.post("/console/productions/new", brief(partner, once=token))
    assert again.status_code == 409 and "Look in the list" in text(again)
    assert number_of("productions") == 0


def test_a_secret_is_shown_though_the_answer_to_the_first_press_never_arrived(owner):
    form = {
        "name": "Mine",
        "scopes": ["productions:read"],
        "once": str(uuid.uuid4()),
        "expires": "",
        "ranges": "",
    }
    jar = dict(owner.client._cookies.items())
    owner.post("/console/settings/keys", form)
    owner.client._cookies.update(jar)  # the browser has let the first answer go
    owner.post("/console/settings/keys", form)
    assert re.search("svc_test_[A-Za-z0-9_-]{20}", text(owner.get("/console/settings/keys")))
    assert plain_sql.one("SELECT count(*) FROM api_keys WHERE name = 'Mine'")[0] == 1
    assert "svc_test_" not in json.dumps(
        [each["answer"] for each in plain_sql.rows("SELECT answer FROM sent_forms")]
    )


def test_sent_forms_are_bounded_and_go_after_a_day(owner, partner, clock, monkeypatch):
    monkeypatch.setattr(sent_forms, "MOST", 2)
    for number in range(4):
        clock.tick()
        owner.post(
            "/console/productions/new",
            brief(partner, once=str(uuid.uuid4()), topic=f"Tide {number}"),
        )
    assert number_of("sent_forms") == 2
    sent_forms.prune(clock() + sent_forms.LIFETIME)
    assert number_of("sent_forms") == 0
