"""A queue that an operator paused is said on the pages of those whose productions wait,
and on each of these productions.
"""

import pytest
from support.cast import body, text
from support.scripts import scene, write_script
from support.stage import claim

from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import engine_heartbeat
from svc.domain.people.users import Viewer
from svc.store.database import db

ADA = Viewer(None, "Ada", "ada@example.com", "operator", None)
NOTE = "has been paused"


def test_the_whole_queue_is_said_to_be_paused_wherever_productions_wait(
    operator, owner, stranger, partner, clock
):
    waiting = body(partner.trigger())["productionId"]
    pages = (
        "/console/",
        "/console/now",
        "/console/productions/",
        f"/console/productions/{waiting}",
    )
    for browser in (operator, owner):
        assert [each for each in pages if NOTE in text(browser.get(each))] == []
    with db.transaction():
        engine_heartbeat.record_heartbeat(clock())
    render_queue.pause(ADA, None, clock())
    for browser in (operator, owner):
        assert [each for each in pages if NOTE not in text(browser.get(each))] == []
        assert ("/console/maintenance" in text(browser.get("/console/now"))) == (
            browser is operator
        )
    home, listed = text(operator.get("/console/")), text(owner.get("/console/productions/"))
    assert (
        ">Paused</span>" in home
        and "waits: the queue is paused" in home
        and "the queue is paused</span>" in listed
    )
    render_queue.resume(ADA, None, clock())
    assert NOTE not in text(owner.get("/console/")) and ">Paused</span>" not in text(
        operator.get("/console/")
    )


def test_a_paused_partner_is_named_and_others_hear_nothing_of_it(
    operator, owner, partner, stranger, clock
):
    mine, theirs = body(partner.trigger())["productionId"], body(stranger.trigger())["productionId"]
    render_queue.pause(ADA, stranger.seeded["partnerId"], clock())
    assert NOTE in text(operator.get("/console/")) and NOTE not in text(owner.get("/console/"))
    assert NOTE in text(operator.get(f"/console/productions/{theirs}"))
    assert NOTE not in text(operator.get(f"/console/productions/{mine}"))
    assert ">Paused</span>" not in text(operator.get("/console/"))  # the engine runs for the others


def test_what_does_not_wait_for_its_turn_does_not_say_so(owner, partner, clock):
    script = body(partner.trigger(topic="Script", review="script"))["productionId"]
    write_script(clock, scene(1))
    running = body(partner.trigger(topic="Running"))["productionId"]
    assert claim(clock).production_id == running
    render_queue.pause(ADA, None, clock())
    for each in (script, running):
        assert NOTE not in text(owner.get(f"/console/productions/{each}"))
    assert "the queue is paused</span>" not in text(owner.get("/console/productions/"))


def test_a_page_that_polls_learns_of_the_pause(owner, partner, clock):
    place = f"/console/productions/{body(partner.trigger())['productionId']}/live"
    seen = text(owner.get(place.removesuffix("/live"))).split("seen=")[1].split('"')[0]
    assert owner.get(f"{place}?seen={seen}").status_code == 204
    render_queue.pause(ADA, None, clock())
    assert NOTE in text(owner.get(f"{place}?seen={seen}"))


@pytest.mark.parametrize("whole", [True, False])
def test_a_paused_queue_in_which_nothing_waits_is_shown_and_can_be_resumed(
    operator, partner, clock, whole
):
    render_queue.pause(ADA, None if whole else partner.seeded["partnerId"], clock())
    page = text(operator.get("/console/maintenance"))
    assert "Resume" in page and NOTE in text(operator.get("/console/"))
