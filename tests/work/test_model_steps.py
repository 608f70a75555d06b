"""The engine with models behind real endpoints: they write and speak, they are paid,
they are down.
"""

import json
import re
from decimal import Decimal

import pytest
from support import plain_sql
from support.cast import body

from svc.api.resources import productions as productions_resource
from svc.base import clock as wall_clock
from svc.base import ids
from svc.domain import retry_schedule
from svc.media import model as programme
from svc.media.captions import stored_translations
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.store.database import db
from svc.work.engine import Engine
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import Completed
from tests.support import endpoints
from tests.support.patience import PATIENCE
from tests.work.test_engine import until

pytestmark = pytest.mark.slow


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def endpoint():
    with endpoints.Endpoint(endpoints.says(endpoints.GOOD)) as endpoint:
        yield endpoint


@pytest.fixture
def drive(app, endpoint):
    """Start an engine whose settings name the endpoint."""
    started = []

    def drive(**changes):
        service = app.extensions["svc"]
        given = {
            "script_url": endpoint.url,
            "script_model": "model-1",
            "script_price_output": Decimal(10),
            **changes,
        }
        for name, value in given.items():
            object.__setattr__(service.settings, name, value)
        engine = Engine(service.settings, service.storage, service.ring)
        engine.start()
        started.append(engine)
        until(lambda: plain_sql.row("SELECT 1 FROM meta WHERE name = 'heartbeat'"))

    yield drive
    for engine in started:
        engine.stop()


def trigger(partner) -> str:
    notes = (
        "---\nsandbox:\n  slowStep: narration\n  slowSeconds: 60\n---\n"
        "Boil the water and pour it. It takes 4 minutes."
    )
    return body(partner.trigger(topic="How tea is made", metadataMD=notes))["productionId"]


def attempts(production) -> int:
    return plain_sql.row(
        "SELECT attempts FROM production_steps WHERE production_id = ? AND position = 0",
        (production,),
    )[0]


def test_a_model_writes_the_script_and_is_paid(drive, partner, endpoint, app):
    drive()
    production = trigger(partner)
    until(lambda: plain_sql.row("SELECT steps_complete FROM productions")[0] == 1)
    text = (app.extensions["svc"].settings.work_dir / production / "script.json").read_text()
    assert '"author": "model-1"' in text and "Have" in text
    assert plain_sql.row("SELECT units_in, units_out, cost FROM model_charges")[:] == (
        1200,
        300,
        3000,
    )


def test_a_model_that_is_down_is_asked_again_and_the_production_goes_on(
    drive, partner, endpoint, monkeypatch
):
    monkeypatch.setattr(retry_schedule, "STEP_DELAYS", (300, 300, 300))  # milliseconds
    endpoint.answers[:] = [
        endpoints.fails(503),
        endpoints.fails(500),
        endpoints.says(endpoints.GOOD),
    ]
    drive()
    production = trigger(partner)
    until(lambda: plain_sql.row("SELECT steps_complete FROM productions")[0] == 1)
    assert len(endpoint.asked) == 3 and attempts(production) == 2


def test_a_model_that_stays_down_fails_the_production_clearly(
    drive, partner, endpoint, monkeypatch
):
    monkeypatch.setattr(retry_schedule, "STEP_DELAYS", (100,))
    endpoint.answers[:] = [endpoints.fails(503)]
    drive()
    production = trigger(partner)
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["errorCode"], found["failedStep"]) == ("MODEL_UNAVAILABLE", "script")
    assert "status 503" in found["errorMessage"] and "127.0.0.1" not in found["errorMessage"]


@pytest.mark.parametrize(
    ("answer", "code", "charged"),
    [
        (endpoints.fails(401), "MODEL_REFUSED", 0),
        (endpoints.says("I cannot do that."), "SCRIPT_INVALID", 2),
        (endpoints.floods, "MODEL_REFUSED", 0),
    ],
)
def test_an_answer_that_is_of_no_use_fails_it_at_once_and_is_paid_all_the_same(
    drive, partner, endpoint, answer, code, charged
):
    endpoint.answers[:] = [answer]
    drive()
    production = trigger(partner)
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    assert body(partner.get(f"/v1/productions/{production}"))["errorCode"] == code
    cost = 3000 * charged
    assert plain_sql.row("SELECT coalesce(sum(cost), 0) FROM model_charges")[0] == cost
    assert plain_sql.row("SELECT settled FROM ledger")[0] == cost


