"""The lower third: name and role of the presenter, shown for some seconds near the start."""

import dataclasses
from itertools import pairwise

import av
import numpy as np
import pytest
from PIL import Image
from small_programme import (
    ENGLISH,
    LANDSCAPE,
    PORTRAIT,
    brief_of,
    finish,
    ignore,
    prepare,
    scene,
    timeline_of,
)

from svc.media.brand_kit import BrandKit
from svc.media.cache import Cache
from svc.media.checks import run as checks
from svc.media.checks import text as text_checks
from svc.media.drawing.looks import LOOKS
from svc.media.model import Lettering, Presenter, QualityFindings, Rendition, Script, load
from svc.media.resources import Resources
from svc.media.script.descriptions import describe_scene
from svc.media.video import lower_third, render
from svc.media.video.scene import SceneRenderer
from svc.media.video.storyboard import Fade, Motion, plan_changes

KIT = BrandKit(lower_third=True)
ADA = Presenter("Ada Vale", role="Chief economist")
SHAPES = [
    Rendition("landscape", 960, 540),
    Rendition("portrait", 540, 960),
    Rendition("square", 540, 540),
]
TIMELINE = timeline_of()


def drawn(rendition=SHAPES[0], language="en", **changes) -> SceneRenderer:
    script = dataclasses.replace(ENGLISH, language=language)
    return SceneRenderer(
        brief_of(script, **{"avatar": ADA, "brand": KIT, **changes}), script, rendition
    )


def box_of(tile) -> tuple[int, int, int, int]:
    height, width = tile.pixels.shape[:2]
    return tile.left, tile.top, tile.left + width, tile.top + height


def shares(timeline=TIMELINE, script=ENGLISH, motion=Motion(lower_third=True)):
    """How much of the panel each change of the picture shows: (frame, scene, share)."""
    board = list(plan_changes(script, timeline, (), 30, motion))
    for change in board:
        if isinstance(change.shown, Fade):
            assert change.shown.before.lower_third == change.shown.after.lower_third == 0
    return [
        (change.frame, change.shown.scene, change.shown.lower_third)
        for change in board
        if not isinstance(change.shown, Fade)
    ]


def test_it_is_shown_in_the_first_scene_with_time_for_it_and_gone_before_its_last_word_has_ended():
    shown = [(frame, share) for frame, number, share in shares() if share]
    # the title is spoken in less than two seconds
    assert {number for _, number, share in shares() if share} == {1}
    timing = TIMELINE.scenes[1]
    assert shown[0][0] == round(timing.start * 30) + 15 and shown[-1][0] < round(
        timing.words[-1].end * 30
    )
    values = [share for _, share in shown]
    peak = values.index(1.0)
    assert all(one <= other for one, other in pairwise(values[: peak + 1]))
    assert all(one >= other for one, other in pairwise(values[peak:])) and values[-1] < 0.3


def test_a_long_scene_shows_it_for_six_seconds_and_a_programme_without_time_never():
    long = Script("Tea", "en", (scene("title", "Tea", " ".join(["tea"] * 40)), *ENGLISH.scenes[1:]))
    window = lower_third.find_shown_window(timeline_of(long), 30)
    assert (window.scene, window.first, window.end) == (0, 15, 195)
    hasty = Script("Tea", "en", tuple(scene("title", "Tea", "Tea is hot.") for _ in range(3)))
    assert lower_third.find_shown_window(timeline_of(hasty), 30) is None
    assert {share for *_, share in shares(timeline_of(hasty), hasty)} == {0.0}


def test_only_an_account_that_wants_it_and_a_presenter_who_is_shown_have_it():
    def has(**changes) -> bool:
        return render.choose_motion(brief_of(**changes), drawn(**changes)).lower_third

    assert has(brand=KIT, avatar=ADA)
    assert not has(brand=BrandKit(), avatar=ADA)
    assert not has(brand=KIT, avatar=dataclasses.replace(ADA, figure="none"))


NAMES = [
    ("en", "Ada Vale", "Chief economist", "Harbour & Sons"),
    ("ar", "ليلى حداد", "كبيرة الاقتصاديين", "ميناء"),
    (
        "en",
        "Maximiliane-Theodora von Hohenlohe-Schillingsfürst",
        "Deputy head of sustainable coastal infrastructure, North",
        "Roasters and Sons of the Upper Harbour Limited",
    ),
    ("en", "W" * 60, "W" * 60, "W" * 60),
    ("en", "\u202eadA\u202c {name}\u0300\u0301", "<b>%s</b> \U0001f600 \U000f0000 שלום Ada", ""),
    ("en", "", "", ""),
]


