"""The review of a script over the API: from the brief that asks for it to the production
that goes on.
"""

from decimal import Decimal

import pytest
from support import plain_sql
from support.cast import body, refused
from support.outbox import claim as taken
from support.scripts import BARS, render, scene, write_script
from support.stage import claim, complete_cancels, complete_steps, make, publish_all

from svc.api import guard
from svc.base import ids
from svc.domain.audit.audit import Actor
from svc.domain.lifecycle import endings, script_review
from svc.domain.partners import admin
from svc.domain.productions import expiry_events, productions, progress
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import event_types
from svc.store.database import db
from svc.work.avatar_previews import AvatarPreviews

US = Actor(None, "the tests")


CHART = scene(2, "", points=["Fundy", "Bristol"], visual=BARS)
WRITTEN = (scene(1, key_phrase="sea rises"), CHART)


def written(clock) -> progress.Claim:
    return write_script(clock, *WRITTEN)


@pytest.fixture
def production(partner, clock) -> str:
    """A production whose script awaits its review."""
    production_id = body(partner.trigger(review="script"))["productionId"]
    written(clock)
    return production_id


def change(partner, production, *scenes, version: int = 1):
    return partner.put(
        f"/v1/productions/{production}/script", json={"version": version, "scenes": list(scenes)}
    )


def approve(partner, production, **given):
    return partner.post(f"/v1/productions/{production}/script/approve", json=given)


def script(partner, production) -> dict:
    return body(partner.get(f"/v1/productions/{production}/script"))


def test_a_script_can_be_read_once_it_is_written(partner, clock):
    production = body(partner.trigger(review="script"))["productionId"]
    refused(partner.get(f"/v1/productions/{production}/script"), 409, "SCRIPT_NOT_READY")
    written(clock)
    found = script(partner, production)
    assert (found["version"], found["review"], len(found["scenes"])) == (1, "Awaited", 2)
    assert (
        found["scenes"][0]["narration"] == "The sea rises towards the moon."
        and found["scenes"][0]["estimatedSeconds"] > 1
    )
    assert found["scenes"][1]["visual"]["kind"] == "bars" and found["estimatedDurationSeconds"] > 6


def test_a_production_that_awaits_its_review_is_held_and_says_why(production, partner, clock):
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["status"], found["holdReason"], found["estimatedCompletionAt"]) == (
        "Producing",
        "ScriptReview",
        None,
    )
    assert claim(clock) is None
    events = body(partner.get(f"/v1/productions/{production}/events"))["data"]
    assert events[-1]["eventType"] == "production.script.ready"
    assert events[-1]["data"] == {
        "status": "Producing",
        "holdReason": "ScriptReview",
        "version": 1,
        "scenes": 2,
    }
    assert [event["sequenceNumber"] for event in events] == [1, 2, 1_000_000_001]


def test_a_subscriber_of_the_documented_events_sees_no_gap_for_those_that_only_some_hear(
    partner, clock
):
    documented = event_types.SPECIFIED_OF_PRODUCTIONS
    for types in (documented, ["production.script.ready"]):
        partner.post(
            "/v1/webhooks", json={"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": types}
        )
    production = body(partner.trigger(review="script"))["productionId"]
    written(clock)
    approve(partner, production)
    complete_steps(clock, 6)
    sent = plain_sql.rows("SELECT event_type, sequence FROM deliveries ORDER BY sequence")
    *numbered, further = [row["sequence"] for row in sent]
    assert numbered == list(range(1, len(numbered) + 1)) and len(numbered) > 4
    assert (further, sent[-1]["event_type"]) == (1_000_000_001, "production.script.ready")


