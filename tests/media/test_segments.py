"""Cached segments are reused; only changed ones are rendered again, and the video is the same."""

import dataclasses

import pytest
from small_programme import ENGLISH, LANDSCAPE, PORTRAIT, ignore, prepare, scene

from svc.media.brand_kit import BrandKit
from svc.media.cache import Cache
from svc.media.model import Lettering, Script, load
from svc.media.resources import Resources
from svc.media.video import render as video
from svc.media.video.segments import EncodedSegment

pytestmark = pytest.mark.slow

TAKES = 2 * len(ENGLISH.scenes) - 1  # scenes, and the changes between them
CORRECTED = Script(
    ENGLISH.title,
    "en",
    (
        *ENGLISH.scenes[:2],
        scene("prose", "Waiting", "Waiting It takes hours. Be calm.", ends=(0, 3, 5)),
        ENGLISH.scenes[3],
    ),
)


class Counting(Cache):
    """A cache that knows what was made anew."""

    def __init__(self, folder):
        super().__init__(folder)
        self.made = []

    def keep(self, name, content):
        self.made.append(name)
        super().keep(name, content)


@pytest.fixture
def render(tmp_path):
    """Render into a folder of its own; the film, and how many takes were made anew for it."""

    def rendered(
        name: str, cached: bool = True, script=ENGLISH, renditions=(LANDSCAPE,), **changes
    ):
        folder = tmp_path / name
        folder.mkdir()
        brief = prepare(folder, script, renditions=renditions)
        cache = Counting(tmp_path / "cache" if cached else None)
        video.render(dataclasses.replace(brief, **changes), folder, ignore, Resources(cache=cache))
        return (folder / f"{renditions[0].name}.mp4").read_bytes(), len(cache.made), folder

    return rendered


def test_a_second_rendering_makes_nothing_and_gives_the_same_bytes(render):
    first, rendered_count, folder = render("first")
    again, anew, other = render("again")
    alone, _, _ = render("alone", cached=False)
    assert (rendered_count, anew) == (TAKES, 0) and first == again == alone
    texts = [load(Lettering, path / "lettering-landscape.json").texts for path in (folder, other)]
    assert texts[0] == texts[1]


def test_a_corrected_sentence_renders_its_scene_and_the_changes_around_it(render):
    render("first")
    corrected, anew, _ = render("corrected", script=CORRECTED)
    alone, _, _ = render("alone", cached=False, script=CORRECTED)
    assert anew == 3 and corrected == alone


def test_a_scene_that_only_moved_in_time_is_not_made_again(render):
    longer = dataclasses.replace(
        ENGLISH.scenes[1], words=(*ENGLISH.scenes[1].words, "now"), spoken=(), sentence_ends=(6,)
    )
    render("first")
    moved, anew, _ = render(
        "moved",
        script=Script(ENGLISH.title, "en", (ENGLISH.scenes[0], longer, *ENGLISH.scenes[2:])),
    )
    assert anew == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"look": "news"},
        {"theme": "light"},
        {"accent": "#00aa66"},
        {"second_colour": "#00aa66"},
        {"account_name": "Other"},
        {"caption_style": "plain"},
        {"brand": BrandKit(logo_style="watermark")},
    ],
)
def test_whatever_is_seen_on_every_picture_makes_all_anew(render, changes):
    render("first")
    assert render("dressed", **changes)[1] == TAKES


def test_a_second_shape_uses_nothing_of_the_first_and_leaves_it(render):
    render("first")
    assert render("both", renditions=(LANDSCAPE, PORTRAIT))[1] == TAKES


def test_a_rendering_that_was_interrupted_goes_on_where_it_was(render, monkeypatch, tmp_path):
    def stop(fraction):
        if fraction > 0.6:
            raise InterruptedError

    folder = tmp_path / "stopped"
    folder.mkdir()
    with pytest.raises(InterruptedError):
        brief = prepare(folder, renditions=[LANDSCAPE])
        video.render(brief, folder, stop, Resources(cache=Cache(tmp_path / "cache")))
    kept = len(list((tmp_path / "cache").iterdir()))
    assert 0 < kept < TAKES
    assert render("resumed")[1] == TAKES - kept


def test_another_release_of_the_engine_uses_nothing_of_the_last(render, monkeypatch):
    render("first")
    monkeypatch.setattr("svc.media.video.segments.hash_engine", lambda: "another")
    assert render("upgraded")[1] == TAKES


def test_a_take_is_packed_and_unpacked_without_a_loss(render):
    texts = load(Lettering, render("first")[2] / "lettering-landscape.json").texts
    segment = EncodedSegment(((0, b"one"), (3, b""), (7, b"three\n")), texts)
    assert EncodedSegment.from_bytes(segment.to_bytes()) == segment
