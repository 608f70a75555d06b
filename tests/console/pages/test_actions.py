"""What people do in the console to productions and webhooks: by role and state,
with entries in the audit log.
"""

import json
import re
import time

import pytest
from support import plain_sql
from support.cast import body, text
from support.outbox import answer, claim, exhaust
from support.stage import complete_steps, make

from svc.domain.audit import audit
from svc.domain.lifecycle import endings
from svc.domain.paging import Page
from svc.domain.people import users
from svc.store.database import db

URL = "https://93.184.215.14/hooks"


@pytest.fixture
def waiting(partner, clock) -> str:
    """A live production that awaits its release."""
    production = body(partner.live().trigger())["productionId"]
    complete_steps(clock, made=[make()])
    return production


@pytest.fixture
def hook(partner) -> str:
    asked = {"endpointUrl": URL, "eventTypes": ["production.queued"]}
    return body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]


def entries() -> list[tuple[str, str]]:
    return [
        (each["action"], each["actor"])
        for each in audit.list_page(Page())["data"]
        if each["action"] != "user.add"
    ]


def status(production: str) -> str:
    return plain_sql.row("SELECT status FROM productions WHERE id = ?", (production,))[0]


def form(partner, **changes) -> dict:
    return {
        "account": partner.seeded["sandboxAccountId"],
        **partner.brief(),
        "metadataMD": "",
        **changes,
    }


def test_an_operator_releases(operator, waiting):
    assert operator.post(f"/console/productions/{waiting}/release").status_code == 303
    assert plain_sql.row("SELECT released_at FROM productions WHERE id = ?", (waiting,))[0]
    assert entries() == [("production.release", users.get(operator.user_id)["email"])]


def test_what_does_not_wait_cannot_be_released(operator, partner):
    production = body(partner.live().trigger())["productionId"]
    refused = operator.post(f"/console/productions/{production}/release")
    assert refused.status_code == 409
    assert "awaits its release" in text(refused)
    assert entries() == []


def test_an_operator_rejects_with_a_reason(operator, waiting):
    operator.post(f"/console/productions/{waiting}/reject", {"reason": "Not true."})
    row = plain_sql.row(
        "SELECT status, error_code, error_message FROM productions WHERE id = ?", (waiting,)
    )
    assert tuple(row) == ("Failed", "REJECTED_BY_OPERATOR", "Not true.")
    assert entries()[0][0] == "production.reject"


def test_a_rejection_without_a_reason_changes_nothing(operator, waiting):
    answer = operator.post(f"/console/productions/{waiting}/reject", {"reason": "  "})
    assert (answer.status_code, "Give 1 to 500 characters" in text(answer)) == (400, True)
    assert status(waiting) == "AwaitingApproval"


@pytest.mark.parametrize("action", ["release", "reject"])
def test_nobody_of_the_partner_releases_or_rejects(owner, member, waiting, action):
    for somebody in (owner, member):
        assert (
            somebody.post(f"/console/productions/{waiting}/{action}", {"reason": "x"}).status_code
            == 403
        )
    assert status(waiting) == "AwaitingApproval"
    assert "Release" not in text(owner.get(f"/console/productions/{waiting}"))


def test_an_owner_cancels_and_a_member_does_not(owner, member, waiting):
    assert member.post(f"/console/productions/{waiting}/cancel").status_code == 403
    assert owner.post(f"/console/productions/{waiting}/cancel").status_code == 303
    assert plain_sql.row("SELECT cancel_requested_at FROM productions WHERE id = ?", (waiting,))[0]
    assert entries()[0][0] == "production.cancel"


def test_an_owner_triggers_in_a_sandbox_what_no_api_call_asked_for(owner, partner):
    made = owner.post(
        "/console/productions/new",
        form(partner, topic="Typed\r\nhere", metadataMD="# One\r\n\r\nTwo"),
    )
    production = made.headers["Location"].rpartition("/")[2]
    shown = body(partner.get(f"/v1/productions/{production}"))
    assert (shown["apiTriggered"], shown["expiresAt"]) == (False, None)
    assert (shown["topic"], shown["metadataMD"]) == ("Typed\nhere", "# One\n\nTwo")
    assert entries()[0][0] == "production.trigger"


def test_the_form_asks_for_notes_where_no_model_writes_scripts(owner, partner, monkeypatch):
    page, call = "/console/productions/new", "/console/productions/new/call"
    assert "its title alone" in text(owner.get(page))
    assert "Send them in Notes" in text(owner.post(call, form(partner, topic="Tea", metadataMD="")))
    assert "title alone" not in text(
        owner.post(call, form(partner, topic="Tea", metadataMD="Boil it."))
    )
    monkeypatch.setattr("svc.console.brief_form.has_model", lambda: True)
    assert "its title alone" not in text(owner.get(page))
    assert "title alone" not in text(owner.post(call, form(partner, topic="Tea", metadataMD="")))