def test_the_events_after_one_are_those_that_happened_after_it_whatever_their_numbers(
    partner, clock
):
    production = body(partner.trigger(review="script"))["productionId"]
    written(clock)
    approve(partner, production)
    complete_steps(clock, 6)
    listed = body(partner.get(f"/v1/productions/{production}/events"))["data"]
    numbers = [each["sequenceNumber"] for each in listed]
    assert numbers[:4] == [1, 2, 1_000_000_001, 3]  # in the order in which they happened
    for at, number in enumerate(numbers):
        found, cursor = [], ""
        while cursor is not None:  # page by page
            page = body(
                partner.get(
                    f"/v1/productions/{production}/events?afterSequence={number}&limit=2{cursor}"
                )
            )
            found += [each["sequenceNumber"] for each in page["data"]]
            cursor = f"&cursor={page['nextCursor']}" if page["hasMore"] else None
        assert found == numbers[at + 1 :], number
    for beyond in (len(numbers), 999_999_999, 1_000_000_000):
        assert (
            body(partner.get(f"/v1/productions/{production}/events?afterSequence={beyond}"))["data"]
            == []
        )


def test_only_webhooks_that_name_the_event_hear_of_a_script(partner, clock):
    for types in (["production.script.ready"], ["production.queued", "production.published"]):
        partner.post(
            "/v1/webhooks", json={"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": types}
        )
    partner.trigger(review="script")
    written(clock)
    sent = plain_sql.rows("SELECT event_type, subscription_id FROM deliveries ORDER BY event_type")
    assert [row["event_type"] for row in sent] == ["production.queued", "production.script.ready"]
    assert sent[0]["subscription_id"] != sent[1]["subscription_id"] and taken(clock.tick(1))


def test_approved_it_goes_on_with_the_next_step(production, partner, clock):
    found = body(approve(partner, production, version=1))
    assert (found["status"], found["holdReason"]) == ("Producing", None)
    held = claim(clock)
    assert (
        held.production_id == production
        and progress.start_step(held, clock())["name"] == "narration"
    )
    assert script(partner, production)["review"] == "Approved"
    assert approve(partner, production).status_code == 202  # again: nothing changes
    assert (
        script_review.find_written_script(production) is not None
    )  # should the work folder be lost
    for _ in range(6):
        progress.complete_step(held, progress.start_step(held, clock()), clock.tick(1), [make()])
    publish_all(clock)
    assert body(partner.get(f"/v1/productions/{production}"))["status"] == "Published"
    assert script_review.find_written_script(production) is None


def test_approval_needs_no_body(production, partner):
    assert partner.post(f"/v1/productions/{production}/script/approve").status_code == 202


def reject(partner, production, **given):
    return partner.post(f"/v1/productions/{production}/script/reject", json=given)


def test_a_rejected_script_ends_its_production_with_the_reason(production, partner, clock):
    partner.post(
        "/v1/webhooks",
        json={"endpointUrl": "https://93.184.215.14/x", "eventTypes": ["production.failed"]},
    )
    found = body(reject(partner, production, version=1, reason=" The figures are last year's. "))
    assert (found["status"], found["errorCode"], found["errorMessage"]) == (
        "Failed",
        "SCRIPT_REJECTED",
        "The figures are last year's.",
    )
    assert [row["event_type"] for row in plain_sql.rows("SELECT event_type FROM deliveries")] == [
        "production.failed"
    ]
    assert body(reject(partner, production)) == found  # the answer to the first was lost
    refused(approve(partner, production), 409, "SCRIPT_CHANGED")
    refused(partner.delete(f"/v1/productions/{production}"), 409, "ALREADY_TERMINAL")
    assert script(partner, production)["review"] is None
    assert plain_sql.one("SELECT settled FROM ledger")[0] == 500_000 // 7  # of the script alone


