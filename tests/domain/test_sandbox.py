"""Sandbox scenarios."""

import re
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import body, refused
from support.counting import lines_run
from support.stage import DRIVER, claim, complete_steps, publish_all

from svc.domain.lifecycle import endings, render_queue, sandbox
from svc.domain.partners import sensitivity
from svc.domain.productions import distribution, progress, publications
from svc.media.script import markdown
from svc.store.database import db


def matter(*lines):
    return "\n".join(
        ["---", "sandbox:", *(f"  {line}" for line in lines), "---", "", "# The notes"]
    )


def status(production):
    return plain_sql.row("SELECT status FROM productions WHERE id = ?", (production,))["status"]


def test_a_brief_without_a_scenario_has_none():
    for text in (
        None,
        "",
        "# Notes",
        "---\ntitle: x\n---\n",
        "---\n[[[\n---\n",
        "---\nsandbox: {}",
        "---\n" + "[" * 4000 + "\n---\n",
    ):
        assert sandbox.parse_scenario(text) == sandbox.NO_SCENARIO


def test_a_scenario_is_read():
    text = matter(
        "failAt: video",
        "failCode: RENDER_FAILED",
        "slowStep: script",
        "slowSeconds: 3",
        "deliverables: 120",
    )
    assert sandbox.parse_scenario(text) == sandbox.Scenario(
        fail_at="video",
        fail_code="RENDER_FAILED",
        slow_step="script",
        slow_seconds=3,
        deliverables=120,
    )
    assert sandbox.scenario_from_json(
        sandbox.parse_scenario(text).to_json()
    ) == sandbox.parse_scenario(text)


@pytest.mark.parametrize(
    "line",
    [
        "failAt: nowhere",
        "failCode: lower",
        "slowSeconds: 601",
        "slowSeconds: true",
        "deliverables: 0",
        "holdIn: Published",
        "x: 1",
        "1: 1",
    ],
)
def test_a_scenario_that_there_is_not_is_refused(partner, line):
    found = refused(partner.trigger(metadataMD=matter(line)), 400, "INVALID_REQUEST")
    assert "sandbox" in found["fields"]["metadataMD"][0]


def test_live_accounts_have_no_scenarios(partner):
    production = body(partner.live().trigger(metadataMD=matter("x: 1", "holdIn: Queued")))[
        "productionId"
    ]
    assert (
        plain_sql.row("SELECT scenario FROM productions WHERE id = ?", (production,))["scenario"]
        is None
    )


@pytest.mark.parametrize("state", ["Queued", "Producing", "AwaitingApproval", "Distributing"])
def test_a_production_is_held_in_a_state_and_can_be_cancelled_there(partner, clock, state):
    production = body(partner.trigger(metadataMD=matter(f"holdIn: {state}")))["productionId"]
    if state == "Queued":
        assert claim(clock) is None
    elif state == "Producing":
        held = complete_steps(clock, 1)
        assert progress.start_step(held, clock()) is None
        render_queue.release_claim(held)
        assert claim(clock) is None
    else:
        complete_steps(clock)
        assert publish_all(clock) == []
    assert status(production) == state
    clock.tick(600)
    assert claim(clock) is None and publications.claim_next(DRIVER, clock()) is None
    with db.transaction():
        plain_sql.execute("UPDATE productions SET cancel_token = 'x'")
    assert endings.finish_cancel(production, clock()) and status(production) == "Cancelled"


def test_a_production_held_for_approval_is_released_by_an_operator(partner, clock):
    production = body(partner.trigger(metadataMD=matter("holdIn: AwaitingApproval")))[
        "productionId"
    ]
    complete_steps(clock)
    distribution.release(production, clock())
    publish_all(clock)
    assert status(production) == "Published"


def test_the_documentation_names_every_scenario():
    guide = (Path(sandbox.__file__).parents[2] / "api" / "document" / "guide.md").read_text("utf-8")
    example = guide.split("```yaml")[1].split("```")[0].strip()
    assert set(re.findall(r"^  (\w+):", example, re.MULTILINE)) == set(sandbox._FIELDS)
    assert sandbox.parse_scenario(example).hold_in == "AwaitingApproval"


MERGES = "a: &a {x: 1}\n" + "".join(
    f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n"
    for before, name in zip("abcdefgh", "bcdefghi")
)


@pytest.mark.parametrize(
    "text",
    [MERGES + "sandbox: {failAt: video}", MERGES, "sandbox:\n  x: " + "[" * 4000, "[" * 4000],
)
def test_a_bomb_in_the_front_matter_costs_nothing(partner, text):
    partner.trigger()  # the first request loads what the others use
    answers = []
    steps = lines_run(
        lambda: answers.append(partner.trigger(metadataMD=f"---\n{text}\n---\nwords"[:4096]))
    )
    [response] = answers
    if "sandbox" in text:
        assert steps < 10 * 4096  # YAML of this length that is read takes a hundred times as many
        assert (
            "cannot be read" in refused(response, 400, "INVALID_REQUEST")["fields"]["metadataMD"][0]
        )
    else:
        assert response.status_code == 202  # text like any other, which nobody reads as YAML


NOTES = "---\nOpening hours: 9 to 5\n---\nThe museum is closed on Mondays."


def test_rules_at_the_top_of_ordinary_notes_take_nothing_away(partner):
    """A line with a colon looks like YAML, and is what somebody wrote."""
    accepted = partner.trigger(metadataMD=NOTES)
    assert accepted.status_code == 202 and body(accepted)["warnings"] == []
    assert "Opening hours: 9 to 5" in sensitivity.extract_markdown_text(
        NOTES
    ) and "closed on Mondays" in sensitivity.extract_markdown_text(NOTES)
    # in the script, too
    assert any("Opening hours" in block.text for block in markdown.parse_blocks(NOTES))


def test_a_brief_of_nothing_but_a_scenario_is_as_empty_as_before(partner):
    warnings = body(partner.trigger(metadataMD="---\nsandbox: {holdIn: Queued}\n---\n"))["warnings"]
    assert [each["code"] for each in warnings] == ["NOTES_EMPTY"]


@pytest.mark.parametrize(
    "text",
    ["sandbox: [", "sandbox:\n  failAt: 'video", "sandbox: {failAt: video", "sandbox: words"],
)
def test_a_scenario_that_is_no_valid_yaml_is_refused(partner, text):
    answer = partner.trigger(metadataMD=f"---\n{text}\n---\nwords")
    assert (
        "front matter cannot be read"
        in refused(answer, 400, "INVALID_REQUEST")["fields"]["metadataMD"][0]
    )
