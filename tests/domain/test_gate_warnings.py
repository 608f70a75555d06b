"""What a quality gate is not sure of is a warning of the finished production,
and neither refuses it nor holds it back.
"""

import pytest
from support import plain_sql
from support.cast import body
from support.stage import claim, make, publish_all

from svc.domain.briefing import corrections
from svc.domain.lifecycle import lifecycle
from svc.domain.lifecycle.script_review import WrittenScript
from svc.domain.people import users
from svc.domain.people.users import Viewer
from svc.domain.productions import admin, gate_warnings, progress
from svc.domain.productions.gate_warnings import CODE, LONGEST, MOST, QualityWarning
from svc.domain.usage.model_costs import Prices
from svc.store.claims import LostClaim
from svc.store.database import db

SLOW, STILL = (
    QualityWarning("Reading speed: 22.", 2, "warning-1.jpg"),
    QualityWarning("Still picture: 4.3 s.", 3),
)
NOTES = "## Moon\n\n~~never~~ The sea rises.\n"


@pytest.fixture
def live(partner):
    """The partner with a live key and account, whose productions wait for their release."""
    return partner.live()


def finish(clock, *warnings: QualityWarning, written: WrittenScript | None = None) -> None:
    """Complete all steps; the last one with ``warnings``."""
    held = claim(clock)
    while step := progress.start_step(held, clock()):
        is_last = step["position"] == 6
        progress.complete_step(
            held,
            step,
            clock.tick(1),
            [make()] if is_last else (),
            written=written if step["position"] == 0 else None,
            warnings=warnings if is_last else (),
        )
        if is_last:
            break


def warnings_of(partner, production: str) -> list[dict]:
    return body(partner.get(f"/v1/productions/{production}"))["warnings"]


def test_a_warned_production_is_finished_and_says_so_after_what_its_brief_lacks(live, clock):
    production = body(live.trigger(metadataMD=NOTES))["productionId"]
    assert [each["code"] for each in warnings_of(live, production)] == ["CONTENT_SIMPLIFIED"]
    finish(clock, SLOW, STILL)
    found = body(live.get(f"/v1/productions/{production}"))
    assert (found["status"], found["errorCode"]) == ("AwaitingApproval", None)
    assert found["warnings"][1:] == [
        {"code": CODE, "message": SLOW.message},
        {"code": CODE, "message": STILL.message},
    ]


def test_events_are_those_of_any_finished_production(live, clock):
    production = body(live.trigger())["productionId"]
    finish(clock, SLOW)
    events = plain_sql.rows(
        "SELECT event_type, data FROM events WHERE production_id = ? ORDER BY sequence",
        (production,),
    )
    assert [row["event_type"] for row in events[-2:]] == [
        "deliverable.ready",
        "production.awaiting_approval",
    ]
    assert not any(CODE in row["data"] for row in events)


def test_an_account_that_releases_by_itself_releases_a_warned_production_too(partner, clock):
    production = body(partner.trigger())["productionId"]
    finish(clock, SLOW)
    assert (
        publish_all(clock)
        and body(partner.get(f"/v1/productions/{production}"))["status"] == "Published"
    )
    assert [each["message"] for each in warnings_of(partner, production)][-1:] == [SLOW.message]


def test_a_step_whose_commit_is_repeated_warns_once(live, clock):
    production = body(live.trigger())["productionId"]
    held = claim(clock)
    for _ in range(6):
        progress.complete_step(held, progress.start_step(held, clock()), clock.tick(1))
    last = progress.start_step(held, clock())
    progress.complete_step(held, last, clock.tick(1), [make()], warnings=[SLOW])
    with pytest.raises(LostClaim):
        progress.complete_step(held, last, clock.tick(1), [make()], warnings=[SLOW, STILL])
    assert len(warnings_of(live, production)) == len(body(live.trigger())["warnings"]) + 1


def test_a_correction_takes_the_warnings_back_and_its_rendering_has_its_own(live, clock):
    scene = {
        "scene": 1,
        "heading": "Moon",
        "narration": "The sea rises.",
        "points": [],
        "key_phrase": "",
        "picture": "",
        "visual": {"kind": "", "text": "", "columns": [], "rows": []},
    }
    production = body(live.trigger(metadataMD="## Moon\n\nThe sea rises.\n"))["productionId"]
    finish(clock, SLOW, STILL, written=WrittenScript([scene], "{}"))
    assert len(warnings_of(live, production)) == 2
    corrections.reopen(production, clock.tick(1))
    assert warnings_of(live, production) == []
    with db.transaction():
        lifecycle.end_review(production, clock(), None)
    finish(clock, STILL)
    assert [each["message"] for each in warnings_of(live, production)] == [STILL.message]


def test_a_retry_begins_without_the_warnings_of_the_production_before(app, live, clock):
    production = body(live.trigger())["productionId"]
    before = len(warnings_of(live, production))
    finish(clock, SLOW)
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Failed' WHERE id = ?", (production,))
    someone = Viewer(None, "Someone", "us@example.com", users.OPERATOR, None)
    again = admin.retry(
        someone, production, clock(), "c", Prices.from_settings(app.extensions["svc"].settings)
    )
    assert len(warnings_of(live, again)) == before


def test_no_more_than_some_are_kept():
    many = [QualityWarning("x" * LONGEST, number) for number in range(1, 200)]
    row = {"id": "p", "gate_warnings": gate_warnings.serialise_warnings(many)}
    assert [each.scene for each in gate_warnings.read_warnings(row)] == list(range(1, MOST + 1))
    assert (
        gate_warnings.serialise_warnings([]) is None
        and gate_warnings.read_warnings({"gate_warnings": None}) == []
    )
    assert len(row["gate_warnings"]) < 2 * MOST * LONGEST