def test_nobody_reviews_a_script_whose_production_has_ended(partner, clock):
    for _ in range(2):
        partner.trigger(review="script")
    awaited, approved = written(clock).production_id, written(clock).production_id
    unwritten = body(partner.trigger(review="script"))["productionId"]
    approve(partner, approved)
    for production in (awaited, approved, unwritten):
        partner.delete(f"/v1/productions/{production}")
    for end in (lambda: None, lambda: complete_cancels(clock)):  # while they are cancelled, after
        end()
        assert script(partner, awaited)["review"] is None
        assert script(partner, approved)["review"] == "Approved"
        assert body(partner.get(f"/v1/productions/{awaited}"))["holdReason"] is None
        preview = partner.post(f"/v1/productions/{awaited}/script/preview", json={"sceneId": 1})
        assert "its review is over" in refused(preview, 409, "SCRIPT_CHANGED")["message"]
    answer = refused(partner.get(f"/v1/productions/{unwritten}/script"), 404, "NOT_FOUND")
    assert answer["message"] == "The production ended before its script was written."
    for change_ in (approve, reject, lambda *asked: change(*asked, {"sceneId": 1})):
        answer = refused(change_(partner, unwritten), 409, "SCRIPT_CHANGED")
        assert answer["message"] == "The production is Cancelled: its review is over."


def test_a_script_is_rejected_only_while_it_is_under_review(production, partner, clock, stranger):
    refused(reject(partner, production, version=2), 409, "SCRIPT_CHANGED")
    refused(reject(partner, production, reason=""), 400, "INVALID_REQUEST")
    refused(reject(partner, production, reason="x" * 501), 400, "INVALID_REQUEST")
    refused(reject(stranger, production), 404, "NOT_FOUND")
    approve(partner, production)
    refused(reject(partner, production), 409, "SCRIPT_CHANGED")
    other = body(partner.trigger(review="script"))["productionId"]
    refused(reject(partner, other), 409, "SCRIPT_NOT_READY")


def test_a_production_that_is_being_cancelled_is_not_rejected(production, partner, clock):
    partner.delete(f"/v1/productions/{production}")
    refused(reject(partner, production), 409, "SCRIPT_CHANGED")


def test_scenes_are_changed_moved_added_and_removed(production, partner):
    new = {"heading": "A guest", "narration": "A lion waits. It is hungry.", "picture": "lion"}
    found = body(change(partner, production, new, {"sceneId": 1, "narration": "Nobody sleeps."}))
    assert [(each["sceneId"], each["narration"]) for each in found["scenes"]] == [
        (3, "A lion waits. It is hungry."),
        (1, "Nobody sleeps."),
    ]
    assert found["version"] == 2
    assert found["scenes"][1]["keyPhrase"] is None  # it was of the narration that is gone
    again = body(
        change(partner, production, {"narration": "Another one."}, {"sceneId": 1}, version=2)
    )
    assert [each["sceneId"] for each in again["scenes"]] == [4, 1]
    assert [edit["scene"] for edit in script_review.find_edits(production)] == [4, 1]


def test_what_is_left_out_stays_as_it_is(production, partner):
    found = body(change(partner, production, {"sceneId": 1, "heading": "The moon"}, {"sceneId": 2}))
    assert found["scenes"][0] | {"heading": ""} == body_scene(WRITTEN[0], found["scenes"][0])
    assert found["scenes"][1]["visual"] == CHART["visual"]


def body_scene(stored: dict, shown: dict) -> dict:
    return {
        "sceneId": stored["scene"],
        "heading": "",
        "narration": stored["narration"],
        "points": stored["points"],
        "keyPhrase": stored["key_phrase"],
        "picture": "",
        "visual": stored["visual"],
        "estimatedSeconds": shown["estimatedSeconds"],
        "estimatedCost": 0.0,
    }


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"sceneId": 9}, "no such scene"),
        ({"narration": "  "}, "says nothing"),
        ({"sceneId": 1, "narration": ""}, "says nothing"),
        ({"sceneId": 2, "points": ["Fundy"]}, "belong to its bars"),
        ({"sceneId": 1, "keyPhrase": "no such words"}, "word by word"),
    ],
)
def test_a_scene_that_cannot_be_is_refused_with_the_reason(production, partner, wrong, said):
    found = refused(change(partner, production, wrong), 400, "INVALID_REQUEST")
    assert said in found["fields"]["scenes[0]"][0]
    assert script(partner, production)["version"] == 1