def test_an_owner_triggers_nothing_live_and_an_operator_does(owner, operator, partner):
    live = form(partner, account=partner.seeded["liveAccountId"])
    assert owner.post("/console/productions/new", live).status_code == 403
    assert operator.post("/console/productions/new", live).status_code == 303


def test_what_is_wrong_with_a_brief_stands_beside_the_field(owner, partner):
    refused = owner.post(
        "/console/productions/new",
        form(partner, topic=" ", avatarId="nobody", subjectOverride="x" * 201),
    )
    page = text(refused)
    assert refused.status_code == 400
    assert 'id="f-topic-error">Give 1 to 500 characters' in page
    assert 'id="f-subjectOverride-error">Give 0 to 200 characters' in page
    assert plain_sql.row("SELECT count(*) FROM productions")[0] == 0


def test_a_gate_refuses_the_form_as_it_refuses_the_api(owner, partner):
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, 'tides', 0, 0)"
        )
    refused = owner.post("/console/productions/new", form(partner))
    assert refused.status_code == 409
    assert "How tides work" in text(refused)  # what was typed is still there


def test_a_project_type_that_needs_a_subject_says_so_beside_it(owner, partner):
    refused = owner.post("/console/productions/new", form(partner, projectTypeSlug="news-brief"))
    assert (refused.status_code, "f-subjectOverride-error" in text(refused)) == (422, True)


def test_the_form_and_the_page_of_a_production_show_what_its_brief_lacks(owner, partner):
    lacking = form(partner, topic="Tea", metadataMD="![a boat](boat.png)")
    assert "no picture named" in text(owner.post("/console/productions/new/call", lacking))
    alone = form(partner, topic="Tea", metadataMD="# Tea\r\n\r\n---")
    assert "The notes say nothing but the topic" in text(
        owner.post("/console/productions/new/call", alone)
    )
    titled = form(
        partner,
        topic="Tea",
        metadataMD="# News: A view",
        projectTypeSlug="news-brief",
        subjectOverride="A view",
    )
    with db.transaction():
        plain_sql.execute(
            "UPDATE project_types SET title_template = 'News: {subject}' WHERE slug = 'news-brief'"
        )
    assert "The notes say nothing but the topic" in text(
        owner.post("/console/productions/new/call", titled)
    )
    made = owner.post("/console/productions/new", lacking)
    assert "no picture named" in text(owner.get(made.headers["Location"]))
    assert "About the brief" not in text(
        owner.post("/console/productions/new/call", form(partner, topic="Tea", metadataMD="x"))
    )


def test_the_call_beside_the_form_is_code_whatever_is_typed(owner, partner):
    nasty = """'; rm -rf / #"</script><b>\u2028"""
    page = text(owner.post("/console/productions/new/call", form(partner, topic=nasty)))
    assert "<b>" not in page and "</script>" not in page
    assert "curl" in page and "requests.post" in page and "await fetch" in page


def test_a_failed_production_is_retried_as_one_that_names_it(owner, operator, partner, clock):
    failed = body(partner.trigger(metadataMD="# Again"))["productionId"]
    # it is not failed yet
    assert owner.post(f"/console/productions/{failed}/retry").status_code == 303
    assert plain_sql.row("SELECT count(*) FROM productions")[0] == 1
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Failed', finished_at = ? WHERE id = ?",
            (clock(), failed),
        )
    again = (
        owner.post(f"/console/productions/{failed}/retry").headers["Location"].rpartition("/")[2]
    )
    assert body(partner.get(f"/v1/productions/{again}"))["metadataMD"] == "# Again"
    assert f"/console/productions/{failed}" in text(owner.get(f"/console/productions/{again}"))
    assert f"/console/productions/{again}" in text(owner.get(f"/console/productions/{failed}"))
    assert entries()[0][0] == "production.retry"


def test_a_live_one_is_retried_by_operators_alone(owner, operator, partner, clock):
    failed = body(partner.live().trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Failed', finished_at = ? WHERE id = ?",
            (clock(), failed),
        )
    assert owner.post(f"/console/productions/{failed}/retry").status_code == 403
    assert (
        operator.post(f"/console/productions/{failed}/retry").headers["Location"]
        != f"/console/productions/{failed}"
    )


