"""Batches over the API: brief by brief or all of them, once for each key, followed, cancelled,
and heard of at their end.
"""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import plain_sql
from support.cast import Person, body, refused
from support.scripts import scene, write_script
from support.stage import complete_cancels, complete_steps, publish_all

from svc.api import guard
from svc.base import ids
from svc.base.clock import format_time
from svc.base.errors import ServiceUnavailable
from svc.domain.briefing import batches
from svc.domain.lifecycle import batch_endings, batch_rows, endings, gates, lifecycle, script_review
from svc.domain.lifecycle.lifecycle import Cause
from svc.domain.productions import productions, retention
from svc.domain.usage.model_costs import Prices
from svc.store.database import db

URL = "https://93.184.215.14/hooks"


def order(person, *changes, key=None, mode=None, account="sandboxAccountId"):
    items = [{**person.brief(), **change} for change in changes]
    asked = {"items": items} | ({"mode": mode} if mode else {})
    headers = {"Idempotency-Key": key} if key else {}
    return person.post(
        f"/v1/accounts/{person.seeded[account]}/batches", json=asked, headers=headers
    )


def briefs(number: int) -> list[dict]:
    return [{"topic": f"Topic {each}", "externalId": f"order-{each}"} for each in range(number)]


def items(person, batch: dict) -> list[dict]:
    return body(person.get(f"/v1/batches/{batch['batchId']}/items?limit=100"))["data"]


def number_of_productions() -> int:
    return plain_sql.one("SELECT count(*) FROM productions")[0]


def test_each_brief_is_accepted_or_refused_by_itself(partner):
    answer = order(
        partner, *briefs(2), {"avatarId": partner.seeded["partnerId"]}, {"topic": "Four"}
    )
    batch = body(answer)
    assert (
        answer.status_code == 202
        and answer.headers["Location"] == f"/v1/batches/{batch['batchId']}"
    )
    assert (batch["status"], batch["size"], batch["mode"]) == ("Open", 4, "each")
    assert (batch["counts"]["queued"], batch["counts"]["refused"], batch["counts"]["pending"]) == (
        3,
        1,
        0,
    )
    listed = items(partner, batch)
    assert [each["position"] for each in listed] == [0, 1, 2, 3] and listed[1][
        "externalId"
    ] == "order-1"
    assert (
        listed[2]["refusal"]["error"] == "INVALID_REQUEST"
        and "avatarId" in listed[2]["refusal"]["message"]
        and f"GET /v1/accounts/{partner.account} lists" in listed[2]["refusal"]["message"]
    )
    for each in listed[:2]:
        assert body(partner.get(f"/v1/productions/{each['productionId']}"))["apiTriggered"] is True
    assert body(partner.get(answer.headers["Location"])) == batch
    assert body(partner.get(f"/v1/accounts/{batch['accountId']}/batches"))["data"] == [batch]


def test_each_item_names_its_topic_whatever_became_of_its_brief(partner, clock):
    ceiling(1)
    unknown = partner.seeded["partnerId"]
    batch = body(
        order(partner, *briefs(1), {"topic": "Refused", "avatarId": unknown}, {"topic": "Waits"})
    )
    topics = ["Topic 0", "Refused", "Waits"]
    assert [each["topic"] for each in items(partner, batch)] == topics
    end(partner, batch, clock, 0)
    trigger_waiting(clock)
    assert [each["topic"] for each in items(partner, batch)] == topics
    partner.post(f"/v1/batches/{batch['batchId']}/cancel", json={})
    complete_cancels(clock)
    assert [each["topic"] for each in items(partner, batch)] == topics


def test_an_item_names_no_topic_once_its_production_is_removed(partner, clock):
    batch = body(order(partner, *briefs(1), {"topic": "Stays"}))
    end(partner, batch, clock, 0)
    retention.prune_productions(clock.tick(1), clock())
    assert [each["topic"] for each in items(partner, batch)] == [None, "Stays"]
    assert [each["status"] for each in items(partner, batch)] == [None, "Queued"]


@pytest.mark.parametrize(
    "topic",
    [
        "\U0001f30a Tides \U0001f469\u200d\U0001f692",  # of four bytes, and joined
        "\u05d2\u05d0\u05d5\u05ea \u05d5\u05e9\u05e4\u05dc",
        "\u0627\u0644\u0645\u062f \u0648\u0627\u0644\u062c\u0632\u0631",
        '=HYPERLINK("https://evil.example";"x")',
        "<script>alert(1)</script> {{ 7 * 7 }}",
        "'; DROP TABLE batch_items; --",
        "x" * 500,
    ],
)
def test_a_topic_of_any_kind_is_named_as_it_was_sent(partner, topic):
    unknown = partner.seeded["partnerId"]
    batch = body(order(partner, {"topic": topic}, {"topic": topic, "avatarId": unknown}))
    assert [each["topic"] for each in items(partner, batch)] == [topic, topic]


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\ud83c"])
def test_a_topic_with_a_sign_that_no_text_may_have_enters_no_batch(partner, sign):
    refused(order(partner, {"topic": f"Tides {sign}"}), 400, "INVALID_REQUEST")
    assert plain_sql.one("SELECT count(*) FROM batch_items")[0] == 0