def test_a_heading_may_be_the_key_phrase_of_its_scene(production, partner):
    answer = change(
        partner,
        production,
        {"sceneId": 1, "heading": "The moon pulls", "keyPhrase": "the  moon pulls"},
    )
    assert answer.status_code == 200
    assert script(partner, production)["version"] == 2
    wrong = {"sceneId": 1, "heading": "The moon pulls", "keyPhrase": "moon pulls"}
    assert refused(change(partner, production, wrong, version=2), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "scenes",
    [
        [],
        [{"sceneId": 1}] * 101,
        [{"sceneId": "1"}],
        [{"sceneId": True}],
        [{"narration": "x" * 1201}],
        [{"points": ["a"] * 6}],
        [{"sceneId": 1, "visual": {}}],
        "all",
        [{"narration": "a\x00b"}],
    ],
)
def test_a_body_that_is_no_script_is_refused(production, partner, scenes):
    answer = partner.put(
        f"/v1/productions/{production}/script", json={"version": 1, "scenes": scenes}
    )
    refused(answer, 400, "INVALID_REQUEST")


def test_a_scene_is_there_once(production, partner):
    refused(change(partner, production, {"sceneId": 1}, {"sceneId": 1}), 400, "INVALID_REQUEST")


def test_a_scene_is_heard_before_it_is_made(production, partner, app, monkeypatch, tmp_path):
    film = tmp_path / "sample-x.mp4"
    film.write_bytes(b"film")
    asked = []
    monkeypatch.setattr(
        AvatarPreviews,
        "render_scene",
        lambda self, production, scene, owner, seconds: asked.append((production, scene)) or film,
    )
    url = f"/v1/productions/{production}/script/preview"
    assert body(partner.post(url, json={"sceneId": 2})) == {
        "sceneId": 2,
        "mediaType": "video/mp4",
        "content": "ZmlsbQ==",
    }
    assert asked == [(production, 2)]
    with guard.refuse_parallel(("preview", partner.seeded["partnerId"]), "busy"):
        assert (
            refused(partner.post(url, json={"sceneId": 2}), 429, "RATE_LIMIT_EXCEEDED")[
                "retryAfterSeconds"
            ]
            == 5
        )
    monkeypatch.setattr(AvatarPreviews, "render_scene", lambda *_: None)  # it is still being made
    assert (
        refused(partner.post(url, json={"sceneId": 2}), 429, "RATE_LIMIT_EXCEEDED")[
            "retryAfterSeconds"
        ]
        == 5
    )
    for wrong in ({}, {"sceneId": 0}, {"sceneId": "1"}):
        refused(partner.post(url, json=wrong), 400, "INVALID_REQUEST")


def test_only_a_scene_that_is_under_review_is_heard(production, partner, stranger):
    url = f"/v1/productions/{production}/script/preview"
    refused(partner.post(url, json={"sceneId": 9}), 404, "NOT_FOUND")
    refused(stranger.post(url, json={"sceneId": 1}), 404, "NOT_FOUND")
    approve(partner, production)
    refused(partner.post(url, json={"sceneId": 1}), 409, "SCRIPT_CHANGED")


def test_of_two_reviewers_the_second_reads_it_again(production, partner):
    assert change(partner, production, {"sceneId": 1}).status_code == 200
    refused(change(partner, production, {"sceneId": 2}), 409, "SCRIPT_CHANGED")
    refused(approve(partner, production, version=1), 409, "SCRIPT_CHANGED")
    assert approve(partner, production, version=2).status_code == 202
    refused(change(partner, production, {"sceneId": 1}, version=2), 409, "SCRIPT_CHANGED")
    refused(change(partner, production, {"sceneId": 1}, version=7), 409, "SCRIPT_CHANGED")


def test_a_change_whose_answer_was_lost_is_sent_again(production, partner):
    given = {"sceneId": 1, "narration": "Nobody sleeps."}, {"narration": "One more."}
    first, second = change(partner, production, *given), change(partner, production, *given)
    assert body(first) == body(second) and body(second)["version"] == 2