def test_a_webhook_is_made_with_a_secret_that_is_shown_once(owner, partner):
    given = {"endpointUrl": URL, "eventTypes": ["production.queued"], "creator": ""}
    made = owner.post("/console/webhooks/new", given)
    page = text(owner.get(made.headers["Location"]))
    [listed] = body(partner.live().get("/v1/webhooks"))["data"]
    assert listed["endpointUrl"] == URL
    secret = page.partition('id="secret">')[2].partition("<")[0]
    assert len(secret) == 43
    # a reload shows nothing
    assert (
        owner.get(made.headers["Location"]).headers["Location"].endswith(listed["subscriptionId"])
    )
    assert secret not in text(owner.get(f"/console/webhooks/{listed['subscriptionId']}"))
    assert entries()[0][0] == "webhook.add" and secret not in json.dumps(
        audit.list_page(Page())["data"]
    )


def test_what_is_wrong_with_a_webhook_stands_beside_the_field(owner):
    page = text(
        owner.post(
            "/console/webhooks/new",
            {"endpointUrl": "http://10.0.0.1/", "eventTypes": ["production.queued"]},
        )
    )
    assert 'id="f-endpointUrl-error"' in page
    page = text(owner.post("/console/webhooks/new", {"endpointUrl": URL}))
    assert "Name at least one event type" in page


def is_failing(page: str) -> bool:
    """Return whether a page says of a webhook that it fails, besides offering it as a filter."""
    return "ailing" in re.sub("<option.*?</option>", "", page)


def test_an_endpoint_that_fails_is_shown_as_failing_everywhere_from_its_first_failed_attempt_on(
    owner, operator, partner, hook, clock
):
    pages = ("/console/", "/console/now", "/console/webhooks/", f"/console/webhooks/{hook}")
    for who in (owner, operator):
        assert not any(is_failing(text(who.get(page))) for page in pages)
        assert "Every endpoint is fine" in text(who.get("/console/"))
    partner.trigger()
    answer(claim(clock()), clock(), 500)
    for who in (owner, operator):
        assert "Every endpoint is fine" not in text(who.get("/console/"))
        assert all(is_failing(text(who.get(page))) for page in pages[:3]), who
        assert "Attempts have failed" in text(who.get(pages[3]))
    answer(claim(clock.tick(1)), clock(), 200)
    assert all(
        "Every endpoint is fine" in text(each.get("/console/now")) for each in (owner, operator)
    )


def test_a_stranger_hears_nothing_of_an_endpoint_that_fails(
    somebody, stranger, partner, hook, clock
):
    partner.trigger()
    answer(claim(clock()), clock(), 500)
    page = text(somebody("owner", stranger.seeded["partnerId"]).get("/console/"))
    assert "Every endpoint is fine" in page and URL not in page


def test_a_signing_secret_is_rolled_and_shown_once(owner, partner, hook):
    page = text(
        owner.get(
            owner.post(f"/console/webhooks/{hook}/secret/roll", {"overlapHours": "2"}).headers[
                "Location"
            ]
        )
    )
    assert "also signs until" in page
    secret = page.partition('<code id="secret">')[2].partition("<")[0]
    assert len(secret) == 43 and "whsec_" in page
    shown = text(owner.get(f"/console/webhooks/{hook}"))
    assert secret not in shown and "an older secret also signs until" in shown
    assert entries()[0][0] == "webhook.roll-secret" and secret not in json.dumps(
        audit.list_page(Page())["data"]
    )
    rolled = owner.post(f"/console/webhooks/{hook}/secret/roll", {"overlapHours": "0"})
    assert "no longer signs" in text(owner.get(rolled.headers["Location"]))


@pytest.mark.parametrize("hours", ["", "x", "-1", "169", "9" * 400, "²"])
def test_an_overlap_that_is_none_is_refused_in_words(owner, hook, hours):
    owner.post(f"/console/webhooks/{hook}/secret/roll", {"overlapHours": hours})
    assert "overlapHours must be a whole number" in text(owner.get(f"/console/webhooks/{hook}"))
    assert plain_sql.row("SELECT secret_generation FROM subscriptions")[0] == 0


def test_a_member_rolls_no_secret(member, hook):
    assert (
        member.post(f"/console/webhooks/{hook}/secret/roll", {"overlapHours": "0"}).status_code
        == 403
    )


def test_the_event_of_a_cancel_and_a_ping_carries_the_correlation_id_of_the_page(
    owner, partner, hook, clock
):
    production = body(partner.trigger())["productionId"]
    named = {"headers": {"X-Correlation-Id": "from-the-page"}}
    owner.post(f"/console/productions/{production}/cancel", **named)
    endings.finish_cancel(production, clock())
    assert (
        body(partner.get(f"/v1/productions/{production}/events"))["data"][-1]["correlationId"]
        == "from-the-page"
    )
    owner.post(f"/console/webhooks/{hook}/ping", **named)
    sent = plain_sql.row("SELECT body FROM deliveries WHERE sequence = 0")["body"]
    assert json.loads(sent)["correlationId"] == "from-the-page"


