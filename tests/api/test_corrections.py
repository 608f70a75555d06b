"""Corrections of productions that are rendered: back to the review of the script,
and forward as a new revision.
"""

import pytest
from support import plain_sql
from support.cast import body, refused
from support.outbox import claim as taken
from support.scripts import render
from support.stage import claim, complete_cancels, complete_steps, publish_all

from svc.base.errors import CommandError
from svc.domain.briefing import corrections
from svc.domain.lifecycle import endings, script_review
from svc.domain.productions import distribution
from svc.work import brief_builder


@pytest.fixture
def live(partner):
    return partner.live()


@pytest.fixture
def rendered(live, clock) -> str:
    """A live production that awaits its release; nobody asked for a review of its script."""
    production = body(live.trigger(review="none"))["productionId"]
    assert render(clock) == production
    return production


def status(person, production: str) -> dict:
    return body(person.get(f"/v1/productions/{production}"))


def reopen(person, production: str):
    return person.post(f"/v1/productions/{production}/script/reopen")


def correct(person, production: str, version: int = 1) -> None:
    """Change the first scene, and approve the script."""
    url = f"/v1/productions/{production}/script"
    change = {
        "version": version,
        "scenes": [{"sceneId": 1, "narration": "The sea sinks."}, {"sceneId": 2}],
    }
    assert person.put(url, json=change).status_code == 200
    assert person.post(f"{url}/approve").status_code == 202


def test_a_rendered_production_goes_back_to_the_review_of_its_script(rendered, live):
    assert body(live.get(f"/v1/productions/{rendered}/script"))["review"] is None
    found = reopen(live, rendered)
    assert found.status_code == 202
    shown = body(found)
    assert (shown["status"], shown["holdReason"], shown["revision"]) == (
        "Producing",
        "ScriptReview",
        2,
    )
    assert (shown["stepsComplete"], shown["progressPercent"], shown["estimatedCompletionAt"]) == (
        1,
        14,
        None,
    )
    assert [step["status"] for step in status(live, rendered)["steps"]] == [
        "Completed",
        *["Pending"] * 6,
    ]
    assert body(live.get(f"/v1/productions/{rendered}/deliverables"))["data"] == []
    assert body(live.get(f"/v1/productions/{rendered}/script"))["review"] == "Awaited"


def test_the_corrected_script_is_made_as_the_next_revision(rendered, live, clock):
    before = body(live.get(f"/v1/productions/{rendered}/deliverables"))["data"]
    reopen(live, rendered)
    assert claim(clock) is None  # it waits
    correct(live, rendered)
    [first, second] = brief_builder.build_brief(rendered).edits
    assert (first.narration, second.narration) == ("The sea sinks.", "A lion waits.")
    assert render(clock, wanted=False) == rendered
    found = status(live, rendered)
    assert (found["status"], found["revision"], found["holdReason"]) == (
        "AwaitingApproval",
        2,
        None,
    )
    after = body(live.get(f"/v1/productions/{rendered}/deliverables"))["data"]
    assert len(after) == 2 and not {each["deliverableId"] for each in after} & {
        each["deliverableId"] for each in before
    }
    events = body(live.get(f"/v1/productions/{rendered}/events?limit=100"))["data"]
    numbers = [
        each["sequenceNumber"] for each in events if each["eventType"] != "production.script.ready"
    ]
    assert numbers == list(range(1, len(events)))
    assert [each["eventType"] for each in events].count("production.awaiting_approval") == 2


def test_a_correction_costs_nothing_but_what_models_charge(rendered, live, clock):
    def spent() -> list[tuple]:
        return [
            tuple(row)
            for row in plain_sql.rows("SELECT owner_id, amount FROM spend_months ORDER BY 1")
        ]

    before = spent()
    reopen(live, rendered)
    assert spent() == before
    correct(live, rendered)
    render(clock, wanted=False)
    assert spent() == before
    size = "SELECT bytes FROM partner_storage"
    assert plain_sql.one(size)[0] == 200  # of the files that are there


def test_reopening_again_changes_nothing_and_tells_once(rendered, live, clock):
    url = "https://93.184.215.14/hooks"
    live.post("/v1/webhooks", json={"endpointUrl": url, "eventTypes": ["production.script.ready"]})
    for _ in range(2):
        assert body(reopen(live, rendered))["revision"] == 2
    assert len(taken(clock())) == 1


