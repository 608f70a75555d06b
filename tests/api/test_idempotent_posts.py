"""Idempotency-Key on every POST that changes something: done once,
and answered again as the first time.
"""

import json
import re
from contextlib import nullcontext

import pytest
from support import plain_sql
from support.cast import body, refused
from support.scripts import scene, write_script
from support.stage import complete_cancels

from svc.domain.access import idempotency
from svc.store.database import db

ONCE = {"Idempotency-Key": "order-4711"}
HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
# Operations that have nothing to repeat, and why.
CHANGE_NOTHING = {
    "estimate_production": "it only reads",
    "preview_template": "it only reads",
    "preview_scene": "a film that is kept only to be shown",
    "create_portal_link": "the link is signed and not stored",
}
TABLES = (
    "batch_items",
    "batches",
    "deliveries",
    "events",
    "productions",
    "rolled_secrets",
    "scripts",
    "subscriptions",
    "templates",
)


@pytest.fixture
def document(app) -> dict:
    return json.loads(app.test_client().get("/openapi.json").get_data())


def posts(document: dict) -> dict[str, dict]:
    return {
        methods["post"]["operationId"]: methods["post"]
        for methods in document["paths"].values()
        if "post" in methods
    }


def resolved(document: dict, part: dict) -> dict:
    return (
        document["components"][part["$ref"].split("/")[2]][part["$ref"].split("/")[3]]
        if "$ref" in part
        else part
    )


def test_every_post_that_changes_something_documents_the_key(document):
    kept = {name: its for name, its in posts(document).items() if name not in CHANGE_NOTHING}
    assert kept.keys() == ACTS.keys() and CHANGE_NOTHING.keys() <= posts(document).keys()
    for name, operation in posts(document).items():
        names = [resolved(document, each)["name"] for each in operation.get("parameters", [])]
        assert ("Idempotency-Key" in names) == (name in kept), name
    for name, operation in kept.items():
        replies = {code: resolved(document, each) for code, each in operation["responses"].items()}
        assert all(
            "Idempotent-Replayed" in its["headers"]
            for code, its in replies.items()
            if code[0] == "2"
        ), name
        for code, error in (("409", "REQUEST_IN_PROGRESS"), ("422", "IDEMPOTENCY_KEY_REUSED")):
            assert error in json.dumps(replies[code]), name


class Stage:
    """A partner, and what its requests are about."""

    def __init__(self, person, clock):
        self.person, self.clock = person, clock

    def hook(self) -> str:
        return f"/v1/webhooks/{body(self.person.post('/v1/webhooks', json=HOOK))['subscriptionId']}"

    def failed_hook(self) -> str:
        hook = self.hook()
        self.fail(hook)
        return hook

    def fail(self, hook: str) -> None:
        with db.transaction():
            plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")

    def delivery(self) -> str:
        hook = self.hook()
        self.person.trigger()
        [delivery] = body(self.person.get(f"{hook}/deliveries"))["data"]
        self.send(hook)
        return f"{hook}/deliveries/{delivery['deliveryId']}"

    def send(self, _: str) -> None:
        with db.transaction():
            plain_sql.execute("UPDATE deliveries SET status = 'Succeeded', next_attempt_at = NULL")

    def new_template(self, name: str) -> dict:
        variables = [{"name": "city", "type": "text"}]
        return {"name": name, "variables": variables, "brief": self.person.brief(topic="{{city}}")}

    def template(self) -> str:
        path = f"/v1/accounts/{self.person.account}/templates"
        made = self.person.post(path, json=self.new_template("City"))
        return f"{path}/{body(made)['templateId']}"

    def batch(self) -> str:
        items = {"items": [self.person.brief()]}
        made = self.person.post(f"/v1/accounts/{self.person.account}/batches", json=items)
        return f"/v1/batches/{body(made)['batchId']}"

    def cancelled_batch(self) -> str:
        batch = self.batch()
        self.cancel(batch)
        return batch

    def cancel(self, batch: str) -> None:
        assert self.person.post(f"{batch}/cancel").status_code == 202
        complete_cancels(self.clock)

    def resume_cancelled(self, batch: str) -> None:
        complete_cancels(self.clock)
        assert self.person.post(f"{batch}/resume").status_code == 202

    def script(self) -> str:
        production = body(self.person.trigger(review="script"))["productionId"]
        write_script(self.clock, scene(1))
        return f"/v1/productions/{production}/script"

    def undo(self, action: str):
        return lambda path: self.person.post(f"{path}/{action}")