def test_a_rule_reads_what_a_model_wrote_and_the_model_is_paid(drive, partner, endpoint):
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, 'happens in the "
            "pot', 0, 0)"
        )
    drive()
    production = trigger(partner)
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    assert (
        body(partner.get(f"/v1/productions/{production}"))["errorCode"]
        == "SENSITIVITY_RULE_SUPPRESSED"
    )
    assert len(endpoint.asked) == 1 and plain_sql.row("SELECT settled FROM ledger")[0] == 3000


def translates(text: str):
    """Answer with a script, or, asked for captions, with each sentence as ``text``
    and its figures.
    """

    def answer(request: dict):
        if "translate" not in request["messages"][0]["content"]:
            return endpoints.says(endpoints.GOOD)(request)
        asked = json.loads(request["messages"][1]["content"])["sentences"]
        figures = [" ".join(re.findall(r"\d+", each["text"])) for each in asked]
        return endpoints.says(
            {"translations": [f"{text} {each}".strip() for each in figures]}, (500, 100)
        )(request)

    return answer


def with_captions(partner, **more) -> str:
    notes = (
        "---\nsandbox:\n  slowStep: video\n  slowSeconds: 60\n---\n"
        "Boil the water and pour it. It takes 4 minutes."
    )
    spanish = ids.derive_id("language", "es")
    return body(
        partner.trigger(
            topic="How tea is made", metadataMD=notes, captionLanguageIds=[spanish], **more
        )
    )["productionId"]


def test_a_model_translates_the_captions_before_anything_is_rendered_and_is_paid(
    drive, partner, endpoint, app
):
    endpoint.answers[:] = [translates("El té")]
    drive()
    production = with_captions(partner)
    until(lambda: plain_sql.row("SELECT steps_complete FROM productions")[0] == 2)
    [spanish] = stored_translations.read_translations(
        app.extensions["svc"].settings.work_dir / production
    )
    assert spanish.language == "es" and "El té 4" in [
        text for scene in spanish.scenes for text in scene
    ]
    assert plain_sql.row("SELECT count(*), sum(cost) FROM model_charges")[:] == (2, 4000)


def test_captions_are_translated_from_the_script_as_it_was_reviewed(drive, partner, endpoint, app):
    endpoint.answers[:] = [translates("El té")]
    drive()
    production = with_captions(partner, review="script")
    until(lambda: plain_sql.row("SELECT review FROM productions")[0] == "Awaited")
    script = body(partner.get(f"/v1/productions/{production}/script"))
    scenes = [{"sceneId": each["sceneId"]} for each in script["scenes"]]
    scenes[0] |= {"narration": "Nobody in Lisbon sleeps.", "keyPhrase": "Nobody"}
    assert len(endpoint.asked) == 1  # nothing is translated before it is approved
    assert (
        partner.put(
            f"/v1/productions/{production}/script", json={"version": 1, "scenes": scenes}
        ).status_code
        == 200
    )
    partner.post(f"/v1/productions/{production}/script/approve", json={})
    until(lambda: plain_sql.row("SELECT steps_complete FROM productions")[0] == 2)
    *_, request = endpoint.asked[1]
    asked = json.loads(request["messages"][1]["content"])["sentences"]
    assert (
        "Nobody in Lisbon sleeps." in [each["text"] for each in asked] and len(endpoint.asked) == 2
    )


def test_captions_that_are_wrong_twice_fail_the_production_in_its_narration(
    drive, partner, endpoint
):
    endpoint.answers[:] = [translates("916")]
    drive()
    production = with_captions(partner)
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["errorCode"], found["failedStep"]) == ("SCRIPT_INVALID", "narration")
    assert "into Spanish" in found["errorMessage"] and "916" in found["errorMessage"]


def test_a_rule_reads_translated_captions(drive, partner, endpoint):
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, 'palabra prohibida', "
            "0, 0)"
        )
    endpoint.answers[:] = [translates("Palabra prohibida")]
    drive()
    production = with_captions(partner)
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    assert (
        body(partner.get(f"/v1/productions/{production}"))["errorCode"]
        == "SENSITIVITY_RULE_SUPPRESSED"
    )


