"""Every page of the console answers, for each role, with nothing there and with something;
and to strangers with nothing.
"""

import re

import pytest
from support.cast import body, text

from svc.base import steps
from svc.domain.lifecycle import completion_estimates
from svc.domain.productions import detail as production_detail
from svc.store.database import db

EMPTY = (
    "/console/",
    "/console/now",
    "/console/productions/",
    "/console/webhooks/",
    "/console/requests/",
    "/console/usage/",
)


def paths(partner, busy) -> list[str]:
    hook = busy["subscription"]
    delivery = body(partner.get(f"/v1/webhooks/{hook}/deliveries"))["data"][0]["deliveryId"]
    return [
        f"/console/productions/{busy['done']}",
        f"/console/productions/{busy['running']}",
        f"/console/productions/{busy['running']}/live?seen=Producing-",
        f"/console/webhooks/{hook}",
        f"/console/webhooks/{hook}/deliveries/{delivery}",
        f"/console/webhooks/{hook}/deliveries/{delivery}/live",
        "/console/requests/1",
    ]


@pytest.mark.parametrize("path", EMPTY)
@pytest.mark.parametrize("role", ["operator", "owner", "member"])
def test_a_page_of_an_empty_service(request, role, path):
    assert request.getfixturevalue(role).get(path).status_code == 200


def test_a_page_says_where_it_stands(owner, busy):
    page = text(owner.get(f"/console/productions/{busy['done']}"))
    assert '<a href="/console/productions/" dir="auto">Productions</a>' in page
    assert '<span aria-current="page" dir="auto">Tides</span>' in page
    assert "<title>Tides · Partner Production</title>" in page


def test_notes_are_shown_as_markdown_that_can_do_no_harm(owner, busy, partner):
    page = text(owner.get(f"/console/productions/{busy['done']}"))
    assert "<h3>Moon</h3>" in page and "<li>a &lt;b&gt;point&lt;/b&gt;</li>" in page
    nasty = (
        "[x](javascript:alert(1)) ![p](https://evil.example/p.png) <img src=x> "
        "<script>alert(1)</script> [y](https://a.example)"
    )
    made = body(partner.trigger(topic="<script>alert(2)</script>", metadataMD=nasty))[
        "productionId"
    ]
    page = text(owner.get(f"/console/productions/{made}"))
    for bad in ("<script>alert", 'href="javascript', "<img"):
        assert bad not in page
    assert 'href="https://a.example" rel="nofollow noopener noreferrer"' in page


def test_the_live_part_says_when_nothing_has_changed_and_sends_what_has(owner, busy):
    place = f"/console/productions/{busy['running']}"
    seen = re.search(r"live\?seen=([\w.-]+)", text(owner.get(place)))[1]
    assert owner.get(f"{place}/live?seen={seen}").status_code == 204
    changed = text(owner.get(f"{place}/live?seen=0-Producing-1-0"))
    assert 'id="live"' in changed and 'hx-swap-oob="true"' in changed
    assert (
        "hx-get"
        not in text(owner.get(f"/console/productions/{busy['done']}"))
        .partition('id="live"')[2]
        .partition(">")[0]
    )


def test_pages_of_a_busy_partner(operator, owner, member, partner, busy):
    for path in (*EMPTY, *paths(partner, busy)):
        for somebody in (operator, owner, member):
            assert somebody.get(path).status_code == 200, path


def test_the_time_left_is_what_earlier_productions_took_and_says_when_it_was_wrong(
    owner, partner, clock
):
    with db.transaction():
        for name, _ in steps.STEPS:
            completion_estimates.record_duration(name, 20, 60_000)
    made = body(partner.trigger())
    page = text(owner.get(f"/console/productions/{made['productionId']}"))
    assert "About 7 min left" in page and made["estimatedCompletionAt"] in page
    clock.tick(600)
    assert "longer than estimated" in text(
        owner.get(f"/console/productions/{made['productionId']}/live?seen=Queued-")
    )


def test_nothing_is_said_of_the_time_left_before_anything_is_known(owner, partner):
    made = body(partner.trigger())["productionId"]
    assert 'id="ready"' not in text(owner.get(f"/console/productions/{made}"))


@pytest.mark.parametrize("by_htmx", [False, True])
def test_a_page_that_fails_shows_the_correlation_id_that_it_asks_for(
    owner, busy, monkeypatch, by_htmx
):
    monkeypatch.setattr(production_detail, "list_publications", lambda _: 1 / 0)
    headers = {"HX-Request": "true"} if by_htmx else {}
    answer = owner.get(f"/console/productions/{busy['done']}", headers=headers)
    assert answer.status_code == 500
    assert "Quote the correlation id" in text(answer)
    assert f"{answer.headers['X-Correlation-Id']}</code>" in text(answer)
    assert f'data-copy="{answer.headers["X-Correlation-Id"]}"' in text(answer)


def test_the_correlation_id_of_a_production_can_be_copied(owner, partner):
    triggered = partner.trigger()
    page = text(owner.get(f"/console/productions/{body(triggered)['productionId']}"))
    assert f'data-copy="{triggered.headers["X-Correlation-Id"]}"' in page


def test_a_page_that_refuses_shows_no_correlation_id(owner):
    answer = owner.get("/console/productions/no-such-thing")
    assert answer.status_code == 404 and answer.headers["X-Correlation-Id"] not in text(answer)
