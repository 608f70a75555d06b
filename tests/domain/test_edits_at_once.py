"""What partners and their people change by hand: one that hangs holds up no other partner, two at
once count on what the first has left, and the entries of all in the audit log are one chain.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from support import plain_sql, stage
from support.cast import body
from support.frozen import Hang, until, waits_for_a_turn
from support.scripts import render, scene, write_script

from svc.base import ids
from svc.base.errors import ServiceError
from svc.domain import lanes
from svc.domain.access import auth_failures, key_admin, keys
from svc.domain.audit import audit_chain, audit_head
from svc.domain.audit.audit import Actor
from svc.domain.briefing import reviewers, templates
from svc.domain.lifecycle import losses, render_queue, title_words
from svc.domain.monitoring import alerts
from svc.domain.partners import admin, avatars, pictures
from svc.domain.partners.brand_files import brand_fonts
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.domain.productions import admin as production_admin
from svc.domain.productions import progress
from svc.domain.publishing import actions
from svc.domain.translation import translations
from svc.domain.usage.model_costs import Prices
from svc.domain.watch import performance
from svc.domain.webhooks import admin as webhook_admin
from svc.domain.webhooks import claiming, subscriptions
from svc.domain.webhooks.claiming import Limits
from svc.store import meta
from svc.store.database import db

pytest_plugins = ("tests.support.frozen",)
pytestmark = pytest.mark.usefixtures("only_on_postgres")

US, OPERATOR = Actor(None, "us"), Viewer(None, "us", "us", identity.OPERATOR, None)
PNG = b"\x89PNG\r\n\x1a\n"
URL = "https://93.184.215.14/hooks"  # an address, so that no name has to be looked up
SPANISH = ids.derive_id("language", "es")


# Each makes ready what a partner changes then; returns the change.


def awaiting_review(person, clock) -> str:
    production_id = body(person.trigger(review="script"))["productionId"]
    assert write_script(clock, scene(1), scene(2)).production_id == production_id
    return production_id


def script(person, clock, what, **given):
    path = f"/v1/productions/{awaiting_review(person, clock)}/script{what}"
    return lambda: person.request("POST" if what else "PUT", path, json=given)


def change_script(person, clock):
    return script(person, clock, "", version=1, scenes=[{"sceneId": 2}])


def approve_script(person, clock):
    return script(person, clock, "/approve")


def reject_script(person, clock):
    return script(person, clock, "/reject", reason="It is wrong.")


def rendered(person, clock) -> str:
    production_id = body(person.live().trigger(review="none"))["productionId"]
    assert render(clock) == production_id
    return production_id


def reopen_script(person, clock):
    path = f"/v1/productions/{rendered(person, clock)}/script/reopen"
    return lambda: person.live().post(path)


def approve_script_in_the_console(person, clock):
    production_id = awaiting_review(person, clock)
    return lambda: reviewers.approve(OPERATOR, production_id, 1, clock())


def release_in_the_console(person, clock):
    production_id = rendered(person, clock)
    return lambda: production_admin.release(OPERATOR, production_id, clock())


def cancel_in_the_console(person, clock):
    production_id = body(person.trigger())["productionId"]
    return lambda: production_admin.cancel(OPERATOR, production_id, clock())


def trigger_in_the_console(person, clock):
    account_id, texts = person.seeded["liveAccountId"], person.brief()
    return lambda: production_admin.trigger(
        OPERATOR, account_id, texts, clock(), "correlation", Prices()
    )


def skip_publication_in_the_console(person, clock):
    body(person.trigger())
    held = stage.complete_steps(clock)
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Distributing' WHERE id = ?", (held.production_id,)
        )
    [platform, *_] = [row[0] for row in plain_sql.rows("SELECT platform FROM publications")]
    return lambda: actions.skip(OPERATOR, held.production_id, platform, clock())


def awaiting_translation(person) -> tuple[str, list[dict]]:
    made = body(person.trigger(languageIds=[SPANISH]))
    sql = "SELECT id FROM productions WHERE group_id = ? AND translation IS NOT NULL"
    [production_id] = plain_sql.one(sql, (made["groupId"],))
    segments = body(person.get(f"/v1/productions/{production_id}/translation"))["segments"]
    return production_id, [
        {"segmentId": each["segmentId"], "target": f"Olas {each['source']}"} for each in segments
    ]


def translate(person, clock):
    production_id, targets = awaiting_translation(person)
    path = f"/v1/productions/{production_id}/translation"
    return lambda: person.put(path, json={"segments": targets})


def save_translation_in_the_console(person, clock):
    production_id, targets = awaiting_translation(person)
    draft = {each["segmentId"]: each["target"] for each in targets}
    return lambda: reviewers.save_draft(OPERATOR, production_id, draft, 0, clock())


def ordered(person) -> str:
    account = person.seeded["sandboxAccountId"]
    items = {"items": [person.brief(), person.brief()]}
    made = body(person.post(f"/v1/accounts/{account}/batches", json=items))
    return f"/v1/batches/{made['batchId']}"


def cancel_batch(person, clock):
    path = ordered(person)
    return lambda: person.post(f"{path}/cancel", headers={"Idempotency-Key": "one"})


def resume_batch(person, clock):
    path = ordered(person)
    person.post(f"{path}/cancel")
    stage.complete_cancels(clock)
    return lambda: person.post(f"{path}/resume", headers={"Idempotency-Key": "one"})


def verify_key(person, clock):
    return lambda: person.get("/v1/partners/verify")


def activate_key(person, clock):
    with db.transaction():
        key = keys.create_activation(person.seeded["partnerId"], "Handed over", clock())
    return lambda: person.get("/v1/partners/verify", key=key)


def rotate_key(person, clock):
    return lambda: person.post("/v1/partners/keys/rotate", headers={"Idempotency-Key": "one"})


def revoke_key(person, clock):
    sql = "SELECT id FROM api_keys WHERE partner_id = ? AND environment = 'live'"
    [key_id] = plain_sql.one(sql, (person.seeded["partnerId"],))
    return lambda: key_admin.revoke(US, key_id, clock())


def hand_key_over(person, clock):
    partner_id = person.seeded["partnerId"]
    return lambda: key_admin.create_activation_key(US, partner_id, "Key", (), clock())


def create_test_key(person, clock):
    partner_id = person.seeded["partnerId"]
    sql = "SELECT creator FROM accounts WHERE partner_id = ? AND environment = 'sandbox'"
    [user_id] = plain_sql.one(sql, (partner_id,))
    viewer = Viewer(user_id, "Ada", "ada@example.com", identity.OWNER, partner_id)
    return lambda: key_admin.create_test_key(viewer, "Key", (), ("Watch",), clock())


def register_webhook(person, clock):
    given = {"endpointUrl": URL, "eventTypes": ["production.queued"]}
    return lambda: person.post("/v1/webhooks", json=given)


def webhook(person) -> str:
    return body(register_webhook(person, None)())["subscriptionId"]


def change_webhook(person, clock):
    path = f"/v1/webhooks/{webhook(person)}"
    return lambda: person.patch(path, json={"endpointUrl": f"{URL}/2"})


def delete_webhook(person, clock):
    path = f"/v1/webhooks/{webhook(person)}"
    return lambda: person.delete(path)


def act_on_webhook(person, what: str, **given):
    path = f"/v1/webhooks/{webhook(person)}/{what}"
    return lambda: person.post(path, json=given)


def pause_webhook(person, clock):
    return act_on_webhook(person, "pause")


def ping_webhook(person, clock):
    return act_on_webhook(person, "ping")


def roll_secret(person, clock):
    return act_on_webhook(person, "secret/roll")


def resume_webhook(person, clock):
    resume = act_on_webhook(person, "resume")
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET paused_at = 1")
    return resume


def suspended(person) -> str:
    subscription_id = webhook(person)
    with db.transaction():
        plain_sql.execute(
            "UPDATE subscriptions SET status = 'Failed' WHERE id = ?", (subscription_id,)
        )
    return subscription_id


def reinstate_webhook(person, clock):
    path = f"/v1/webhooks/{suspended(person)}/reinstate"
    return lambda: person.post(path)


def reinstate_webhook_in_the_console(person, clock):
    subscription_id = suspended(person)
    return lambda: webhook_admin.reinstate(OPERATOR, subscription_id, clock())


def add_webhook_in_the_console(person, clock):
    form = {"endpointUrl": URL, "eventTypes": ["production.queued"], "accountIds": []}
    ring = person.client.application.extensions["svc"].ring
    return lambda: webhook_admin.add(
        OPERATOR, person.seeded["partnerId"], None, form, clock(), ring, lambda _: None
    )


def change_webhook_in_the_console(person, clock):
    subscription_id = webhook(person)
    form = {"endpointUrl": f"{URL}/2", "eventTypes": ["production.queued"]}
    return lambda: webhook_admin.change(OPERATOR, subscription_id, form, clock(), lambda _: None)


def pause_webhook_in_the_console(person, clock):
    subscription_id = webhook(person)
    return lambda: webhook_admin.pause(OPERATOR, subscription_id, clock())


def sent(person) -> str:
    """A webhook with a delivery."""
    subscription_id = webhook(person)
    person.trigger()
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL")
    return subscription_id


def redeliver(person, clock):
    subscription_id = sent(person)
    sql = "SELECT id FROM deliveries WHERE subscription_id = ?"
    [delivery_id] = plain_sql.one(sql, (subscription_id,))
    path = f"/v1/webhooks/{subscription_id}/deliveries/{delivery_id}/redeliver"
    return lambda: person.post(path)


def replay(person, clock):
    path = f"/v1/webhooks/{sent(person)}/replay"
    return lambda: person.post(path, json={"from": "2026-11-01T00:00:00Z"})


def add_template(person, clock):
    brief, variables = person.brief(topic="{{city}}"), [{"name": "city"}]
    given = {"name": "City", "brief": brief, "variables": variables}
    path = f"/v1/accounts/{person.account}/templates"
    return lambda: person.post(path, json=given)


def change_template(person, clock):
    made = body(add_template(person, clock)())
    path = f"/v1/accounts/{person.account}/templates/{made['templateId']}"
    given = {name: made[name] for name in ("brief", "variables")}
    return lambda: person.put(path, json={**given, "name": "Town"})


def remove_template(person, clock):
    made = body(add_template(person, clock)())
    path = f"/v1/accounts/{person.account}/templates/{made['templateId']}"
    return lambda: person.delete(path)


def replace_lexicon(person, clock):
    path = f"/v1/accounts/{person.account}/lexicon"
    return lambda: person.put(path, json={"entries": [{"written": "SQL", "spoken": "sequel"}]})


def assets_of(person):
    return person.client.application.extensions["svc"].settings.assets_dir


def upload_picture(person, clock):
    return lambda: pictures.add(US, person.account, "boat.png", PNG, assets_of(person), clock())


def remove_picture(person, clock):
    upload_picture(person, clock)()
    return lambda: pictures.remove(US, person.account, "boat.png", clock())


def upload_font(person, clock):
    return lambda: brand_fonts.replace(
        US, person.account, b"OTTO", "OFL", assets_of(person), clock()
    )


def remove_font(person, clock):
    upload_font(person, clock)()
    return lambda: brand_fonts.remove(US, person.account, assets_of(person), clock())


def upload_logo(person, clock):
    return lambda: admin.set_logo(US, person.account, PNG, assets_of(person), clock())


def upload_portrait(person, clock):
    avatar_id = person.seeded["avatarId"]
    return lambda: avatars.set_portrait(US, avatar_id, PNG, assets_of(person), clock())


def begun(person, clock):
    person.trigger()
    claim = render_queue.claim_next(stage.DRIVER, clock(), 4)
    return claim, progress.start_step(claim, clock())


def record_crash(person, clock):
    claim, step = begun(person, clock)
    return lambda: progress.record_crash(claim, step, "signal 9", clock())


def record_loss(person, clock):
    claim, _ = begun(person, clock)
    return lambda: losses.record_failure(claim, "RuntimeError: it broke", clock())


def post_of(person, clock) -> str:
    """A watch page of a published production."""
    production_id = body(person.trigger())["productionId"]
    video = stage.make("Watch", "Video", "mp4", duration_seconds=20.0)
    assert stage.complete_steps(clock, 7, [video]).production_id == production_id
    stage.publish_all(clock)
    post_id = f"post of {person.key}"
    sql = "UPDATE publications SET platform_post_id = ? WHERE production_id = ?"
    with db.transaction():
        plain_sql.execute(f"{sql} AND platform = 'Watch'", (post_id, production_id))
    return post_id


def start_play(person, clock):
    post_id = post_of(person, clock)
    return lambda: performance.start_play(post_id, b"viewer", clock())


def go_on_with_play(person, clock):
    play_id = start_play(person, clock)()
    return lambda: performance.record_progress(play_id, b"viewer", 1.0, clock())


@pytest.mark.parametrize(
    "ready",
    [
        change_script,
        approve_script,
        reject_script,
        reopen_script,
        approve_script_in_the_console,
        release_in_the_console,
        cancel_in_the_console,
        trigger_in_the_console,
        skip_publication_in_the_console,
        translate,
        save_translation_in_the_console,
        cancel_batch,
        resume_batch,
        verify_key,
        activate_key,
        rotate_key,
        revoke_key,
        hand_key_over,
        create_test_key,
        register_webhook,
        change_webhook,
        delete_webhook,
        pause_webhook,
        ping_webhook,
        roll_secret,
        resume_webhook,
        reinstate_webhook,
        reinstate_webhook_in_the_console,
        add_webhook_in_the_console,
        change_webhook_in_the_console,
        pause_webhook_in_the_console,
        redeliver,
        replay,
        add_template,
        change_template,
        remove_template,
        replace_lexicon,
        upload_picture,
        remove_picture,
        upload_font,
        remove_font,
        upload_logo,
        upload_portrait,
        record_crash,
        record_loss,
        start_play,
        go_on_with_play,
    ],
    ids=lambda each: each.__name__,
)
def test_an_edit_that_hangs_holds_up_no_other_partner(
    ready, partner, stranger, clock, frozen, impatient
):
    """Both do the same; the rows that they share are those of all kinds of edits."""
    act, others_act = ready(partner, clock), ready(stranger, clock)
    with frozen(others_act):
        impatient()
        assert getattr(act(), "status_code", 200) < 300
    assert audit_chain.verify().is_whole


def status_of(act) -> int:
    """The status of an answer, or of the error that a function of the console raises."""
    try:
        return getattr(act(), "status_code", 200)
    except ServiceError as refused:
        return refused.status


def two_at_once(first, second, frozen) -> list[int]:
    """Let the first one hang until the second one waits for it; both answers."""
    with ThreadPoolExecutor(1) as threads:
        with frozen(status_of, first) as one:
            other = threads.submit(status_of, second)
            until(lambda: waits_for_a_turn(other))
        return sorted(each.result() for each in (one, other))


def test_of_two_changes_of_a_script_at_once_one_is_the_next_version(partner, clock, frozen):
    path = f"/v1/productions/{awaiting_review(partner, clock)}/script"

    def change(scene_id):
        given = {"version": 1, "scenes": [{"sceneId": scene_id}]}
        return lambda: partner.put(path, json=given)

    assert two_at_once(change(1), change(2), frozen) == [200, 409]
    assert body(partner.get(path))["version"] == 2


def test_of_an_approval_and_a_rejection_at_once_one_decides(partner, clock, frozen):
    path = f"/v1/productions/{awaiting_review(partner, clock)}/script"
    acts = [partial(partner.post, f"{path}/{what}") for what in ("approve", "reject")]
    assert two_at_once(*acts, frozen) == [202, 409]


def test_of_two_translations_at_once_one_begins(partner, clock, frozen):
    production_id, targets = awaiting_translation(partner)
    one = {each["segmentId"]: each["target"] for each in targets}
    other = {name: f"Otra {text}" for name, text in one.items()}
    acts = [
        partial(translations.set_translation, production_id, each, clock(), Prices())
        for each in (one, other)
    ]
    assert two_at_once(*acts, frozen) == [200, 409]


def test_of_two_rotations_of_a_key_at_once_one_makes_a_key(partner, clock, frozen):
    rotate = partial(partner.post, "/v1/partners/keys/rotate")
    before = plain_sql.one("SELECT count(*) FROM api_keys")[0]
    assert two_at_once(rotate, rotate, frozen) == [200, 409]
    assert plain_sql.one("SELECT count(*) FROM api_keys")[0] == before + 1


@pytest.mark.parametrize(
    "ready, limit",
    [
        (register_webhook, (subscriptions, "MOST_ACTIVE")),
        (add_template, (templates, "MOST")),
        (create_test_key, (keys, "MOST_A_DAY")),
    ],
)
def test_of_two_at_once_a_limit_lets_one_through(ready, limit, partner, clock, frozen, monkeypatch):
    act, room = ready(partner, clock), {keys: 3}  # two were seeded
    monkeypatch.setattr(*limit, room.get(limit[0], 1))
    first, second = two_at_once(act, act, frozen)
    assert first < 300 and second in (409, 429)


def test_of_two_uploads_at_once_the_disk_quota_lets_one_through(partner, clock, frozen):
    with db.transaction():
        meta.put("partner_disk_bytes", len(PNG) + 1)
    answers = two_at_once(upload_picture(partner, clock), upload_logo(partner, clock), frozen)
    assert answers == [200, 409]


def test_a_claim_of_webhooks_goes_on_while_a_pause_hangs(partner, stranger, clock, frozen):
    """What the pause parks is left alone, and is parked; others' deliveries are claimed."""
    pause, path = pause_webhook(partner, clock), webhook(stranger)
    for each in (partner, stranger):
        each.trigger()
    with frozen(pause):
        claimed = claiming.claim(stage.DRIVER, clock(), lanes.FIRST, 100, Limits(100))
        assert [each.subscription_id for each in claimed] == [path]