@pytest.mark.slow
@pytest.mark.parametrize("rendition", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("look", LOOKS)
def test_any_name_is_legible_in_its_place_and_covers_the_name_below_it(look, rendition):
    for number, (language, name, role, account) in enumerate(NAMES):
        studio = drawn(
            rendition,
            language,
            look=look,
            theme=("dark", "light")[number % 2],
            avatar=Presenter(name, role=role),
            account_name=account,
        )
        tile, plan = studio.draw_lower_third(), studio.plan
        texts = studio.drain_texts()
        left, top, right, bottom = box_of(tile)
        assert left % 2 == top % 2 == right % 2 == bottom % 2 == 0
        for other in (plan.strip, plan.content, plan.presenter):  # one pixel: even edges
            assert (
                right - 1 <= other[0]
                or other[2] <= left + 1
                or bottom - 1 <= other[1]
                or other[3] <= top + 1
            )
        lettering = dataclasses.replace(studio.record_lettering(()), texts=texts)
        assert (
            all(
                finding.passed for finding in text_checks.list_findings("x.mp4", lettering, ENGLISH)
            )
            or not texts
        )
        assert all(left <= text.box[0] and text.box[2] <= right for text in texts)
        for below in studio.record_lettering(()).texts:
            if (
                below.box[1] < bottom
                and below.box[3] > top
                and below.box[2] > left
                and below.box[0] < right
            ):
                assert left - 1 <= below.box[0] and below.box[2] <= right + 1


def test_the_role_is_shown_or_else_the_accounts_name():
    for avatar, line in ((ADA, "Chief economist"), (Presenter("Ada Vale"), "Roasters & Sons")):
        studio = drawn(avatar=avatar)
        studio.draw_lower_third()
        assert [text.text for text in studio.drain_texts()] == ["Ada Vale", line]


@pytest.mark.parametrize("rendition", SHAPES, ids=lambda shape: shape.name)
def test_its_name_is_about_as_large_as_the_one_that_it_covers(rendition):
    studio = drawn(rendition, look="scenes")
    names = [text.size for text in studio.record_lettering(()).texts if text.part == "name"]
    studio.drain_texts()
    _, top, _, foot = box_of(studio.draw_lower_third())
    panel = [text.size for text in studio.drain_texts() if text.part == lower_third.PART]
    assert foot <= studio.plan.content[1] and foot - top >= studio.plan.px(80)
    assert max(panel) >= 0.8 * max(names)


def test_on_a_ground_of_the_brands_colour_the_panel_is_inverted():
    for look, inverted in (("editorial", True), ("news", False)):
        studio = drawn(look=look, accent="#2050d0")
        middle = studio.draw_lower_third().pixels[3, 20:].mean(axis=0)
        assert bool(middle.min() > 200) is inverted


def test_the_description_of_the_title_names_the_role():
    assert (
        describe_scene("title", "Tea", (), ADA, "en", role="Chief {name}")
        == "Ada Vale, Chief {name}, and the title: Tea."
    )
    assert (
        describe_scene("title", "चाय", (), ADA, "hi", role=ADA.role)
        == "Ada Vale, Chief economist. चाय."
    )
    assert describe_scene("points", "Tea", (), ADA, "en", role=ADA.role) == "Ada Vale, and a list."
    voice = dataclasses.replace(ADA, figure="none")
    assert describe_scene("title", "Tea", (), voice, "en", role=ADA.role) == "The title: Tea."


@pytest.mark.slow
def test_a_production_with_lower_third_and_watermark_shows_both_and_passes_every_gate(tmp_path):
    Image.new("RGBA", (300, 100), "#ffffff").crop((0, 0, 400, 100)).save(tmp_path / "logo.png")
    kit = BrandKit(lower_third=True, logo_style="watermark")
    brief = finish(tmp_path, avatar=ADA, brand=kit, logo="logo.png")
    checks.run_checks(brief, tmp_path, ignore)
    assert all(
        finding.passed for finding in load(QualityFindings, tmp_path / "findings.json").findings
    )
    window = lower_third.find_shown_window(TIMELINE, 30)
    for rendition in (LANDSCAPE, PORTRAIT):
        texts = {
            text.text
            for text in load(Lettering, tmp_path / f"lettering-{rendition.name}.json").texts
        }
        assert "Chief economist" in texts
        panel = SceneRenderer(brief, ENGLISH, rendition, tmp_path).draw_lower_third()
        left, top, right, bottom = box_of(panel)
        with av.open(str(tmp_path / f"{rendition.name}.mp4")) as film:
            parts = [
                frame.to_ndarray(format="rgb24")[top:bottom, left:right]
                for frame in film.decode(video=0)
            ]
        off = [np.abs(part.astype(int) - panel.pixels).mean() for part in parts]
        between = range(window.first + 16, window.end - 12)
        assert (
            max(off[frame] for frame in between)
            < 20
            < 30
            < min(off[: window.first] + off[window.end :])
        )


@pytest.mark.slow
def test_a_film_without_the_lower_third_that_was_meant_is_warned_of(tmp_path):
    meant, other = tmp_path / "meant", tmp_path / "other"
    for folder, kit in ((meant, KIT), (other, BrandKit())):
        folder.mkdir()
        brief = finish(folder, renditions=(LANDSCAPE,), avatar=ADA, brand=kit)
        checks.run_checks(brief, folder, ignore)
    brief = dataclasses.replace(brief, brand=KIT)
    for name in ("landscape.mp4", "described.mp4"):
        (other / name).replace(meant / name)
    checks.run_checks(brief, meant, ignore)
    warned = [
        finding
        for finding in load(QualityFindings, meant / "findings.json").findings
        if finding.warns
    ]
    assert all((meant / finding.picture).is_file() and finding.scene for finding in warned)
    assert {(finding.check, finding.subject) for finding in warned} == {
        ("lower third", "landscape.mp4"),
        ("lower third", "described.mp4"),
    }


@pytest.mark.slow
def test_only_the_scene_that_shows_it_is_rendered_anew(tmp_path):
    made = []

    class Counting(Cache):
        def keep(self, name, content):
            made.append(name)
            super().keep(name, content)

    for number, kit in enumerate((BrandKit(), KIT)):
        folder = tmp_path / str(number)
        folder.mkdir()
        brief = prepare(folder, renditions=[LANDSCAPE], avatar=ADA, brand=kit)
        render.render(brief, folder, ignore, Resources(cache=Counting(tmp_path / "cache")))
    assert len(made) == 2 * len(ENGLISH.scenes) - 1 + 1