def ceiling(number: int | None, of: str = "accounts") -> None:
    with db.transaction():
        plain_sql.execute(f"UPDATE {of} SET concurrency_ceiling = ?", (number,))


def trigger_waiting(clock) -> None:
    """What the engine does each second."""
    batches.trigger_waiting(clock(), 72, Prices())


def end(partner, batch: dict, clock, position: int) -> None:
    partner.delete(f"/v1/productions/{items(partner, batch)[position]['productionId']}")
    complete_cancels(clock)


def states_of(partner, batch: dict) -> list[str]:
    return [
        each["status"] or each["holdReason"] or each["refusal"]["error"]
        for each in items(partner, batch)
    ]


def test_briefs_behind_a_ceiling_wait_in_their_order_until_a_production_ends(partner, clock):
    ceiling(2)
    answer = order(partner, *briefs(4), key="b-1")
    batch = body(answer)
    assert states_of(partner, batch) == ["Queued", "Queued", "ConcurrencyLimit", "ConcurrencyLimit"]
    assert (batch["counts"]["waiting"], batch["counts"]["refused"], batch["counts"]["pending"]) == (
        2,
        0,
        0,
    )
    assert (
        items(partner, batch)[2]["refusal"] is None
        and items(partner, batch)[2]["externalId"] == "order-2"
    )
    assert body(order(partner, *briefs(4), key="b-1"))["batchId"] == batch["batchId"]
    trigger_waiting(clock)
    assert states_of(partner, batch)[2:] == ["ConcurrencyLimit"] * 2  # nothing has ended
    end(partner, batch, clock, 0)
    trigger_waiting(clock)
    assert states_of(partner, batch) == ["Cancelled", "Queued", "Queued", "ConcurrencyLimit"]
    third = body(partner.get(f"/v1/productions/{items(partner, batch)[2]['productionId']}"))
    assert (third["topic"], third["apiTriggered"], third["externalId"]) == (
        "Topic 2",
        True,
        "order-2",
    )


def test_a_batch_with_briefs_that_wait_is_not_finished(partner, clock):
    ceiling(1)
    batch = body(order(partner, *briefs(2)))
    end(partner, batch, clock, 0)
    batch_endings.finish_ended(clock())
    assert body(partner.get(f"/v1/batches/{batch['batchId']}"))["status"] == "Open"
    trigger_waiting(clock)
    end(partner, batch, clock, 1)
    batch_endings.finish_ended(clock())
    assert body(partner.get(f"/v1/batches/{batch['batchId']}"))["status"] == "Finished"