def nothing(_: str) -> None:
    pass


# Operation: what it needs, the end of its path, two bodies (None: it has none), and what undoes it
# in between.
ACTS = {
    "trigger_production": lambda stage: (
        f"/v1/accounts/{stage.person.account}",
        "/productions",
        stage.person.brief(),
        stage.person.brief(topic="B"),
        nothing,
    ),
    "trigger_batch": lambda stage: (
        f"/v1/accounts/{stage.person.account}",
        "/batches",
        {"items": [stage.person.brief()]},
        {"items": [stage.person.brief(topic="B")]},
        nothing,
    ),
    "create_template": lambda stage: (
        f"/v1/accounts/{stage.person.account}",
        "/templates",
        stage.new_template("A"),
        stage.new_template("B"),
        nothing,
    ),
    "trigger_template": lambda stage: (
        stage.template(),
        "/productions",
        {"values": {"city": "Cork"}},
        {"values": {"city": "Bonn"}},
        nothing,
    ),
    "trigger_table": lambda stage: (
        stage.template(),
        "/batches",
        {"csv": "city\nCork\n"},
        {"csv": "city\nBonn\n"},
        nothing,
    ),
    "cancel_batch": lambda stage: (stage.batch(), "/cancel", None, None, stage.resume_cancelled),
    "resume_batch": lambda stage: (stage.cancelled_batch(), "/resume", None, None, stage.cancel),
    "rotate_key": lambda stage: ("/v1/partners/keys", "/rotate", {}, None, nothing),
    "approve_script": lambda stage: (stage.script(), "/approve", {"version": 1}, {}, nothing),
    "reject_script": lambda stage: (
        stage.script(),
        "/reject",
        {"reason": "A"},
        {"reason": "B"},
        nothing,
    ),
    "reopen_script": lambda stage: (stage.script(), "/reopen", None, None, stage.undo("approve")),
    "create_webhook": lambda stage: (
        "/v1",
        "/webhooks",
        HOOK,
        HOOK | {"eventTypes": ["production.failed"]},
        nothing,
    ),
    "redeliver": lambda stage: (stage.delivery(), "/redeliver", None, None, stage.send),
    "replay_deliveries": lambda stage: (
        re.sub("/deliveries/.*", "", stage.delivery()),
        "/replay",
        {"from": "2026-11-21T00:00:00Z"},
        {"from": "2026-11-20T00:00:00Z"},
        stage.send,
    ),
    "pause_webhook": lambda stage: (stage.hook(), "/pause", None, None, stage.undo("resume")),
    "resume_webhook": lambda stage: (stage.hook(), "/resume", None, None, stage.undo("pause")),
    "reinstate_webhook": lambda stage: (stage.failed_hook(), "/reinstate", None, None, stage.fail),
    "ping_webhook": lambda stage: (
        stage.hook(),
        "/ping",
        None,
        {"eventType": "production.failed"},
        nothing,
    ),
    "roll_webhook_secret": lambda stage: (
        stage.hook(),
        "/secret/roll",
        None,
        {"overlapHours": 1},
        nothing,
    ),
}


def rows() -> dict[str, list[str]]:
    """Every row that a POST changes, but for when a key was last used."""
    read = {table: f"SELECT * FROM {table}" for table in TABLES}
    read["api_keys"] = "SELECT id, rotated_to, expires_at FROM api_keys"
    return {
        table: sorted(repr(tuple(row)) for row in plain_sql.rows(sql))
        for table, sql in read.items()
    }


@pytest.fixture
def stage(partner, clock) -> Stage:
    return Stage(partner, clock)


@pytest.mark.parametrize("operation", ACTS)
def test_a_post_that_is_sent_again_is_answered_as_before_and_not_done_twice(
    partner, stage, operation
):
    path, action, given, other, undo = ACTS[operation](stage)
    first = partner.post(path + action, headers=ONCE, json=given)
    assert first.status_code in (200, 201, 202) and "Idempotent-Replayed" not in first.headers, (
        body(first)
    )
    undo(path)
    before = rows()
    again = partner.post(path + action, headers=ONCE, json=given)
    assert (again.status_code, body(again), again.headers["Idempotent-Replayed"]) == (
        first.status_code,
        body(first),
        "true",
    )
    assert {name: again.headers.get(name) for name in ("Location", "Cache-Control")} == {
        name: first.headers.get(name) for name in ("Location", "Cache-Control")
    }
    assert rows() == before
    if other is not None:
        refused(
            partner.post(path + action, headers=ONCE, json=other), 422, "IDEMPOTENCY_KEY_REUSED"
        )
        assert rows() == before


