"""The scenes of a script are moved by their handle, by buttons and by keys,
and a stale key phrase is seen.
"""

import pytest
from support.cast import body
from support.scripts import scene, write_script

from tests.browser.test_console import expect

pytestmark = pytest.mark.browser
SCENES = [
    scene(number, f"Words of {name}.", key_phrase=f"Words of {name}")
    for number, name in enumerate("abc", 1)
]


@pytest.fixture
def editor(site, visit):
    production_id = body(site.partner.trigger(review="script"))["productionId"]
    write_script(site.clock, *SCENES)
    page = visit("owner")
    page.goto(f"/console/productions/{production_id}/script")
    return page


def order(page) -> list[str]:
    """What the scenes say, in their order; their numbers and positions must be those of it."""
    scenes = page.locator("[data-scene]")
    positions = scenes.locator('[name="position"]').evaluate_all(
        "all => all.map(each => each.value)"
    )
    places = scenes.locator("[data-place]").all_inner_texts()
    assert positions == places == [str(number) for number in range(1, scenes.count() + 1)]
    narrations = scenes.locator('[name="narration"]').evaluate_all(
        "all => all.map(each => each.value)"
    )
    return [each.removeprefix("Words of ").rstrip(".") for each in narrations]


def test_a_scene_is_moved_by_buttons_and_keys_and_keeps_the_focus(editor):
    down = editor.get_by_role("button", name="Move down")
    down.first.click()
    assert order(editor) == ["b", "a", "c"]
    expect(editor.locator("[data-moved]")).to_have_text("Now scene 2 of 3.")
    expect(down.nth(1)).to_be_focused()
    narration = editor.get_by_label("Narration").nth(2)
    narration.press("Alt+ArrowUp")
    narration = editor.get_by_label("Narration").nth(1)
    expect(narration).to_be_focused()
    narration.press("Alt+ArrowUp")
    assert order(editor) == ["c", "b", "a"]
    editor.get_by_label("Position").first.fill("3")
    editor.get_by_label("Position").first.press("Tab")
    assert order(editor) == ["b", "a", "c"]
    editor.get_by_role("button", name="Save", exact=True).click()
    expect(editor.locator("main")).to_contain_text("The script is saved.")
    assert order(editor) == ["b", "a", "c"]


def test_a_scene_is_dragged_by_its_handle(editor):
    grip = editor.locator("[data-drag]").first.bounding_box()
    editor.mouse.move(grip["x"] + 5, grip["y"] + 5)
    editor.mouse.down()
    expect(editor.locator(".sorting")).to_have_count(1)
    last = editor.locator("[data-scene]").last.bounding_box()
    editor.mouse.move(grip["x"] + 5, last["y"] + last["height"], steps=4)
    editor.mouse.up()
    assert order(editor) == ["b", "c", "a"]
    expect(editor.locator(".sorting, .held")).to_have_count(0)


def test_a_key_phrase_that_is_no_longer_said_is_told_while_one_types(editor):
    narration, note = editor.get_by_label("Narration").first, editor.locator("[data-stale]").first
    narration.fill("Something else.")
    expect(note).to_have_text("No longer said: another one is chosen when you save.")
    narration.fill("These are words  of A, again.")
    expect(note).to_have_text("")