def test_what_waits_is_cancelled_with_its_batch_and_waits_again_when_it_is_resumed(partner, clock):
    ceiling(1)
    batch = body(order(partner, *briefs(3)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    complete_cancels(clock)
    assert states_of(partner, batch) == ["Cancelled"] * 3
    assert body(partner.get(url))["counts"]["cancelled"] == 3
    trigger_waiting(clock)
    assert number_of_productions() == 1 and body(partner.get(url))["status"] == "Finished"
    assert body(partner.post(f"{url}/resume"))["counts"]["waiting"] == 2
    assert states_of(partner, batch) == ["Queued", "ConcurrencyLimit", "ConcurrencyLimit"]


def test_what_another_gate_refuses_by_the_time_of_its_turn_is_refused_and_the_next_has_the_place(
    partner, clock
):
    ceiling(1)
    batch = body(order(partner, {"topic": "One"}, {"topic": "Volcanoes"}, {"topic": "Three"}))
    with db.transaction():
        sql = (
            "INSERT INTO sensitivity_rules (id, scope, phrase, created_at) "
            "VALUES ('r', 'operator', 'volcanoes', 0)"
        )
        plain_sql.execute(sql)
    end(partner, batch, clock, 0)
    trigger_waiting(clock)
    assert states_of(partner, batch) == ["Cancelled", "SENSITIVITY_RULE_SUPPRESSED", "Queued"]


def test_a_customer_s_ceiling_lets_briefs_wait_and_one_of_none_at_all_refuses_them(partner, clock):
    ceiling(1, "customers")
    assert states_of(partner, body(order(partner, *briefs(2)))) == ["Queued", "ConcurrencyLimit"]
    ceiling(0)
    batch = body(order(partner, *briefs(1)))
    assert states_of(partner, batch) == ["CONCURRENCY_LIMIT_REACHED"]
    assert "ceiling of 0" in items(partner, batch)[0]["refusal"]["message"]


def test_a_full_account_is_asked_once_however_many_batches_wait(partner, clock, monkeypatch):
    ceiling(1)
    for _ in range(5):
        order(partner, *briefs(3))
    asked = []
    real = gates.check_concurrency
    monkeypatch.setattr(
        gates, "check_concurrency", lambda *given: asked.append(given) or real(*given)
    )
    screened = []
    monkeypatch.setattr(productions, "screen_before_trigger", lambda *given: screened.append(given))
    trigger_waiting(clock)
    assert len(asked) == 1 and screened == []


def test_an_atomic_batch_that_is_larger_than_a_ceiling_says_so_at_once(partner, monkeypatch):
    for of, name in (("customers", "customer"), ("accounts", "account")):
        ceiling(2, of)
        with monkeypatch.context() as patched:
            patched.setattr(
                productions, "screen_before_trigger", None
            )  # most of the work, and of no use
            found = refused(order(partner, *briefs(3), mode="atomic"), 409, "BATCH_REFUSED")
        assert f"3 productions at once are more than the {name}'s ceiling of 2" in found["message"]
        assert (
            "mode each" in found["message"]
            and "CONCURRENCY_LIMIT_REACHED" in found["fields"]["items"][0]
        )
    languages = {
        "languageIds": [ids.derive_id("language", code) for code in ("es", "fr")],
        "translation": "people",
    }
    alone = refused(partner.trigger(**languages), 409, "CONCURRENCY_LIMIT_REACHED")
    assert "3 productions at once" in alone["message"]  # waiting would not help


def test_of_an_atomic_batch_all_or_none_are_triggered(partner):
    assert partner.trigger().status_code == 202
    tables = ("productions", "batches", "batch_items", "events", "ledger")
    before = [plain_sql.one(f"SELECT count(*) FROM {table}")[0] for table in tables]
    ceiling(4)
    answer = order(
        partner,
        {"topic": "One"},
        {"avatarId": partner.seeded["partnerId"]},
        *briefs(3)[1:],
        mode="atomic",
    )
    found = refused(answer, 409, "BATCH_REFUSED")
    assert (
        set(found["fields"]) == {"items[1]"} and "INVALID_REQUEST" in found["fields"]["items[1]"][0]
    )
    ceiling(3)
    found = refused(order(partner, *briefs(3), mode="atomic"), 409, "BATCH_REFUSED")
    assert set(found["fields"]) == {"items[2]"} and "CONCURRENCY" in found["fields"]["items[2]"][0]
    assert [plain_sql.one(f"SELECT count(*) FROM {table}")[0] for table in tables] == before
    assert body(order(partner, *briefs(2), mode="atomic"))["counts"]["queued"] == 2


@pytest.mark.parametrize("mode", ["each", "atomic"])
def test_a_repeated_request_gets_the_same_batch_and_triggers_nothing_twice(partner, mode):
    first = body(order(partner, *briefs(3), key="b-1", mode=mode))
    again = order(partner, *briefs(3), key="b-1", mode=mode)
    assert (
        body(again) == first
        and again.headers["Idempotent-Replayed"] == "true"
        and number_of_productions() == 3
    )
    refused(order(partner, *briefs(2), key="b-1", mode=mode), 422, "IDEMPOTENCY_KEY_REUSED")
    assert body(order(partner, *briefs(1), key="b-2", mode=mode))["batchId"] != first["batchId"]


def test_after_its_day_a_key_is_free_again(partner, clock):
    first = body(order(partner, *briefs(1), key="b-1"))
    clock.tick(86_400)
    assert body(order(partner, *briefs(2), key="b-1"))["batchId"] != first["batchId"]


def test_a_request_that_was_interrupted_is_continued_by_its_repetition(partner, monkeypatch):
    real, calls = productions.trigger, []

    def fails_at_the_third(*args, **more):
        calls.append(args)
        if len(calls) == 3:
            raise ServiceUnavailable("The disk is full.", retry_after=5)
        return real(*args, **more)

    monkeypatch.setattr(productions, "trigger", fails_at_the_third)
    refused(order(partner, *briefs(5), key="b-1"), 503, "SERVICE_UNAVAILABLE")
    [open_batch] = body(partner.get(f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"))[
        "data"
    ]
    assert (
        open_batch["counts"]["queued"],
        open_batch["counts"]["pending"],
        open_batch["status"],
    ) == (2, 3, "Open")
    batch_endings.finish_ended(2**50)  # what is not handled is not at its end
    monkeypatch.undo()
    found = body(order(partner, *briefs(5), key="b-1"))
    assert (found["batchId"], found["counts"]["queued"], found["counts"]["pending"]) == (
        open_batch["batchId"],
        5,
        0,
    )
    assert [each["externalId"] for each in items(partner, found)] == [
        f"order-{number}" for number in range(5)
    ]
    assert number_of_productions() == 5


def test_of_many_requests_with_one_key_each_brief_is_triggered_once(app, partner):
    def one(_):
        return order(
            Person(app.test_client(), partner.seeded, partner.key), *briefs(4), key="b-1"
        ).status_code

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(one, range(6)))
    assert (
        answers.count(202) >= 1 and set(answers) <= {202, 409, 429} and number_of_productions() == 4
    )


def test_a_batch_is_cancelled_but_for_what_has_ended(partner, clock):
    batch = body(order(partner, *briefs(3)))
    done = items(partner, batch)[0]["productionId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Published', finished_at = ? WHERE id = ?",
            (clock(), done),
        )
    answer = partner.post(f"/v1/batches/{batch['batchId']}/cancel")
    assert answer.status_code == 202 and body(answer)["cancelRequestedAt"] is not None
    asked = dict(
        map(tuple, plain_sql.rows("SELECT id, cancel_requested_at IS NOT NULL FROM productions"))
    )
    assert sorted(asked.values()) == [0, 1, 1] and not asked[done]
    assert partner.post(f"/v1/batches/{batch['batchId']}/cancel").status_code == 202


def test_a_cancelled_batch_is_resumed_with_new_productions_in_the_same_places(partner, clock):
    batch = body(order(partner, *briefs(3), {"avatarId": partner.seeded["partnerId"]}))
    before = [each["productionId"] for each in items(partner, batch)]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Published', finished_at = ? WHERE id = ?",
            (clock(), before[0]),
        )
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    refused(partner.post(f"{url}/resume"), 409, "BATCH_CANCELLING")
    complete_cancels(clock)
    assert body(partner.get(url))["status"] == "Finished"
    resumed = body(partner.post(f"{url}/resume"))
    assert (resumed["status"], resumed["cancelRequestedAt"], resumed["counts"]["queued"]) == (
        "Open",
        None,
        2,
    )
    after = [each["productionId"] for each in items(partner, resumed)]
    assert after[0] == before[0] and after[3] is None and not set(after[1:3]) & set(before)
    found = body(partner.get(f"/v1/productions/{after[1]}"))
    assert (found["topic"], found["externalId"], found["status"]) == (
        "Topic 1",
        "order-1",
        "Queued",
    )
    # nothing is left to resume
    assert body(partner.post(f"{url}/resume")) == resumed and number_of_productions() == 5


def test_a_batch_that_was_not_cancelled_is_not_resumed(partner, clock):
    batch = body(order(partner, *briefs(2)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.delete(f"/v1/productions/{items(partner, batch)[0]['productionId']}")
    complete_cancels(clock)
    refused(partner.post(f"{url}/resume"), 409, "BATCH_NOT_CANCELLED")
    assert number_of_productions() == 2


def test_what_was_cancelled_by_itself_or_rejected_stays_so_when_its_batch_is_resumed(
    partner, clock
):
    batch = body(order(partner, *[{**each, "review": "script"} for each in briefs(4)]))
    url, listed = (
        f"/v1/batches/{batch['batchId']}",
        [each["productionId"] for each in items(partner, batch)],
    )
    for _ in range(4):
        write_script(clock, scene(1))
    assert (
        partner.post(
            f"/v1/productions/{listed[0]}/script/reject", json={"reason": "Out of date."}
        ).status_code
        == 200
    )
    # and this cancel is not complete when that of the batch begins
    partner.delete(f"/v1/productions/{listed[1]}")
    partner.post(f"{url}/cancel")
    complete_cancels(clock)
    resumed = body(partner.post(f"{url}/resume"))
    assert {name: number for name, number in resumed["counts"].items() if number} == {
        "failed": 1,
        "cancelled": 1,
        "queued": 2,
    }
    after = [each["productionId"] for each in items(partner, resumed)]
    assert after[:2] == listed[:2] and not set(after[2:]) & set(listed)
    assert body(partner.post(f"{url}/resume")) == resumed  # repeated, it finds nothing more


def test_a_production_that_is_cancelled_by_itself_after_the_resumption_is_not_revived_by_another(
    partner, clock
):
    batch = body(order(partner, *briefs(2)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    complete_cancels(clock)
    partner.post(f"{url}/resume")
    alone = items(partner, batch)[0]["productionId"]
    partner.delete(f"/v1/productions/{alone}")
    complete_cancels(clock)
    partner.post(f"{url}/cancel")
    complete_cancels(clock)
    assert body(partner.post(f"{url}/resume"))["counts"]["queued"] == 1
    assert items(partner, batch)[0] | {"refusal": None} == items(partner, batch)[0]
    assert items(partner, batch)[0]["productionId"] == alone


def test_a_script_that_was_taken_over_is_not_reviewed_once_its_production_is_cancelled(
    partner, clock
):
    batch = body(order(partner, *[{**each, "review": "script"} for each in briefs(1)]))
    url = f"/v1/batches/{batch['batchId']}"
    write_script(clock, scene(1))
    for _ in range(2):
        partner.post(f"{url}/cancel")
        complete_cancels(clock)
        (ended,) = [each["productionId"] for each in items(partner, batch)]
        assert body(partner.get(f"/v1/productions/{ended}/script"))["review"] is None
        partner.post(f"{url}/resume")


def test_a_resumed_production_goes_on_with_its_script_its_edits_and_its_approval(partner, clock):
    batch = body(order(partner, *[{**each, "review": "script"} for each in briefs(3)]))
    url, listed = (
        f"/v1/batches/{batch['batchId']}",
        [each["productionId"] for each in items(partner, batch)],
    )
    # the third has no script yet
    first = [write_script(clock, scene(1)).production_id for _ in range(2)]
    changed = {"version": 1, "scenes": [{"sceneId": 1, "narration": "The sea falls twice a day."}]}
    for each in first:
        assert partner.put(f"/v1/productions/{each}/script", json=changed).status_code == 200
    assert partner.post(f"/v1/productions/{first[1]}/script/approve", json={}).status_code == 202
    partner.post(f"{url}/cancel")
    complete_cancels(clock)
    partner.post(f"{url}/resume")
    new = dict(zip(listed, [each["productionId"] for each in items(partner, batch)], strict=True))
    edited, approved, unwritten = (new.pop(each) for each in (*first, *(set(listed) - set(first))))
    refused(partner.get(f"/v1/productions/{edited}/script"), 409, "SCRIPT_NOT_READY")
    while plain_sql.row(
        "SELECT 1 FROM productions WHERE review = 'Requested' AND status = 'Queued'"
    ):
        write_script(clock, scene(1, "Written anew."))
    shown = [
        body(partner.get(f"/v1/productions/{each}/script"))
        for each in (edited, approved, unwritten)
    ]
    assert [(each["version"], each["review"]) for each in shown] == [
        (2, "Awaited"),
        (2, "Approved"),
        (1, "Awaited"),
    ]
    assert [each["scenes"][0]["narration"] for each in shown] == [
        "The sea falls twice a day."
    ] * 2 + ["Written anew."]
    assert body(partner.get(f"/v1/productions/{approved}"))["holdReason"] is None
    assert body(partner.get(f"/v1/productions/{edited}"))["holdReason"] == "ScriptReview"
    assert script_review.find_edits(approved)[0]["narration"] == "The sea falls twice a day."
    kept = dict(
        map(
            tuple,
            plain_sql.rows(
                "SELECT production_id, written IS NOT NULL FROM scripts WHERE version = 1"
            ),
        )
    )
    assert kept == {first[0]: 0, first[1]: 0, edited: 1, approved: 1, unwritten: 1}
    assert (
        partner.post(f"/v1/productions/{edited}/script/approve", json={"version": 2}).status_code
        == 202
    )


def test_only_what_may_be_resumed_is_kept_of_a_cancelled_production(partner, clock):
    alone = body(partner.trigger(review="script"))["productionId"]
    batch = body(order(partner, {"review": "script"}))
    [in_batch] = [each["productionId"] for each in items(partner, batch)]
    for _ in range(2):
        write_script(clock, scene(1))
    partner.delete(f"/v1/productions/{alone}")
    partner.post(f"/v1/batches/{batch['batchId']}/cancel")
    complete_cancels(clock)
    assert (
        script_review.find_written_script(alone) is None
        and script_review.find_written_script(in_batch) is not None
    )


def test_a_batch_is_resumed_as_far_as_the_gates_let_it_and_goes_on_later(partner, clock):
    batch = body(order(partner, *briefs(3)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    complete_cancels(clock)
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 2")
    refused(partner.post(f"{url}/resume"), 409, "CONCURRENCY_LIMIT_REACHED")
    assert (counts := body(partner.get(url))["counts"])["queued"] == 2 and counts["cancelled"] == 1
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = NULL")
    assert body(partner.post(f"{url}/resume"))["counts"]["queued"] == 3


def test_a_brief_that_awaits_its_translation_awaits_it_again_when_it_is_resumed(partner, clock):
    spanish = ids.derive_id("language", "es")
    batch = body(order(partner, {"languageIds": [spanish]}))
    group = body(partner.get(f"/v1/productions/{items(partner, batch)[0]['productionId']}"))[
        "groupId"
    ]
    partner.post(f"/v1/batches/{batch['batchId']}/cancel")
    complete_cancels(clock)
    partner.post(f"/v1/batches/{batch['batchId']}/resume")
    found = [
        body(partner.get(f"/v1/productions/{each['productionId']}"))
        for each in items(partner, batch)
    ]
    assert [each["holdReason"] for each in found] == [None, "Translation"]
    assert {each["groupId"] for each in found} == {group} and found[1]["languageId"] == spanish


def test_the_end_of_a_batch_is_told_once_to_those_who_named_the_event(partner, clock):
    for types in (["batch.completed"], ["production.queued"]):
        partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": types})
    batch = body(order(partner, *briefs(2)))
    complete_steps(clock)
    batch_endings.finish_ended(clock())
    assert body(partner.get(f"/v1/batches/{batch['batchId']}"))["status"] == "Open"
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Failed' WHERE status = 'Queued'")
        plain_sql.execute("UPDATE productions SET status = 'Published' WHERE status <> 'Failed'")
    for _ in range(2):
        batch_endings.finish_ended(clock())
    [sent] = plain_sql.rows(
        "SELECT body, status FROM deliveries WHERE event_type = 'batch.completed'"
    )
    envelope = json.loads(sent["body"])
    assert (
        envelope["data"]["batchId"] == envelope["productionId"] == batch["batchId"]
        and sent["status"] == "Pending"
    )
    assert (envelope["data"]["counts"]["published"], envelope["data"]["counts"]["failed"]) == (1, 1)
    found = body(partner.get(f"/v1/batches/{batch['batchId']}"))
    assert found["status"] == "Finished" and found["finishedAt"] is not None


def publish(partner, clock) -> None:
    complete_steps(clock)
    publish_all(clock)


def expire(partner, clock) -> None:
    clock.tick(73 * 3600)
    assert endings.expire_unreleased(clock()) == 1


def cancel_it(partner, clock) -> None:
    [production] = plain_sql.rows("SELECT id FROM productions WHERE status = 'Queued'")
    partner.delete(f"/v1/productions/{production['id']}")
    complete_cancels(clock)


@pytest.mark.parametrize(
    "end_one, counted", [(publish, "published"), (expire, "failed"), (cancel_it, "cancelled")]
)
def test_the_end_of_the_last_production_is_that_of_its_batch(end_one, counted, partner, clock):
    partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["batch.completed"]})
    batch = body(order(partner, *briefs(2)))
    [first, _] = [item["productionId"] for item in items(partner, batch)]
    lifecycle_end = "UPDATE productions SET status = 'Failed', finished_at = 1 WHERE id = ?"
    with db.transaction():
        plain_sql.execute(lifecycle_end, (first,))
    assert body(partner.get(f"/v1/batches/{batch['batchId']}"))["status"] == "Open"
    end_one(partner, clock)
    found = body(partner.get(f"/v1/batches/{batch['batchId']}"))
    assert (found["status"], found["finishedAt"]) == ("Finished", format_time(clock()))
    batch_endings.finish_ended(clock())  # which finds nothing any more
    [sent] = plain_sql.rows("SELECT body FROM deliveries WHERE event_type = 'batch.completed'")
    assert json.loads(sent["body"])["data"]["counts"][counted] >= 1


def test_the_refusal_of_the_last_row_that_waits_is_the_end_of_its_batch(partner, clock):
    ceiling(1)
    batch = body(order(partner, *briefs(2)))
    end(partner, batch, clock, 0)
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules (id, scope, phrase, created_at) "
            "VALUES ('r', 'operator', 'topic', 0)"
        )
    trigger_waiting(clock)
    found = body(partner.get(f"/v1/batches/{batch['batchId']}"))
    assert (found["status"], found["counts"]["refused"]) == ("Finished", 1)


def test_a_batch_of_which_only_waiting_rows_are_left_ends_with_its_cancellation(partner, clock):
    ceiling(1)
    batch = body(order(partner, *briefs(2)))
    end(partner, batch, clock, 0)
    cancelled = body(partner.post(f"/v1/batches/{batch['batchId']}/cancel"))
    assert cancelled["status"] == "Finished"


def test_a_batch_that_is_resumed_and_ends_again_is_told_under_another_number(partner, clock):
    partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["batch.completed"]})
    batch = body(order(partner, *briefs(1)))["batchId"]
    for _ in range(3):
        partner.post(f"/v1/batches/{batch}/cancel")
        complete_cancels(clock)
        assert partner.post(f"/v1/batches/{batch}/resume").status_code == 202
    found = plain_sql.rows(
        "SELECT production_id, sequence FROM deliveries WHERE event_type = 'batch.completed' "
        "ORDER BY sequence"
    )
    assert [tuple(row) for row in found] == [(batch, 1), (batch, 2), (batch, 3)]


def test_a_batch_has_not_ended_when_the_first_ends_of_those_that_a_request_resumes(
    partner, clock, monkeypatch
):
    partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["batch.completed"]})
    batch = body(order(partner, *briefs(3)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    complete_cancels(clock)
    screen = productions.screen_before_trigger

    def end_those_that_are_open() -> None:
        for row in plain_sql.rows("SELECT id FROM productions WHERE status = 'Queued'"):
            endings.fail_production(row["id"], Cause.EXPIRED, "EXPIRED", "Late.", clock())

    def end_before_the_next(*arguments):
        end_those_that_are_open()
        return screen(*arguments)

    monkeypatch.setattr(productions, "screen_before_trigger", end_before_the_next)
    assert partner.post(f"{url}/resume").status_code == 202
    told = "SELECT body FROM deliveries WHERE event_type = 'batch.completed' ORDER BY sequence"
    assert len(plain_sql.rows(told)) == 1  # of its cancellation
    assert body(partner.get(url))["status"] == "Open"
    end_those_that_are_open()
    [_, ended] = plain_sql.rows(told)
    assert json.loads(ended["body"])["data"]["counts"]["failed"] == 3
    assert body(partner.get(url))["status"] == "Finished"


def test_a_resumption_goes_on_though_the_error_of_another_request_ended_its_own(
    partner, clock, pieces, monkeypatch
):
    batch = body(order(partner, *briefs(4)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    carry_on(clock)
    complete_cancels(clock)
    screen = productions.screen_before_trigger

    def screen_beside_another(*arguments):
        with db.transaction():
            plain_sql.execute("UPDATE batches SET under_way = NULL")
        return screen(*arguments)

    monkeypatch.setattr(productions, "screen_before_trigger", screen_beside_another)
    assert body(partner.post(f"{url}/resume"))["counts"]["queued"] < 4
    monkeypatch.undo()
    carry_on(clock)
    assert body(partner.get(url))["counts"]["queued"] == 4


def test_a_batch_in_which_everything_was_refused_is_at_its_end(partner, clock):
    batch = body(order(partner, {"avatarId": partner.seeded["partnerId"]}))
    assert body(partner.get(f"/v1/batches/{batch['batchId']}"))["status"] == "Finished"


def test_another_partners_batch_is_nowhere(partner, stranger):
    batch = body(order(partner, *briefs(1)))["batchId"]
    for person in (stranger, partner.live()):
        for path in (f"/v1/batches/{batch}", f"/v1/batches/{batch}/items"):
            refused(person.get(path), 404, "NOT_FOUND")
        refused(person.post(f"/v1/batches/{batch}/cancel"), 404, "NOT_FOUND")
        refused(person.post(f"/v1/batches/{batch}/resume"), 404, "NOT_FOUND")
    refused(
        order(Person(partner.client, stranger.seeded, partner.key), *briefs(1)),
        403,
        "INSUFFICIENT_SCOPE",
    )


@pytest.mark.parametrize("number", [0, 1001])
def test_a_batch_has_1_to_1000_items(partner, number):
    found = refused(
        order(partner, *({"topic": "x"} for _ in range(number))), 400, "INVALID_REQUEST"
    )
    assert "items" in found["fields"]


def test_a_brief_that_is_no_brief_is_named_by_its_place(partner):
    found = refused(order(partner, *briefs(1), {"topic": 7}), 400, "INVALID_REQUEST")
    assert list(found["fields"]) == ["items[1].topic"] and number_of_productions() == 0


def test_a_thousand_briefs_are_one_request(partner):
    batch = body(
        order(partner, *({"topic": f"Topic {number}"} for number in range(1000)), mode="atomic")
    )
    assert batch["counts"]["queued"] == 1000
    pages = partner.get(f"/v1/batches/{batch['batchId']}/items?limit=100")
    seen = [each["position"] for each in body(pages)["data"]]
    while body(pages)["hasMore"]:
        pages = partner.get(
            f"/v1/batches/{batch['batchId']}/items?limit=100&cursor={body(pages)['nextCursor']}"
        )
        seen += [each["position"] for each in body(pages)["data"]]
    assert seen == list(range(1000))


def test_the_body_of_a_stranger_is_not_read(app, partner):
    path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"
    large = b" " * (5 * 2**20)
    refused(
        app.test_client().post(path, data=large, content_type="application/json"),
        401,
        "UNAUTHORIZED",
    )
    refused(
        partner.post(path, data=large, content_type="application/json"), 413, "PAYLOAD_TOO_LARGE"
    )
    refused(
        partner.post(path, data=large[: 2**20], content_type="application/json"),
        400,
        "INVALID_REQUEST",
    )


def test_one_batch_of_a_partner_is_read_at_a_time(partner, stranger):
    guard._doing.add(("body", partner.seeded["partnerId"]))
    try:
        assert (
            refused(order(partner, *briefs(1)), 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"]
            == 1
        )
        assert order(stranger, *briefs(1)).status_code == 202
    finally:
        guard._doing.discard(("body", partner.seeded["partnerId"]))
    assert order(partner, *briefs(1)).status_code == 202


def test_batches_are_no_way_around_the_rate_limit(partner, stranger, clock, monkeypatch):
    monkeypatch.setattr(batches, "MOST_A_MINUTE", 5)
    assert order(partner, *briefs(5), key="b-1").status_code == 202
    assert (
        refused(order(partner, *briefs(1)), 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"] == 60
    )
    # a repetition is no further one
    assert order(partner, *briefs(5), key="b-1").status_code == 202
    assert order(stranger, *briefs(5)).status_code == 202 and number_of_productions() == 10
    clock.tick(60)
    assert order(partner, *briefs(5)).status_code == 202


@pytest.fixture
def pieces(monkeypatch):
    """Pieces of two items; how often a cancel was requested and a production triggered."""
    monkeypatch.setattr(batches, "ITEMS_IN_ONE_PIECE", 2)
    calls = Counter()

    def counted(name, call):
        def counting(*args, **how):
            calls[name] += 1
            return call(*args, **how)

        return counting

    monkeypatch.setattr(lifecycle, "request_cancel", counted("cancel", lifecycle.request_cancel))
    monkeypatch.setattr(productions, "trigger", counted("trigger", productions.trigger))
    return calls


def carry_on(clock) -> int:
    """Go on as the engine does, to the end; return the number of rounds."""
    rounds = 0
    while batches.continue_batches(clock(), 72, Prices()):
        rounds += 1
    return rounds


def under_way(batch) -> str | None:
    return plain_sql.row("SELECT under_way FROM batches WHERE id = ?", (batch["batchId"],))[0]


@pytest.mark.parametrize("size", [5, 10])
def test_a_request_cancels_and_resumes_one_piece_and_the_engine_the_rest(
    partner, clock, pieces, size
):
    batch = body(order(partner, *briefs(size)))
    url, pieces["trigger"] = f"/v1/batches/{batch['batchId']}", 0
    assert partner.post(f"{url}/cancel").status_code == 202 and pieces["cancel"] == 2
    refused(partner.post(f"{url}/resume"), 409, "BATCH_CANCELLING")
    assert carry_on(clock) and pieces["cancel"] == size
    complete_cancels(clock)
    refused_nothing = partner.post(f"{url}/resume", headers={"X-Correlation-Id": "the-resume"})
    assert (
        refused_nothing.status_code == 202
        and body(refused_nothing)["counts"]["queued"] == pieces["trigger"] == 2
    )
    batch_endings.finish_ended(clock())
    assert (
        carry_on(clock) and body(partner.get(url))["counts"]["queued"] == pieces["trigger"] == size
    )
    assert under_way(batch) is None and carry_on(clock) == 0
    assert {
        row[0]
        for row in plain_sql.rows(
            "SELECT correlation_id FROM productions WHERE retry_of IS NOT NULL"
        )
    } == {"the-resume"}


def test_the_events_of_a_cancel_carry_the_id_of_its_request_also_where_the_engine_went_on(
    partner, clock, pieces
):
    batch = body(order(partner, *briefs(5)))
    partner.post(
        f"/v1/batches/{batch['batchId']}/cancel", headers={"X-Correlation-Id": "the-cancel"}
    )
    carry_on(clock)
    complete_cancels(clock)
    events = plain_sql.rows(
        "SELECT correlation_id FROM events WHERE event_type = 'production.cancelled'"
    )
    assert [row[0] for row in events] == ["the-cancel"] * 5


@pytest.mark.parametrize("place", range(6))
def test_a_crash_between_two_items_loses_and_repeats_none(
    partner, clock, pieces, monkeypatch, place
):
    batch = body(order(partner, *briefs(5)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    carry_on(clock)
    complete_cancels(clock)
    partner.post(f"{url}/resume")
    set_production, calls = batch_rows.set_production, []

    def killed(*args):
        calls.append(args)
        if len(calls) == place:
            raise KeyboardInterrupt  # before the commit
        set_production(*args)

    monkeypatch.setattr(batch_rows, "set_production", killed)
    while True:
        try:
            carry_on(clock)
            break
        except KeyboardInterrupt:
            assert under_way(batch) == "resume"
    assert body(partner.get(url))["counts"]["queued"] == 5 and number_of_productions() == 10


def test_the_refusal_that_ends_a_resume_is_entered_at_its_item_and_the_same_call_goes_on(
    partner, clock, pieces
):
    batch = body(order(partner, *briefs(5)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    carry_on(clock)
    complete_cancels(clock)
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 3")
    assert partner.post(f"{url}/resume").status_code == 202
    carry_on(clock)
    listed = body(partner.get(f"{url}/items"))["data"]
    assert [each["status"] for each in listed] == ["Queued"] * 3 + ["Cancelled"] * 2 and under_way(
        batch
    ) is None
    assert [each["refusal"] and each["refusal"]["error"] for each in listed] == [None] * 3 + [
        "CONCURRENCY_LIMIT_REACHED",
        None,
    ]
    refused(partner.post(f"{url}/resume"), 409, "CONCURRENCY_LIMIT_REACHED")
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = NULL")
    assert partner.post(f"{url}/resume").status_code == 202
    carry_on(clock)
    assert all(
        each["refusal"] is None and each["status"] == "Queued"
        for each in body(partner.get(f"{url}/items"))["data"]
    )


def test_a_batch_that_is_cancelled_while_it_is_resumed_is_cancelled_whole(partner, clock, pieces):
    batch = body(order(partner, *briefs(5)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    carry_on(clock)
    complete_cancels(clock)
    partner.post(f"{url}/resume")
    partner.post(f"{url}/cancel")
    carry_on(clock)
    complete_cancels(clock)
    assert body(partner.get(url))["counts"]["cancelled"] == 5 and under_way(batch) is None


def test_a_batch_that_is_being_resumed_is_not_at_its_end(partner, clock, pieces):
    batch = body(order(partner, *briefs(5)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    carry_on(clock)
    complete_cancels(clock)
    partner.post(f"{url}/resume")
    with db.transaction():  # the first piece is done before the engine goes on
        plain_sql.execute(
            "UPDATE productions SET status = 'Published', finished_at = 1 WHERE status = 'Queued'"
        )
    batch_endings.finish_ended(clock())
    assert body(partner.get(url))["status"] == "Open"
    carry_on(clock)
    assert body(partner.get(url))["counts"]["queued"] == 3


def test_large_batches_do_not_keep_a_small_one_waiting(partner, stranger, clock, pieces):
    large, small = body(order(partner, *briefs(9))), body(order(stranger, *briefs(3)))
    for person, batch in ((partner, large), (stranger, small)):
        person.post(f"/v1/batches/{batch['batchId']}/cancel")
    batches.continue_batches(clock(), 72, Prices())
    assert (under_way(large), under_way(small)) == ("cancel", None)


def test_a_cancel_between_two_items_of_a_resume_ends_it(partner, clock, pieces, monkeypatch):
    batch = body(order(partner, *briefs(5)))
    url = f"/v1/batches/{batch['batchId']}"
    partner.post(f"{url}/cancel")
    carry_on(clock)
    complete_cancels(clock)
    partner.post(f"{url}/resume")
    screen = productions.screen_before_trigger

    def cancelled_meanwhile(*args):
        monkeypatch.setattr(productions, "screen_before_trigger", screen)
        with db.transaction():
            plain_sql.execute(
                "UPDATE batches SET under_way = 'cancel' WHERE id = ?", (batch["batchId"],)
            )
        return screen(*args)

    monkeypatch.setattr(productions, "screen_before_trigger", cancelled_meanwhile)
    triggered = pieces["trigger"]
    carry_on(clock)
    assert pieces["trigger"] == triggered and under_way(batch) is None