@pytest.mark.parametrize("operation", ACTS)
def test_a_post_does_nothing_where_it_would_leave_out_what_was_sent(partner, stage, operation):
    path, action, given, *_ = ACTS[operation](stage)
    before = rows()
    unknown = partner.post(path + action, headers=ONCE, json={**(given or {}), "only": ["a"]})
    assert "only" in refused(unknown, 400, "INVALID_REQUEST")["fields"]
    for wrong in ("[]", "{", "null"):
        answer = partner.post(path + action, data=wrong, content_type="application/json")
        refused(answer, 400, "INVALID_REQUEST")
    refused(partner.post(path + action, data={"only": "a"}), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert rows() == before
    if given is None:  # an empty object is as good as no body, where none is needed
        assert partner.post(path + action, headers=ONCE, json={}).status_code < 300


@pytest.mark.parametrize(
    "operation", ["pause_webhook", "create_template", "roll_webhook_secret", "cancel_batch"]
)
def test_a_key_is_for_one_operation(partner, stage, operation):
    path, action, given, *_ = ACTS[operation](stage)
    assert partner.post("/v1/webhooks", headers=ONCE, json=HOOK).status_code == 201
    before = rows()
    refused(partner.post(path + action, headers=ONCE, json=given), 422, "IDEMPOTENCY_KEY_REUSED")
    assert rows() == before


def test_a_key_is_for_one_operation_on_one_thing_where_bodies_are_alike(partner, stage):
    mine, other = stage.hook(), stage.hook()
    assert partner.post(f"{mine}/pause", headers=ONCE).status_code == 200
    before = rows()
    for path in (f"{mine}/resume", f"{mine}/reinstate", f"{other}/pause"):
        refused(partner.post(path, headers=ONCE), 422, "IDEMPOTENCY_KEY_REUSED")
    assert rows() == before


@pytest.mark.parametrize(
    "operation", ["pause_webhook", "roll_webhook_secret", "approve_script", "resume_batch"]
)
def test_a_repetition_while_the_first_is_being_answered_changes_nothing(partner, stage, operation):
    path, action, given, *_ = ACTS[operation](stage)
    creator = plain_sql.one("SELECT creator FROM api_keys WHERE environment = 'test'")[0]
    key = idempotency.make_stored_key("test", creator, ONCE["Idempotency-Key"])
    before = rows()
    with idempotency.lock_key(partner.seeded["partnerId"], key):
        refused(partner.post(path + action, headers=ONCE, json=given), 409, "REQUEST_IN_PROGRESS")
    assert (
        rows() == before and partner.post(path + action, headers=ONCE, json=given).status_code < 300
    )


@pytest.mark.parametrize("operation", ["pause_webhook", "redeliver", "rotate_key", "resume_batch"])
def test_what_another_server_answers_meanwhile_is_not_done_twice(
    partner,
    stage,
    monkeypatch,
    operation,
):
    path, action, given, *_ = ACTS[operation](stage)
    check, answers = idempotency.KeptAnswer.check, []

    def post():
        return partner.client.application.test_client().post(
            path + action, headers={**ONCE, "X-API-Key": partner.key}, json=given
        )

    def overtaken(first):
        check(first)
        if not answers:  # found free; before it is taken, another process answers the same request
            answers.append(None)
            answers[0] = post()

    # Another process does not see who is answering in this one.
    monkeypatch.setattr(idempotency, "lock_key", lambda *_: nullcontext())
    monkeypatch.setattr(idempotency.KeptAnswer, "check", overtaken)
    last = post()
    assert (body(last), last.headers["Idempotent-Replayed"]) == (body(answers[0]), "true")
    assert answers[0].status_code < 300 and "Idempotent-Replayed" not in answers[0].headers


def another_key(partner) -> str:
    return body(partner.post("/v1/partners/keys/rotate"))["apiKey"]


@pytest.mark.parametrize(
    "operation", ["pause_webhook", "create_template", "replay_deliveries", "cancel_batch"]
)
def test_another_key_of_the_partner_gets_the_answer_again(partner, stage, operation):
    path, action, given, *_ = ACTS[operation](stage)
    first, new = partner.post(path + action, headers=ONCE, json=given), another_key(partner)
    before = rows()
    again = partner.post(path + action, headers=ONCE, json=given, key=new)
    assert (body(again), again.headers["Idempotent-Replayed"]) == (
        body(first),
        "true",
    ) and rows() == before


@pytest.mark.parametrize("operation", ["roll_webhook_secret", "create_webhook"])
def test_an_answer_with_a_secret_is_only_for_the_api_key_that_got_it(partner, stage, operation):
    path, action, given, *_ = ACTS[operation](stage)
    first, new = partner.post(path + action, headers=ONCE, json=given), another_key(partner)
    assert body(first)["signingSecret"]
    before = rows()
    refused(
        partner.post(path + action, headers=ONCE, json=given, key=new),
        422,
        "IDEMPOTENCY_KEY_REUSED",
    )
    assert rows() == before


@pytest.mark.parametrize("environment", ["test", "live"])
def test_another_partner_with_the_same_key_does_its_own(partner, stranger, clock, environment):
    if environment == "live":  # test keys have a namespace for each sandbox as well
        partner, stranger = partner.live(), stranger.live()
    hooks = [Stage(person, clock).hook() for person in (partner, stranger)]
    for person, hook in zip((partner, stranger), hooks, strict=True):
        paused = person.post(f"{hook}/pause", headers=ONCE)
        assert body(paused)["pausedAt"] and "Idempotent-Replayed" not in paused.headers
    refused(stranger.post(f"{hooks[0]}/pause", headers=ONCE), 404, "NOT_FOUND")


def test_a_rolled_secret_is_not_readable_in_the_database(partner, stage):
    secret = body(partner.post(f"{stage.hook()}/secret/roll", headers=ONCE))["signingSecret"]
    kept = repr([tuple(row) for row in plain_sql.rows("SELECT * FROM idempotency_keys")])
    assert "order-4711" in kept and secret not in kept


def test_after_24_hours_a_key_is_free(partner, stage, clock):
    hook = stage.hook()
    first = body(partner.post(f"{hook}/secret/roll", headers=ONCE))
    clock.tick(24 * 3600)
    assert (
        body(partner.post(f"{hook}/secret/roll", headers=ONCE))["signingSecret"]
        != first["signingSecret"]
    )


def test_a_post_that_was_refused_leaves_its_key_free(partner, stage, clock):
    hook = stage.hook()
    refused(partner.post(f"{hook}/reinstate", headers=ONCE), 409, "SUBSCRIPTION_NOT_FAILED")
    stage.fail(hook)
    assert body(partner.post(f"{hook}/reinstate", headers=ONCE))["status"] == "Active"


def interrupted(*_):
    raise RuntimeError("the process died")


@pytest.mark.parametrize("operation", ["create_template", "approve_script", "redeliver"])
def test_what_is_interrupted_before_its_answer_is_kept_is_not_done(
    partner,
    stage,
    monkeypatch,
    operation,
):
    path, action, given, *_ = ACTS[operation](stage)
    before = rows()
    with monkeypatch.context() as patched:
        patched.setattr(idempotency.KeptAnswer, "_store_answer", interrupted)
        refused(partner.post(path + action, headers=ONCE, json=given), 500, "INTERNAL_ERROR")
    assert rows() == before
    again = partner.post(path + action, headers=ONCE, json=given)
    assert again.status_code < 300 and "Idempotent-Replayed" not in again.headers


def test_a_resumption_that_was_interrupted_goes_on_with_the_same_key(partner, stage, monkeypatch):
    batch = stage.cancelled_batch()
    with monkeypatch.context() as patched:
        patched.setattr(idempotency.KeptAnswer, "_store_answer", interrupted)
        refused(partner.post(f"{batch}/resume", headers=ONCE), 500, "INTERNAL_ERROR")
    before = rows()
    again = partner.post(f"{batch}/resume", headers=ONCE)
    assert (again.status_code, body(again)["counts"]["queued"], rows()) == (202, 1, before)