def test_only_what_awaits_approval_is_corrected(rendered, live, partner, clock):
    other = body(live.trigger())["productionId"]
    message = refused(reopen(live, other), 409, "CORRECTION_NOT_POSSIBLE")["message"]
    assert message.endswith("; it is Queued.")  # its script is not written yet
    distribution.release(rendered, clock())
    message = refused(reopen(live, rendered), 409, "CORRECTION_NOT_POSSIBLE")["message"]
    assert message.endswith("; it is released already.")
    assert status(live, rendered)["revision"] == 1


def test_a_production_that_is_released_by_itself_is_not_corrected(partner, clock):
    production = body(partner.trigger())["productionId"]
    assert render(clock, wanted=False) == production
    message = refused(reopen(partner, production), 409, "CORRECTION_NOT_POSSIBLE")["message"]
    assert message.endswith("; it is released already.")
    publish_all(clock)
    message = refused(reopen(partner, production), 409, "CORRECTION_NOT_POSSIBLE")["message"]
    assert message.endswith("; it is Published.")


def test_a_production_has_ten_revisions_at_most(rendered, live, clock):
    for revision in range(2, corrections.MOST_REVISIONS + 1):
        assert body(reopen(live, rendered))["revision"] == revision
        live.post(f"/v1/productions/{rendered}/script/approve")
        render(clock, wanted=False)
    assert (
        "10 revisions" in refused(reopen(live, rendered), 409, "CORRECTION_NOT_POSSIBLE")["message"]
    )


def test_a_corrected_production_can_be_cancelled_or_expire(rendered, live, clock):
    reopen(live, rendered)
    clock.tick(73 * 3600)
    assert endings.expire_unreleased(clock()) == 1
    assert status(live, rendered)["errorCode"] == "EXPIRED"
    second = body(live.trigger())["productionId"]
    render(clock)
    reopen(live, second)
    live.delete(f"/v1/productions/{second}")
    complete_cancels(clock)
    assert status(live, second)["status"] == "Cancelled"


def test_the_script_is_kept_for_corrections_until_the_end(rendered, live, clock):
    assert script_review.find_written_script(rendered) is not None
    endings.fail_production(rendered, endings.Cause.REJECTED, "REJECTED_BY_OPERATOR", "no", clock())
    assert script_review.find_written_script(rendered) is None
    refused(reopen(live, rendered), 409, "CORRECTION_NOT_POSSIBLE")


def test_nobody_reopens_a_script_of_another_partner(rendered, stranger, live):
    refused(reopen(stranger, rendered), 404, "NOT_FOUND")
    assert status(live, rendered)["revision"] == 1


def test_a_release_and_a_correction_meet_and_one_of_them_wins(rendered, live, clock):
    reopen(live, rendered)
    with pytest.raises(Exception, match="Only a production that awaits its release"):
        distribution.release(rendered, clock())
    correct(live, rendered)
    complete_steps(clock, 6)
    distribution.release(rendered, clock())
    refused(reopen(live, rendered), 409, "CORRECTION_NOT_POSSIBLE")


def test_what_is_being_cancelled_is_not_reopened_though_its_script_is_under_review(
    rendered, live, clock
):
    reopen(live, rendered)
    live.delete(f"/v1/productions/{rendered}")
    message = refused(reopen(live, rendered), 409, "CORRECTION_NOT_POSSIBLE")["message"]
    assert message.endswith("; it is being cancelled.")
    complete_cancels(clock)
    message = refused(reopen(live, rendered), 409, "CORRECTION_NOT_POSSIBLE")["message"]
    assert message.endswith("; it is Cancelled.")


def test_a_release_and_a_rejection_say_why_they_are_refused(live, rendered, clock):
    distribution.release(rendered, clock())
    with pytest.raises(CommandError, match="it is released already"):
        distribution.release(rendered, clock())
    live.delete(f"/v1/productions/{rendered}")
    for end, state in (
        (lambda: None, "being cancelled"),
        (lambda: complete_cancels(clock), "Cancelled"),
    ):
        end()
        with pytest.raises(CommandError, match=f"released; it is {state}"):
            distribution.release(rendered, clock())
        with pytest.raises(CommandError, match=f"rejected; it is {state}"):
            distribution.reject(rendered, "No.", clock())