def test_a_sensitivity_rule_applies_to_what_the_reviewer_writes(production, partner, clock):
    with db.transaction():
        row = ("r", "operator", None, "secret recipe", clock())
        plain_sql.execute("INSERT INTO sensitivity_rules VALUES (?, ?, ?, ?, ?, 0)", row)
    split = {"sceneId": 1, "narration": "This is a secret"}, {"narration": "recipe of ours."}
    refused(change(partner, production, *split), 409, "SENSITIVITY_RULE_SUPPRESSED")
    assert script(partner, production)["version"] == 1


def test_another_partner_neither_reads_nor_approves_it(production, stranger):
    for answer in (
        stranger.get(f"/v1/productions/{production}/script"),
        change(stranger, production, {"sceneId": 1}),
        approve(stranger, production),
    ):
        refused(answer, 404, "NOT_FOUND")


def test_a_production_without_a_review_has_no_script_to_read(partner, clock):
    production = body(partner.trigger())["productionId"]
    written(clock)
    refused(partner.get(f"/v1/productions/{production}/script"), 404, "NOT_FOUND")
    preview = partner.post(f"/v1/productions/{production}/script/preview", json={"sceneId": 1})
    for answer in (
        approve(partner, production),
        reject(partner, production),
        change(partner, production, {"sceneId": 1}),
        preview,
    ):
        assert "Nobody reviews" in refused(answer, 409, "SCRIPT_CHANGED")["message"]
    assert (
        claim(clock) is not None
        and body(partner.get(f"/v1/productions/{production}"))["holdReason"] is None
    )


def test_the_account_s_default_is_taken_unless_the_brief_says_otherwise(partner, clock):
    admin.change(US, admin.ACCOUNT, partner.account, {"script_review": "on"}, clock())
    asked = [
        body(partner.trigger(**given))["productionId"]
        for given in ({}, {"review": "none"}, {"review": None})
    ]
    assert [script_review.is_review_wanted(each) for each in asked] == [True, False, True]
    refused(partner.trigger(review="scenes"), 400, "INVALID_REQUEST")


def test_a_cancelled_production_is_no_longer_reviewed(production, partner, clock):
    assert productions.request_cancel(production, clock())
    refused(approve(partner, production), 409, "SCRIPT_CHANGED")
    refused(change(partner, production, {"sceneId": 1}), 409, "SCRIPT_CHANGED")
    assert endings.finish_cancel(production, clock())
    refused(approve(partner, production), 409, "SCRIPT_CHANGED")
    assert body(partner.get(f"/v1/productions/{production}"))["holdReason"] is None


def events_of(partner, production: str, name: str) -> list[dict]:
    listed = body(partner.get(f"/v1/productions/{production}/events"))["data"]
    return [event for event in listed if event["eventType"] == name]


def test_who_names_the_event_hears_once_of_a_script_that_expires_soon(production, partner, clock):
    url = "https://93.184.215.14/hooks"
    for types in (["production.expiring"], event_types.SPECIFIED_OF_PRODUCTIONS):
        partner.post("/v1/webhooks", json={"endpointUrl": url, "eventTypes": types})
    expires_at = plain_sql.one("SELECT expires_at FROM productions")["expires_at"]
    soon = expires_at - 12 * 3600 * 1000
    assert expiry_events.record_events(soon - 1, 72) == 0
    assert expiry_events.record_events(soon, 72) == 1
    assert expiry_events.record_events(soon + 60_000, 72) == 0
    [event] = events_of(partner, production, "production.expiring")
    assert event["data"] == {
        "status": "Producing",
        "holdReason": "ScriptReview",
        "expiresAt": body(partner.get(f"/v1/productions/{production}"))["expiresAt"],
    }
    assert event["sequenceNumber"] == event_types.FURTHER_NUMBERS + 2  # after the script's own
    sent = plain_sql.rows("SELECT event_type FROM deliveries")
    assert [row["event_type"] for row in sent] == ["production.expiring"]


