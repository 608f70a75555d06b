"""The filters of lists that a person saves by a name: shown above the list,
that person's alone, and removed.
"""

import html
import re

import pytest
from support import plain_sql
from support.cast import text

from svc.base.errors import InvalidRequest
from svc.console import saved_filters as lists
from svc.domain.people import saved_filters
from svc.domain.people.saved_filters import LONGEST_NAME, MOST
from svc.store.database import db

LIST = "/console/productions/"


def save(browser, name: str, query: str, list_name: str = "productions"):
    return browser.post("/console/filters/", {"list": list_name, "name": name, "query": query})


def shown(browser, at: str = LIST) -> dict[str, tuple[str, bool]]:
    """The saved filters above a list: where each leads, and whether it is the present one."""
    page = text(browser.get(at))
    part = re.search(r'<ul aria-label="Saved filters">.*?</ul>', page, re.S)
    found = (
        re.findall(r'<a href="([^"]+)"( aria-current="true")? dir="auto">([^<]+)</a>', part[0])
        if part
        else []
    )
    return {
        html.unescape(name): (html.unescape(place), bool(current)) for place, current, name in found
    }


def test_present_filters_are_saved_seen_above_the_list_and_removed(owner):
    at = f"{LIST}?status=Failed&sort=oldest&cursor=&nonsense=1"
    page = text(owner.get(at))
    form = re.search(r'<details class="save">.*?</details>', page, re.S)[0]
    query = html.unescape(re.search(r'name="query" value="([^"]*)"', form)[1])
    assert query == "status=Failed&sort=oldest" and 'name="list" value="productions"' in form
    saved = save(owner, "  What  failed ", query)
    assert (saved.status_code, saved.headers["Location"]) == (303, f"{LIST}?{query}")
    page = text(owner.get(f"{LIST}?sort=oldest&status=Failed"))
    assert (
        "The filters are saved as “What failed”." in page and '<details class="save">' not in page
    )
    assert shown(owner, f"{LIST}?{query}") == {"What failed": (f"{LIST}?{query}", True)}
    assert shown(owner) == {"What failed": (f"{LIST}?{query}", False)}
    owner.post(
        "/console/filters/remove", {"list": "productions", "name": "What failed", "query": ""}
    )
    assert shown(owner) == {}


def test_a_list_without_filters_offers_to_save_none(owner):
    assert 'class="saved"' not in text(owner.get(LIST))
    assert '<details class="save">' in text(owner.get(f"{LIST}?q=tides"))


def test_what_a_person_saves_is_theirs_alone_and_members_save_too(owner, member, operator):
    for browser, name in ((owner, "Mine"), (member, "A member's"), (operator, "An operator's")):
        save(browser, name, "q=tides")
    assert [list(shown(each)) for each in (owner, member, operator)] == [
        ["Mine"],
        ["A member's"],
        ["An operator's"],
    ]
    owner.post(
        "/console/filters/remove", {"list": "productions", "name": "A member's", "query": ""}
    )
    assert "These saved filters are no longer there." in text(owner.get(LIST))
    assert list(shown(member)) == ["A member's"]


def test_the_same_name_takes_the_place_of_the_earlier_filters_of_that_list_alone(owner):
    save(owner, "Mine", "q=tides")
    save(owner, "Mine", "q=winds")
    save(owner, "Mine", "status=4", "requests")
    assert shown(owner) == {"Mine": (f"{LIST}?q=winds", False)}
    assert shown(owner, "/console/requests/") == {"Mine": ("/console/requests/?status=4", False)}
    assert shown(owner, "/console/webhooks/") == {}


@pytest.mark.parametrize("list_name", lists.LISTS)
def test_every_list_shows_what_was_saved_for_it(operator, list_name):
    names = lists.LISTS[list_name].names
    query = lists.extract_filters(list_name, "&".join(f"{name}=newest" for name in names))
    save(operator, "All of them", query, list_name)
    place = lists.LISTS[list_name].endpoint
    at = next(rule.rule for rule in operator.app.url_map.iter_rules() if rule.endpoint == place)
    assert shown(operator, at) == {"All of them": (f"{at}?{query}", False)}
    assert set(re.findall(r"(\w+)=newest", query)) == set(names)


@pytest.mark.parametrize(
    ("name", "query", "message"),
    [
        ("", "q=x", "Give the filters a name."),
        (" \u202e ", "q=x", "Give the filters a name."),
        (
            "x" * (LONGEST_NAME + 1),
            "q=x",
            f"A name has at most {LONGEST_NAME} characters; this one has 61: xxx",
        ),
        ("Mine", "", "no filters now that could be saved"),
        ("Mine", "cursor=abc&to=", "no filters now that could be saved"),
        ("Mine", "q=" + "x" * 2000, "too long to be saved"),
    ],
)
def test_what_cannot_be_saved_is_said(owner, name, query, message):
    assert save(owner, name, query).status_code == 303
    assert message in text(owner.get(LIST)) and shown(owner) == {}


def test_there_is_a_limit_for_each_list_which_a_change_of_saved_ones_does_not_meet(owner):
    for number in range(MOST):
        saved_filters.save(owner.user_id, "productions", f"Number {number}", "q=x", 1)
    with pytest.raises(InvalidRequest, match="at most 20 saved filters"):
        saved_filters.save(owner.user_id, "productions", "One more", "q=x", 1)
    saved_filters.save(owner.user_id, "productions", "Number 3", "q=y", 1)
    saved_filters.save(owner.user_id, "webhooks", "One more", "q=x", 1)
    assert len(saved_filters.list_saved(owner.user_id, "productions")) == MOST


def test_an_unknown_list_is_none(owner):
    assert save(owner, "Mine", "q=x", "sessions").status_code == 404
    assert owner.post("/console/filters/remove", {"list": "", "name": "Mine"}).status_code == 404
    assert (
        owner.post("/console/filters/remove", {"list": "requests", "name": "\x00"}).status_code
        == 303
    )


def test_a_saved_filter_leads_nowhere_else(owner):
    save(owner, "<b>bold</b>", "q=<i>&next=https://evil.example&partner=%00")
    page = text(owner.get(LIST))
    assert "<b>bold</b>" not in page and "evil.example" not in page and "&lt;b&gt;bold" in page
    assert shown(owner) == {"<b>bold</b>": (f"{LIST}?q=%3Ci%3E&partner=%00", False)}


def test_people_of_a_partner_that_is_suspended_may_save_theirs(owner, partner):
    with db.transaction():
        plain_sql.execute(
            "UPDATE partners SET status = 'Suspended' WHERE id = ?", (partner.seeded["partnerId"],)
        )
    save(owner, "Mine", "q=tides")
    assert list(shown(owner)) == ["Mine"]
