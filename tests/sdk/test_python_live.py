"""The Python SDK against a server that really renders: its README, a restart in the middle,
and webhooks that arrive.
"""

import asyncio
import hashlib
import queue
import threading
import uuid

import pytest
from partner_production import (
    AsyncClient,
    Conflict,
    InvalidRequest,
    InvalidSignature,
    NotFound,
    verify_webhook,
)

from svc.cli.demo.receiver import Receiver
from tests.support.documents import ROOT, blocks
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

README = (ROOT / "sdk" / "python" / "README.md").read_text("utf-8")
KINDS = {"Video", "ClosedCaptions", "AudioDescription", "Transcript", "ComplianceCertificate"}


def test_the_examples_of_the_readme_run_as_they_stand(running, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    scope = {}
    for program in [text for language, text in blocks(README) if language == "python"]:
        exec(program, scope)
    scope["client"].close()
    scope["patient"].close()
    printed = capsys.readouterr().out
    for told in (
        "production.queued",
        "production.published",
        "files/Video-Watch.mp4",
        "How tides work",
        "INVALID_REQUEST",
    ):
        assert told in printed
    assert {
        each.name.split("-")[0].split(".")[0] for each in (tmp_path / "files").iterdir()
    } == KINDS
    assert issubclass(scope["Hook"], object)


def test_a_wait_outlives_the_death_of_the_server_and_tells_each_event_once(
    running, client, tmp_path
):
    production = client.productions.trigger(running.seeded["sandboxAccountId"], running.brief())
    told, killed = [], threading.Event()

    def on_event(event):
        told.append((event["sequenceNumber"], event["eventType"]))
        if event["eventType"] == "production.step.complete" and not killed.is_set():
            killed.set()
            running.server.kill()
            running.server.start()

    published = client.productions.wait_until_published(
        production["productionId"], on_event=on_event, timeout=PATIENCE
    )
    assert (published["status"], killed.is_set()) == ("Published", True)
    assert [number for number, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][1] == "production.published"
    for each in client.deliverables.list(production["productionId"]):
        path = client.deliverables.download(each, tmp_path / each["deliverableId"])
        assert hashlib.sha256(path.read_bytes()).hexdigest() == each["sha256"]


def test_the_asynchronous_half_waits_for_several_productions_at_once(running):
    async def one(client: AsyncClient, topic: str) -> str:
        production = await client.productions.trigger(
            running.seeded["sandboxAccountId"], running.brief(topic=topic)
        )
        published = await client.productions.wait_until_published(
            production["productionId"], timeout=PATIENCE
        )
        return published["topic"]

    async def all_of_them() -> list[str]:
        async with AsyncClient(running.address, running.key) as client:
            return await asyncio.gather(*(one(client, topic) for topic in ("Tides", "Waves")))

    assert asyncio.run(all_of_them()) == ["Tides", "Waves"]


def test_webhooks_of_a_server_are_verified_by_both_signatures(running, client):
    arrived = queue.Queue()
    with Receiver(lambda received: arrived.put(received) or 204) as receiver:
        hook = client.webhooks.create(receiver.url, ["production.queued"])
        receiver.trust(hook["signingSecret"])
        assert client.webhooks.ping(hook["subscriptionId"])["eventType"] == "webhook.test"
        ping = arrived.get(timeout=PATIENCE)
        production = client.productions.trigger(running.seeded["sandboxAccountId"], running.brief())
        queued = arrived.get(timeout=PATIENCE)
        changed = client.webhooks.change(
            hook["subscriptionId"], event_types=["production.queued", "production.failed"]
        )
        assert changed["eventTypes"] == ["production.queued", "production.failed"]
        assert client.webhooks.pause(hook["subscriptionId"])["pausedAt"]
        assert client.webhooks.resume(hook["subscriptionId"])["pausedAt"] is None
        new = client.webhooks.roll_secret(hook["subscriptionId"])
        [delivery] = [
            each
            for each in client.webhooks.deliveries(hook["subscriptionId"])
            if each["sequenceNumber"] == 1
        ]
        client.webhooks.redeliver(hook["subscriptionId"], delivery["deliveryId"])
        again = arrived.get(timeout=PATIENCE)
        client.webhooks.delete(hook["subscriptionId"])
    client.productions.cancel(production["productionId"])

    for received, secrets in (ping, [hook]), (queued, [hook]), (again, [hook, new]):
        for secret in (
            each[form] for each in secrets for form in ("signingSecret", "standardWebhooksSecret")
        ):
            for scheme in ("standard", "service"):
                assert (
                    verify_webhook(received.body, received.headers, secret, scheme=scheme)
                    == received.event
                )
        with pytest.raises(InvalidSignature):
            verify_webhook(received.body + b" ", received.headers, hook["signingSecret"])
    assert queued.event["productionId"] == again.event["productionId"] == production["productionId"]
    assert hook["subscriptionId"] not in [each["subscriptionId"] for each in client.webhooks.list()]
    with pytest.raises(NotFound):
        client.webhooks.get(hook["subscriptionId"])


def test_an_intention_is_one_production_however_often_it_is_said(running, client):
    account = running.seeded["sandboxAccountId"]
    first, again = (
        client.productions.trigger(account, running.brief(externalId="one"), idempotency_key="one")
        for _ in "12"
    )
    assert first["productionId"] == again["productionId"]
    assert [
        each["productionId"] for each in client.productions.list(account, external_id="one")
    ] == [first["productionId"]]
    assert client.productions.cancel(first["productionId"])["productionId"] == first["productionId"]


def test_batches_and_templates_are_triggered_and_cancelled(running, client):
    account = running.seeded["sandboxAccountId"]
    assert client.productions.estimate(account, running.brief())["isAccepted"]
    briefs = [
        running.brief(externalId="batch-1"),
        running.brief(avatarId=str(uuid.uuid4()), externalId="batch-2"),
    ]
    with pytest.raises(Conflict, match=r"BATCH_REFUSED: .* items\[1\]: INVALID_REQUEST"):
        client.batches.trigger(account, briefs, mode="atomic")
    batch = client.batches.trigger(account, briefs[:1], idempotency_key="batch")
    assert (
        batch["batchId"]
        == client.batches.trigger(account, briefs[:1], idempotency_key="batch")["batchId"]
    )
    assert [each["externalId"] for each in client.batches.items(batch["batchId"])] == ["batch-1"]
    assert batch["batchId"] in [each["batchId"] for each in client.batches.list(account)]

    wanted = {
        "name": "Tides",
        "brief": running.brief(topic="Tides in {{city}}"),
        "variables": [{"name": "city"}],
    }
    template = client.templates.create(account, wanted)["templateId"]
    assert (
        client.templates.replace(account, template, wanted | {"name": "Tides of cities"})["name"]
        == "Tides of cities"
    )
    assert client.templates.get(account, template)["templateId"] in [
        each["templateId"] for each in client.templates.list(account)
    ]
    assert (
        client.templates.preview(account, template, {"values": {"city": "Brest"}})["brief"]["topic"]
        == "Tides in Brest"
    )
    single = client.templates.trigger(account, template, {"values": {"city": "Brest"}})
    table = client.templates.trigger_table(account, template, "city\nCork\nBristol\n")
    assert (single["topic"], table["size"]) == ("Tides in Brest", 2)
    client.templates.delete(account, template)
    for each in (batch, table):
        client.batches.cancel(each["batchId"])
        assert client.batches.get(each["batchId"])["cancelRequestedAt"]
    client.productions.cancel(single["productionId"])


def test_a_wrong_brief_names_its_fields(running, client):
    with pytest.raises(InvalidRequest) as raised:
        client.productions.trigger(
            running.seeded["sandboxAccountId"], running.brief(languageId="x") | {"topic": ""}
        )
    assert {"topic", "languageId"} <= raised.value.fields.keys()
    assert raised.value.correlation_id