@pytest.fixture
def at_the_end(monkeypatch):
    """Hang in the last turn: the end of the audit log is read, and nothing is written."""
    seal, hang = audit_head.seal_head, Hang()

    def seal_later(ring, head):
        hang.here()
        seal(ring, head)

    monkeypatch.setattr(audit_head, "seal_head", seal_later)
    return hang.begin


def test_entries_of_two_partners_at_once_are_one_chain(partner, stranger, clock, at_the_end):
    """The second one follows the first, whose transaction is not committed yet."""
    acts = [rotate_key(each, clock) for each in (partner, stranger)]
    with ThreadPoolExecutor(1) as threads:
        with at_the_end(acts[0]) as first:
            second = threads.submit(acts[1])
            until(lambda: waits_for_a_turn(second))
        assert (first.result().status_code, second.result().status_code) == (200, 200)
    assert audit_chain.verify().is_whole
    assert plain_sql.one("SELECT count(*) FROM audit WHERE action = 'key.rotate'")[0] == 2


def test_an_entry_that_is_not_committed_holds_up_no_other(partner, stranger, clock, frozen):
    """The chain is not read before all else is done."""
    with frozen(rotate_key(partner, clock)):
        assert rotate_key(stranger, clock)().status_code == 200
    assert audit_chain.verify().is_whole
    names = [row[0] for row in plain_sql.rows("SELECT partner_id FROM audit ORDER BY id")]
    assert names[-2:] == [each.seeded["partnerId"] for each in (stranger, partner)]