def test_a_name_that_cannot_be_looked_up_just_now_is_said_beside_the_field_at_once(
    owner, partner, shares
):
    shares.set_threads(8)
    for _ in range(shares.waiting_limit):
        shares.begin_background_work(partner.seeded["partnerId"])
    given = {"endpointUrl": "https://slow.example/x", "eventTypes": ["production.queued"]}
    refused = owner.post("/console/webhooks/new", given)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
    assert "host names that are looked up slowly" in text(refused)


def test_a_member_makes_no_webhook(member):
    assert member.get("/console/webhooks/new").status_code == 403
    assert member.post("/console/webhooks/new", {"endpointUrl": URL}).status_code == 403


def test_a_failed_delivery_is_sent_again(owner, partner, hook, clock):
    partner.trigger()
    clock.at = exhaust(clock())
    [failed] = body(partner.get(f"/v1/webhooks/{hook}/deliveries?status=Failed"))["data"]
    page = text(owner.get(f"/console/webhooks/{hook}/deliveries/{failed['deliveryId']}"))
    assert page.count("answered with status 500") == 4
    assert "X-SERVICE-Signature: sha256=" in page
    owner.post(f"/console/webhooks/{hook}/deliveries/{failed['deliveryId']}/redeliver")
    answer(claim(clock()), clock())
    [again] = body(partner.get(f"/v1/webhooks/{hook}/deliveries?status=Succeeded"))["data"]
    assert again["deliveryId"] == failed["deliveryId"]
    assert entries()[0][0] == "webhook.redeliver"


def test_a_suspended_webhook_is_reinstated_and_what_it_missed_is_replayed(
    owner, partner, hook, clock
):
    with db.transaction():
        plain_sql.execute(
            "UPDATE subscriptions SET status = 'Failed', failure_count = 10 WHERE id = ?", (hook,)
        )
    began = clock()
    partner.trigger()  # skipped
    assert "suspended" in text(owner.get(f"/console/webhooks/{hook}"))
    owner.post(f"/console/webhooks/{hook}/reinstate")
    clock.tick(60)
    when = {"from": "2026-11-21T11:00", "to": "", "missed": "1"}
    owner.post(f"/console/webhooks/{hook}/replay", when)
    assert "1 delivery is sent again" in text(owner.get(f"/console/webhooks/{hook}"))
    assert len(claim(clock())) == 1 and began
    assert [each[0] for each in entries()[:2]] == ["webhook.replay", "webhook.reinstate"]


def test_a_period_that_ends_with_a_second_has_all_of_it(owner, partner, hook, clock):
    """The page shows ``12:00:00 UTC`` of what happened half a second later."""
    clock.tick(0.5)
    partner.trigger()
    answer(claim(clock()), clock(), 200)
    clock.tick(60)

    def replay(until):
        when = {"from": "2026-11-21T11:00", "to": until, "missed": ""}
        owner.post(f"/console/webhooks/{hook}/replay", when)
        return len(claim(clock()))

    shown = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(clock() // 1000 - 60))
    assert replay(f"{shown}.000") == 0
    assert replay(shown) == 1


def test_a_replay_of_no_time_says_what_would_be_right(owner, hook):
    owner.post(f"/console/webhooks/{hook}/replay", {"from": "yesterday"})
    assert "Give a time such as" in text(owner.get(f"/console/webhooks/{hook}"))


def test_an_owner_reinstates_only_where_the_operator_lets_them(owner, operator, partner, hook):
    with db.transaction():
        plain_sql.execute("UPDATE partners SET self_lifecycle = 0")
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed' WHERE id = ?", (hook,))
    owner.post(f"/console/webhooks/{hook}/reinstate")
    assert "has not enabled" in text(owner.get(f"/console/webhooks/{hook}"))
    operator.post(f"/console/webhooks/{hook}/reinstate")
    assert body(partner.get(f"/v1/webhooks/{hook}"))["status"] == "Active"


def test_a_ping_leads_to_what_it_found_and_a_second_one_waits(owner, hook, clock):
    place = owner.post(f"/console/webhooks/{hook}/ping").headers["Location"]
    assert "webhook.test" in text(owner.get(place))
    owner.post(f"/console/webhooks/{hook}/ping")
    assert "can be pinged once a minute" in text(owner.get(f"/console/webhooks/{hook}"))


def test_a_deleted_webhook_is_gone(owner, hook):
    owner.post(f"/console/webhooks/{hook}/delete")
    assert owner.get(f"/console/webhooks/{hook}").status_code == 404
    assert entries()[0][0] == "webhook.delete"