def test_a_cancel_does_not_wait_for_a_slow_model(drive, partner, endpoint, monkeypatch):
    endpoint.answers[:] = [endpoints.drips]
    # so that the answer comes when the work has ended
    monkeypatch.setattr(productions_resource, "_CANCEL_SECONDS", 60.0)
    # a renewal would notice it only a second later
    monkeypatch.setattr("svc.work.step_process.running._RENEW_EVERY", 10**9)
    drive()
    production = trigger(partner)
    until(lambda: endpoint.asked)
    answer = partner.delete(f"/v1/productions/{production}")
    assert (answer.status_code, body(answer)["status"]) == (200, "Cancelled")


def test_a_slow_model_ends_at_its_deadline(drive, partner, endpoint, monkeypatch):
    monkeypatch.setattr(retry_schedule, "STEP_DELAYS", ())
    endpoint.answers[:] = [endpoints.drips]
    drive(model_timeout_seconds=1)
    production = trigger(partner)
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Failed'"))
    assert "within 1 s" in body(partner.get(f"/v1/productions/{production}"))["errorMessage"]


def test_a_voice_behind_an_endpoint_speaks_in_the_child(tmp_path):
    renditions = (Rendition("s", 320, 180),)
    brief = VideoBrief(
        "p", "Tides", "Tides", "en", "US", "## One\n\nThe sea rises.", Presenter("Ada"), renditions
    )
    programme.save(brief, tmp_path / "brief.json")
    charges = []
    with endpoints.Endpoint(endpoints.speaks) as endpoint:
        config = StepConfig(speech={"url": endpoint.url, "model": "tts-1"}, speech_voice="alloy")
        for step in ("script", "narration"):
            assert (
                step_runner.run_step(
                    step, tmp_path, PATIENCE, lambda _: None, config, charges.append
                )
                == Completed()
            )
    assert '"voice": "tts-1"' in (tmp_path / "timeline.json").read_text()
    assert (
        sum(each["units_in"] for each in charges)
        == sum(len(body["input"]) for _, _, body in endpoint.asked)
        > 20
    )


def test_a_resumed_production_is_made_of_its_edited_script_and_no_model_writes_another(
    drive, partner, endpoint, app
):
    drive()
    notes = (
        "---\nsandbox:\n  slowStep: video\n  slowSeconds: 60\n---\n"
        "Boil the water and pour it. It takes 4 minutes."
    )
    brief = {**partner.brief(), "topic": "How tea is made", "metadataMD": notes, "review": "script"}
    url = f"/v1/accounts/{partner.account}/batches"
    batch = f"/v1/batches/{body(partner.post(url, json={'items': [brief]}))['batchId']}"
    until(lambda: plain_sql.row("SELECT review FROM productions")[0] == "Awaited")
    [before] = body(partner.get(f"{batch}/items"))["data"]
    script = body(partner.get(f"/v1/productions/{before['productionId']}/script"))
    scenes = [{"sceneId": each["sceneId"]} for each in script["scenes"]]
    scenes[0] |= {"narration": "Nobody in Lisbon sleeps.", "keyPhrase": "Nobody"}
    change = {"version": 1, "scenes": scenes}
    assert (
        partner.put(f"/v1/productions/{before['productionId']}/script", json=change).status_code
        == 200
    )
    partner.post(f"{batch}/cancel")
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Cancelled'"))
    partner.post(f"{batch}/resume")
    [after] = body(partner.get(f"{batch}/items"))["data"]
    until(
        lambda: (
            plain_sql.row("SELECT review FROM productions WHERE id = ?", (after["productionId"],))[
                0
            ]
            == "Awaited"
        )
    )
    shown = body(partner.get(f"/v1/productions/{after['productionId']}/script"))
    assert shown["version"] == 2 and shown["scenes"][0]["narration"] == "Nobody in Lisbon sleeps."
    partner.post(f"/v1/productions/{after['productionId']}/script/approve", json={"version": 2})
    until(
        lambda: (
            plain_sql.row("SELECT max(steps_complete) FROM productions WHERE status = 'Producing'")[
                0
            ]
            == 2
        )
    )
    made = (
        app.extensions["svc"].settings.work_dir / after["productionId"] / "script.json"
    ).read_text("utf-8")
    assert "Lisbon" in made and len(endpoint.asked) == 1