def test_nobody_hears_of_what_awaits_nobody_is_being_cancelled_or_has_expired(
    production, partner, clock
):
    expires_at = plain_sql.one("SELECT expires_at FROM productions")["expires_at"]
    assert expiry_events.record_events(expires_at, 72) == 0
    partner.delete(f"/v1/productions/{production}")
    other = body(partner.trigger(review="script"))["productionId"]
    assert expiry_events.record_events(expires_at - 1, 72) == 0  # its script is not written yet
    written(clock)
    approve(partner, other)
    assert expiry_events.record_events(expires_at - 1, 72) == 0


def test_a_review_after_another_one_is_told_of_too(production, partner, clock):
    expires_at = plain_sql.one("SELECT expires_at FROM productions")["expires_at"]
    assert expiry_events.record_events(expires_at - 1, 72) == 1
    row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (production,))
    with db.transaction():  # as when its script is reopened
        script_review.record_ready_event(row, 1, "[]", clock())
    assert expiry_events.record_events(expires_at - 1, 72) == 1
    assert expiry_events.record_events(expires_at - 1, 72) == 0


def test_a_script_that_nobody_approves_expires_with_its_production(production, partner, clock):
    clock.tick(73 * 3600)
    assert endings.expire_unreleased(clock()) == 1
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["status"], found["errorCode"]) == ("Failed", "EXPIRED")


@pytest.mark.parametrize(("hold", "goes_on"), [("Producing", False), ("AwaitingApproval", True)])
def test_a_scenario_of_the_sandbox_holds_where_it_would_have_held(partner, clock, hold, goes_on):
    matter = f"---\nsandbox:\n  holdIn: {hold}\n---\n\nThe sea."
    production = body(partner.trigger(review="script", metadataMD=matter))["productionId"]
    if goes_on:
        written(clock)
        assert claim(clock) is None
        assert approve(partner, production).status_code == 202
        complete_steps(clock, 6)
        assert body(partner.get(f"/v1/productions/{production}"))["status"] == "AwaitingApproval"
    else:
        written(clock)
        assert approve(partner, production).status_code == 202
        assert (
            claim(clock) is None
            and body(partner.get(f"/v1/productions/{production}"))["holdReason"] is None
        )


