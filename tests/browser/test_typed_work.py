"""Nothing that was typed into the console is lost or overwritten,
and nothing is carried out twice.
"""

import threading

import pytest
from support import plain_sql
from support.cast import body
from support.scripts import scene, write_script

from svc.base import ids
from svc.domain.people import users
from svc.domain.productions import productions
from svc.store.database import db
from tests.browser.conftest import PASSWORD
from tests.browser.test_console import expect, until

pytestmark = pytest.mark.browser
LONG = "The sea rises. " * 334


def number_of(table: str) -> int:
    return plain_sql.one(f"SELECT count(*) FROM {table}")[0]


@pytest.fixture
def held(monkeypatch):
    """A trigger stands still until it is let go: the events that it has begun,
    and that it may go on.
    """
    begun, go_on, screen = threading.Event(), threading.Event(), productions.screen_before_trigger

    def stand_still(*given):
        begun.set()
        assert go_on.wait(60)
        return screen(*given)

    monkeypatch.setattr(productions, "screen_before_trigger", stand_still)
    yield begun, go_on
    go_on.set()


def press_twice(page, begun: threading.Event, go_on: threading.Event) -> None:
    """Press Trigger again while the first press is being answered.

    By the mouse: a locator would wait for the answer.
    """
    page.goto("/console/productions/new")
    page.get_by_label("Topic").fill("How tides work")
    button = page.get_by_role("button", name="Trigger")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    button.evaluate(
        "each => new MutationObserver(() => console.log('rests')).observe(each, { "
        "attributes: true })"
    )
    page.mouse.click(*place)
    assert begun.wait(60)
    page.mouse.click(*place)
    go_on.set()
    expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")


def test_a_button_rests_until_the_answer_has_come(site, visit, held):
    page, said = visit("owner"), []
    page.on("console", lambda message: said.append(message.text))
    press_twice(page, *held)
    assert "rests" in said and number_of("productions") == 1
    expect(page.get_by_text("You sent this form twice")).to_have_count(0)


def test_without_script_a_second_press_leads_to_the_production_of_the_first(site, visit, held):
    page = visit("owner", java_script_enabled=False)
    press_twice(page, *held)
    expect(page.get_by_text("You sent this form twice; it was carried out once.")).to_be_visible()
    assert number_of("productions") == 1


def test_a_long_text_is_kept_counted_and_refused_with_a_sentence(site, visit):
    page = visit("owner")
    page.goto("/console/productions/new")
    page.get_by_label("Topic").fill("How tides work")
    notes = page.get_by_label("Notes")
    notes.fill(LONG)
    expect(page.locator("#f-metadataMD-count")).to_have_text(
        "5,009 of 4,096 characters: 913 too many"
    )
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("alert")).to_have_text(
        "Not sent: this text has 5,009 characters, and at most 4,096 fit. Shorten it, and send "
        "it again."
    )
    assert notes.input_value() == LONG and number_of("productions") == 0
    expect(notes).to_be_focused()
    notes.fill(LONG[:4000])
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")


def test_two_tabs_that_edit_a_template_show_both_texts_and_one_is_chosen(site, visit):
    owner = site.somebody("owner")
    first, second = visit(user_id=owner), visit(user_id=owner)
    first.goto("/console/templates/new")
    first.get_by_label("Name").first.fill("City guide")
    first.get_by_label("Topic").fill("A day in the city")
    first.get_by_role("button", name="Save template").click()
    expect(first.locator("main")).to_contain_text("Template created.")
    for page in (first, second):
        page.goto(f"{first.url.partition('?')[0].removesuffix('/edit')}/edit")
    first.get_by_label("Notes").fill("The sea rises.")
    first.get_by_role("button", name="Save template").click()
    expect(first.locator("main")).to_contain_text("Template saved.")
    second.get_by_label("Notes").fill("The wind blows.")
    second.get_by_role("button", name="Save template").click()
    versions = second.locator(".versions pre")
    expect(versions).to_have_text(["The sea rises.", "The wind blows."])
    second.get_by_role("button", name="Save mine instead").click()
    expect(second.locator("main")).to_contain_text("Template saved.")
    assert '"metadataMD": "The wind blows."' in plain_sql.one("SELECT brief FROM templates")[0]


def test_a_script_that_was_changed_is_approved_with_its_changes(site, visit):
    production = body(site.partner.trigger(review="script"))["productionId"]
    write_script(site.clock, scene(1, "The sea rises."))
    page = visit("owner")
    page.goto(f"/console/productions/{production}/script")
    page.get_by_label("Narration").first.fill("Nobody sleeps when the sea rises.")
    page.locator("summary", has_text="Approve").click()
    page.get_by_role("button", name="Save and approve").click()
    expect(page.locator("main")).to_contain_text("The script is approved.")
    approved = body(site.partner.get(f"/v1/productions/{production}/script"))
    assert (approved["review"], approved["scenes"][0]["narration"]) == (
        "Approved",
        "Nobody sleeps when the sea rises.",
    )


def test_a_session_that_ends_while_a_brief_is_typed_costs_nothing(site, visit):
    user_id = site.somebody("owner")
    page = visit(user_id=user_id)
    page.goto("/console/productions/new")
    page.get_by_label("Topic").fill("How tides work")
    page.get_by_label("Notes").fill("The sea rises towards the moon.")
    with db.transaction():
        plain_sql.execute("DELETE FROM sessions")
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("status")).to_contain_text("What you typed is kept for an hour")
    page.get_by_label("E-mail address").fill(users.get(user_id)["email"])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Notes")).to_have_value("The sea rises towards the moon.")
    expect(page.get_by_label("Topic")).to_have_value("How tides work")
    assert number_of("productions") == 0
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")
    assert number_of("productions") == 1


def test_leaving_a_form_that_was_changed_asks_and_sending_it_does_not(site, visit):
    page, asked = visit("owner"), []

    def answer(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", answer)
    page.goto("/console/productions/new")
    page.get_by_label("Topic").click()
    page.get_by_role("link", name="Back to the productions").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Productions")
    assert asked == []
    page.goto("/console/productions/new")
    page.get_by_label("Topic").press_sequentially("How tides work")
    page.get_by_role("link", name="Back to the productions").click(no_wait_after=True)
    until(lambda: asked == ["beforeunload"])
    expect(page.get_by_label("Topic")).to_have_value("How tides work")
    page.get_by_role("button", name="Trigger").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How tides work")
    assert asked == ["beforeunload"]


def test_a_translation_is_saved_in_parts_and_started_when_it_is_whole(site, visit):
    site.partner.trigger(
        topic="Tides", metadataMD="The sea rises.", languageIds=[ids.derive_id("language", "es")]
    )
    production = plain_sql.one("SELECT production_id FROM translations")[0]
    page = visit("owner")
    page.goto(f"/console/productions/{production}/translation")
    expect(page.locator("main")).to_contain_text("from English to Spanish")
    page.get_by_label("Tides").fill("Mareas")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.locator("main")).to_contain_text("The draft is saved.")
    page.reload()
    expect(page.get_by_label("Tides")).to_have_value("Mareas")
    page.get_by_label("The sea rises.").fill("El mar sube.")
    page.get_by_role("button", name="Save and start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mareas")