def test_a_failed_authentication_that_hangs_holds_up_no_partner(partner, clock, frozen, impatient):
    with frozen(partial(partner.get, "/v1/partners/verify", key=f"svc_test_{'x' * 48}")):
        impatient()
        assert partner.trigger().status_code == 202


def test_of_two_failed_authentications_at_once_one_begins_a_burst(app, clock, frozen):
    """Each would find itself to be the ninth."""
    fail = partial(auth_failures.record_failure, "192.0.2.1", clock())
    for _ in range(auth_failures.BURST - 2):
        fail()
    two_at_once(fail, fail, frozen)
    assert raised("AuthenticationFailureBurst") == 1


def test_of_two_plays_of_a_viewer_at_once_one_is_a_view(partner, clock, frozen):
    play = start_play(partner, clock)
    two_at_once(play, play, frozen)
    assert plain_sql.one("SELECT count(*) FROM plays")[0] == 1


def raised(name: str = "StepCrashed") -> int:
    return plain_sql.one("SELECT count(*) FROM alerts WHERE name = ?", (name,))[0]


def test_two_crashes_at_once_raise_one_alert(partner, stranger, clock, frozen):
    """The alert of both is one for all partners; neither waits for the other one."""
    acts = [record_crash(each, clock) for each in (partner, stranger)]
    with frozen(acts[0]):
        acts[1]()
        assert raised() == 1
    assert raised() == 1


def test_two_alerts_at_once_that_take_no_turn_are_one(app, clock, monkeypatch):
    raise_alert, hang = alerts.raise_alert, Hang()

    def raise_later(*given):
        hang.here()
        raise_alert(*given)

    monkeypatch.setattr(alerts, "raise_alert", raise_later)
    act = partial(alerts.raise_once, "StepCrashed", "warning", "It broke.", clock())
    with ThreadPoolExecutor(1) as threads:
        with hang.begin(act):
            second = threads.submit(act)
            until(lambda: waits_for_a_turn(second))
        second.result()
    assert raised() == 1


def test_a_title_that_is_translated_while_it_is_indexed_is_found_by_its_new_words(
    partner, clock, frozen
):
    production_id, targets = awaiting_translation(partner)
    path = f"/v1/productions/{production_id}/translation"
    act = partial(partner.put, path, json={"segments": targets})
    with ThreadPoolExecutor(1) as threads:
        with frozen(title_words.index_titles, clock()):
            second = threads.submit(act)
            until(lambda: waits_for_a_turn(second))
        assert second.result().status_code == 200
    sql = "SELECT word FROM title_words WHERE production_id = ?"
    assert "olas" in {row[0] for row in plain_sql.rows(sql, (production_id,))}