def test_the_same_key_for_another_review_is_another_request(partner):
    headers = {"Idempotency-Key": "order-1"}
    assert partner.trigger(headers=headers, review="script").status_code == 202
    refused(partner.trigger(headers=headers), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_batch_and_a_template_ask_for_a_review(partner):
    items = [partner.brief(review="script"), partner.brief()]
    batch = body(partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": items}))
    reviews = [
        row["review"] for row in plain_sql.rows("SELECT review FROM productions ORDER BY id")
    ]
    assert batch["counts"]["queued"] == 2 and sorted(reviews, key=str) == [None, "Requested"]
    brief = {
        name: value
        for name, value in partner.brief(review="script").items()
        if name != "externalId"
    }
    template = body(
        partner.post(
            f"/v1/accounts/{partner.account}/templates",
            json={"name": "T", "brief": brief, "variables": []},
        )
    )
    made = partner.post(
        f"/v1/accounts/{partner.account}/templates/{template['templateId']}/productions", json={}
    )
    assert script_review.is_review_wanted(body(made)["productionId"])


def test_the_script_says_what_a_model_would_charge_for_speaking_it(production):
    found = script_review.represent(
        script_review.find_script(production), Prices(speech=Decimal(1000))
    )
    costs = [each["estimatedCost"] for each in found["scenes"]]
    assert (
        costs[0] == pytest.approx(len(" The sea rises towards the moon.") * 1000 / 1_000_000)
        and costs[1] > 0
    )
    assert found["estimatedCost"] >= sum(costs)


def changed_to(partner, production, version: int) -> None:
    """Bring a script to a version, each of which adds a scene and removes the one that
    was added before.
    """
    latest = script(partner, production)["version"]
    for number in range(latest, version):
        new = {"narration": f"The scene of version {number + 1}."}
        assert change(partner, production, {"sceneId": 1}, new, version=number).status_code == 200


def test_a_change_reads_as_much_after_many_versions_as_after_a_few(
    production, partner, monkeypatch
):
    engine = db
    read, all_rows, first_row = [], engine.rows, engine.row

    def rows(sql, parameters=()):
        found = all_rows(sql, parameters)
        if "scripts" in sql:
            read.extend(found)
        return found

    def row(sql, parameters=()):
        found = first_row(sql, parameters)
        if "scripts" in sql and found is not None:
            read.append(found)
        return found

    counts = []
    for version in (4, 8, 16):
        changed_to(partner, production, version)
        read.clear()
        with monkeypatch.context() as patched:
            patched.setattr(engine, "rows", rows)
            patched.setattr(engine, "row", row)
            changed_to(partner, production, version + 1)
        counts.append(len(read))
    assert len(set(counts)) == 1 and counts[0] <= 5


def test_the_first_and_the_newest_versions_of_a_script_are_kept(production, partner, monkeypatch):
    monkeypatch.setattr(script_review, "MOST_VERSIONS", 3)
    changed_to(partner, production, 8)
    kept = [
        row["version"] for row in plain_sql.rows("SELECT version FROM scripts ORDER BY version")
    ]
    assert kept == [1, 6, 7, 8]
    assert script_review.find_written_script(production) is not None
    for stale in (1, 3, 7):
        refused(change(partner, production, {"sceneId": 1}, version=stale), 409, "SCRIPT_CHANGED")


def test_a_scene_gets_no_number_that_one_of_a_version_had_which_is_not_kept(
    production, partner, monkeypatch
):
    monkeypatch.setattr(script_review, "MOST_VERSIONS", 1)
    changed_to(partner, production, 6)
    # 3 to 6 are of versions 2 to 5
    assert [each["sceneId"] for each in script(partner, production)["scenes"]] == [1, 7]
    for version, more in ((6, []), (7, []), (8, [{"narration": "One more."}])):
        assert (
            change(partner, production, {"sceneId": 1}, *more, version=version).status_code == 200
        )
    assert [each["sceneId"] for each in script(partner, production)["scenes"]] == [1, 8]


def test_a_change_of_a_script_that_is_not_under_review_says_why(partner, clock):
    url = "/v1/productions/{}/script"
    unreviewed = body(partner.live().trigger(review="none"))["productionId"]
    render(clock)
    approved, cancelled = (body(partner.trigger(review="script"))["productionId"] for _ in "ab")
    write_script(clock, scene(1))
    write_script(clock, scene(1))
    approve(partner, approved)
    partner.delete(f"/v1/productions/{cancelled}")

    def messages(who, production: str, *ways: str) -> set[str]:
        answers = [who.post(f"{url.format(production)}/{way}") for way in ways]
        answers.append(change(who, production, {"sceneId": 1}))
        return {refused(answer, 409, "SCRIPT_CHANGED")["message"] for answer in answers}

    [nobody] = messages(partner.live(), unreviewed, "approve", "reject")
    assert nobody.startswith("Nobody reviews this script")
    over = "its review is over."
    assert messages(partner, approved, "reject") == {f"The script is approved already: {over}"}
    both = ("approve", "reject")
    assert messages(partner, cancelled, *both) == {f"The production is being cancelled: {over}"}
    complete_cancels(clock)
    assert messages(partner, cancelled, *both) == {f"The production is Cancelled: {over}"}


def test_a_script_whose_brief_awaits_its_translation_says_so(partner):
    spanish = ids.derive_id("language", "es")
    first = body(partner.trigger(review="script", languageIds=[spanish]))
    url = f"/v1/accounts/{first['accountId']}/productions?groupId={first['groupId']}"
    [awaited] = [
        each["productionId"]
        for each in body(partner.get(url))["data"]
        if each["holdReason"] == "Translation"
    ]
    answer = refused(partner.get(f"/v1/productions/{awaited}/script"), 409, "SCRIPT_NOT_READY")
    assert answer["message"] == "The script is written once the brief is translated."
