"""The page that answers a form has an address that can be opened anew: by its user, for an hour."""

import pytest
from support import plain_sql
from support.cast import text

from svc.base import clock as wall_clock
from svc.domain.people import kept_forms


def answered(browser, path: str, form: dict):
    """The redirect that a form is answered by."""
    answer = browser.client.post(path, data={**form, "csrf_token": browser.token()})
    assert answer.status_code == 303 and answer.location.startswith("/console/kept/")
    return answer


def test_a_refused_form_leads_to_its_page_which_can_be_opened_again(operator):
    place = answered(operator, "/console/partners", {"name": ""}).location
    for _ in range(2):
        page = operator.get(place)
        assert page.status_code == 400 and "<title>Error: Partners" in text(page)
        assert "data-unsaved" in text(page) and "Content-Security-Policy" in page.headers


def test_what_access_control_refuses_stores_nothing(operator, member):
    member.post("/console/partners", {"name": "x"})
    operator.client.post("/console/partners", data={"name": ""})  # without its token
    assert plain_sql.one("SELECT count(*) FROM kept_forms")[0] == 0


@pytest.mark.parametrize("path", ["/console/accounts/nobody", "/console/nowhere"])
def test_a_page_that_only_says_no_can_be_opened_again(operator, path):
    assert operator.get(answered(operator, path, {}).location).status_code == 404


def test_it_is_nobody_elses_and_goes_after_an_hour(operator, owner, clock):
    place = answered(operator, "/console/partners", {"name": ""}).location
    assert owner.get(place).status_code == 303
    clock.tick(3600)
    again = operator.get(place)
    assert again.status_code == 303 and "no longer kept" in text(operator.get(again.location))


def test_what_is_kept_is_sealed_and_limited(operator, clock):
    for _ in range(kept_forms.MOST + 3):
        answered(operator, "/console/partners", {"name": "", "tier": "Standard"})
    rows = plain_sql.rows("SELECT sealed FROM kept_forms")
    assert len(rows) == kept_forms.MOST and not any(b"Partners" in bytes(row[0]) for row in rows)
    clock.tick(wall_clock.HOUR / 1000)
    kept_forms.prune(clock())
    assert plain_sql.one("SELECT count(*) FROM kept_forms")[0] == 0


def test_a_page_that_is_too_large_to_be_kept_answers_the_form_itself(operator, monkeypatch):
    monkeypatch.setattr(kept_forms, "LARGEST", 10)
    assert operator.post("/console/partners", {"name": ""}).status_code == 400


def test_a_part_of_a_page_is_answered_itself(operator, partner):
    path = f"/console/avatars/{partner.seeded['avatarId']}/sample"
    sent = operator.post(path, {"language": "nowhere"}, headers={"HX-Request": "true"})
    assert sent.status_code == 400
