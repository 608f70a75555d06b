"""What the documents promise of pages, of which each is looked at as somebody who is signed
in sees it.
"""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import NOON, body, text
from support.outbox import answer, claim
from support.stage import complete_steps, make, publish_all

from app import create_app
from svc.base import clock as times
from svc.base import settings, start_failures
from svc.cli.installation import seed
from svc.store import meta
from svc.store.database import db
from tests.support.cast import Person

ROOT = Path(__file__).parents[3]


def test_the_calls_that_a_page_shows_answer_with_what_it_shows(app, owner, partner, busy):
    brief = {**partner.brief(), "topic": "{{city}}"}
    template = {"name": "Guide", "brief": brief, "variables": [{"name": "city"}]}
    at, origin = f"/v1/accounts/{partner.account}", app.extensions["svc"].settings.base_url
    made = body(partner.post(f"{at}/templates", json=template))["templateId"]
    batch = body(partner.post(f"{at}/batches", json={"items": [partner.brief()]}))["batchId"]
    for path, number in (
        (f"productions/{busy['done']}", 4),
        (f"webhooks/{busy['subscription']}", 2),
        (f"batches/{batch}", 2),
        (f"templates/{made}", 2),
    ):
        page = html.unescape(text(owner.get(f"/console/{path}")))
        shown = page.partition('id="api-calls"')[2].partition("<pre")[2].partition("</pre>")[0]
        calls = re.findall(rf'curl --header "X-API-Key: \$KEY" {origin}(/v1/[^\s<]+)', shown)
        assert len(calls) == number and path.split("/")[1] in calls[0], path
        for call in calls:
            assert partner.get(call).status_code == 200, call


def beat(at: int) -> None:
    with db.transaction():
        meta.put("heartbeat", at)


def test_home_says_whether_the_engine_is_well(operator, clock):
    assert "No engine has run" in text(operator.get("/console/"))
    beat(clock())
    page = text(operator.get("/console/"))
    assert "Running" in page and "no sign of the engine" not in page
    clock.tick(60)
    assert "There has been no sign of the engine for 1 min" in text(operator.get("/console/"))


def test_home_says_why_a_process_cannot_start_to_operators_alone(app, operator, owner, clock):
    data_dir = app.extensions["svc"].settings.data_dir
    start_failures.record(data_dir, "The secret is missing.", clock())
    page = text(operator.get("/console/"))
    assert "A process of the service could not start" in page and "The secret is missing." in page
    assert "could not start" not in text(owner.get("/console/"))
    start_failures.forget(data_dir)
    assert "could not start" not in text(operator.get("/console/"))


@pytest.mark.parametrize(
    "why, shown",
    [
        ("No rights for caf\udce9/secret", "No rights for caf/secret"),
        ("one\x00\n\u202etwo", "one two"),
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
        ("\x00", "No reason."),
    ],
)
def test_home_shows_any_reason_for_which_a_process_cannot_start(app, operator, clock, why, shown):
    start_failures.record(app.extensions["svc"].settings.data_dir, why, clock())
    assert f"</time>): {shown}</p>" in operator.get("/console/").text


@pytest.mark.parametrize(
    "note",
    ["", "{}", "[]", '"x"', '{"at": 1e999, "why": "x"}', '{"at": 1, "why": [1]}', "[" * 100_000],
)
def test_home_is_shown_beside_a_malformed_note(app, operator, note):
    (app.extensions["svc"].settings.data_dir / start_failures.NAME).write_text(note)
    assert "could not start" not in text(operator.get("/console/"))


def test_the_page_of_a_production_says_what_it_costs(owner, partner, clock):
    with db.transaction():
        plain_sql.execute("UPDATE project_types SET price = 2500000")
    production = body(partner.trigger())["productionId"]
    assert '2.50 <span class="quiet">reserved in 2026-11' in text(
        owner.get(f"/console/productions/{production}")
    )
    complete_steps(clock, made=[make()])
    publish_all(clock)
    assert '2.50 <span class="quiet">of 2026-11' in text(
        owner.get(f"/console/productions/{production}")
    )


def test_the_list_of_webhooks_shows_how_the_latest_deliveries_of_each_went(owner, partner, clock):
    hook = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    partner.post("/v1/webhooks", json=hook)
    for _ in range(4):
        partner.trigger()
        answer(claim(clock()), clock(), 200)
        clock.tick(1)
    with db.transaction():
        plain_sql.execute(
            "UPDATE deliveries SET status = 'Failed' WHERE id = (SELECT max(id) FROM deliveries)"
        )
    assert "75 %" in text(owner.get("/console/webhooks/"))


def test_the_time_to_live_of_a_production_is_that_of_the_setting(tmp_path, clock):
    given = settings.read(
        {"SVC_PRODUCTION_TTL_HOURS": "5"}, data_dir=tmp_path / "data", base_url="http://localhost"
    )
    app = create_app(given, clock)
    with db.transaction():
        seeded = seed.make_partner("Enterprise", clock())
    made = body(Person(app.test_client(), seeded, seeded["testKey"]).trigger())
    assert made["expiresAt"] == times.format_time(NOON + 5 * times.HOUR)
    app.extensions["svc"].recorder.stop()
    db.close()


@pytest.mark.parametrize("has_av", [True, False])
def test_the_bill_of_materials_names_the_libraries_that_the_av_wheel_does_not_declare(
    tmp_path, has_av
):
    names = ["Flask", "espeakng-loader", *(["av"] if has_av else [])]
    (tmp_path / "found.json").write_text(
        json.dumps({"components": [{"name": name} for name in names]})
    )
    command = [sys.executable, ROOT / ".ci" / "sbom_libraries.py", tmp_path / "found.json"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (told.returncode == 0) == has_av
    if has_av:
        parents = json.loads(told.stdout)["components"]
        inside = {each["name"]: each for parent in parents for each in parent.get("components", ())}
        assert (
            inside["x264"]["licenses"]
            == inside["x265"]["licenses"]
            == [{"license": {"id": "GPL-2.0-or-later"}}]
        )
        assert "espeak-ng" in inside and len(inside) == 4
