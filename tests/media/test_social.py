"""The text beside a video: its parts, its limits, and that it says nothing that the
brief does not.
"""

import re
from dataclasses import replace

import pytest
from support.tables import each_of

from svc.base.text.languages import LANGUAGES
from svc.media.captions import description
from svc.media.checks import documents
from svc.media.deliverables import read_descriptions
from svc.media.model import Descriptions, Rendition, Scene, SceneTiming, Script, Timeline, Word
from svc.media.script import summary
from svc.media.script.from_brief import write_script

WIDE = Rendition("landscape", 320, 180, platforms=("Watch",))
TALL = Rendition(
    "portrait", 180, 320, platforms=("WatchVertical",), longest_description=2200, chapter_list=False
)
NOTES = """Tea was first drunk in China. It took two thousand years until it came to Europe.

## The tea trade

Ships brought tea to London, and clippers raced for the first harvest.

- Green tea
- Black tea
"""


def timed(headings: list[str], seconds: float) -> tuple[Script, Timeline]:
    """A programme with a scene of some seconds for each heading."""
    scenes = tuple(
        Scene("prose", heading, (), ("Tea.",), ("Tea.",), "", (0,)) for heading in headings
    )
    times = tuple(
        SceneTiming(
            at * seconds, (at + 1) * seconds, (Word("Tea.", at * seconds + 0.5, at * seconds + 1),)
        )
        for at in range(len(headings))
    )
    return Script("Tea", "en", scenes, summary="Tea is drunk.", hashtags=("Tea",)), Timeline(
        len(headings) * seconds, 22050, times
    )


@pytest.fixture
def brief(make_brief):
    return make_brief(
        title="The history of tea",
        topic="The history of tea",
        metadata_md=NOTES,
        renditions=(WIDE, TALL),
    )


def test_the_summary_is_two_sentences_of_the_brief(brief):
    told = summary.summarise(brief, write_script(brief))
    first, second = re.split(r"(?<=\.) ", told)
    assert first == "Tea was first drunk in China."
    assert second in NOTES.replace("\n", " ") and "tea" in second


def test_a_brief_of_lists_is_summarised_by_its_headings(brief):
    listed = replace(brief, metadata_md="## Green\n\n- Sencha\n- Matcha\n\n## Black\n\n- Assam")
    assert summary.summarise(listed, write_script(listed)) == "Green · Black"


def test_hashtags_are_up_to_five_weighty_words_of_the_topic_each_once(brief):
    assert summary.choose_hashtags(brief) == ("tea",)
    long = replace(
        brief,
        topic=(
            "Copper kettles, COPPER lanterns, walnut orchards and harbour tunnels in 2024: "
            "#cheap e-mail"
        ),
    )
    tags = summary.choose_hashtags(long)
    assert tags == ("Copper", "kettles", "lanterns", "walnut", "orchards")


def test_hostile_topics_make_no_broken_hashtag(brief):
    for topic in (
        "\u202eabc\u0000 <b>x</b> a#b",
        "!!! ???",
        "x" * 500,
        "#" * 50,
        "O'Brien's \"quote\"",
    ):
        for tag in summary.choose_hashtags(replace(brief, topic=topic)):
            assert re.fullmatch(r"[^\W_]{3,30}", tag), tag


def test_chapters_of_ten_seconds_are_listed_from_0_00(brief):
    script, timeline = timed(["The leaf", "The pot", "The cup"], 35.0)
    text = description.describe_rendition(script, timeline, WIDE)
    assert text.split("\n\n") == [
        "Tea",
        "Tea is drunk.",
        "0:00 The leaf\n0:35 The pot\n1:10 The cup",
        "This video was made by software, and its voice is synthetic.",
        "#Tea",
    ]
    # short vertical videos have no chapters
    assert "0:35" not in description.describe_rendition(script, timeline, TALL)


@pytest.mark.parametrize(
    ("headings", "seconds"), [(["A", "B"], 60.0), (["A", "B", "C"], 9.0), ([], 0.0)]
)
def test_without_three_chapters_of_ten_seconds_there_is_no_list(headings, seconds):
    assert "0:0" not in description.describe_rendition(*timed(headings, seconds), WIDE)


def test_a_short_opening_belongs_to_the_first_chapter():
    script, timeline = timed(["The leaf", "The pot", "The cup", "The guest"], 12.0)
    scenes = list(timeline.scenes)
    scenes[1] = replace(scenes[1], start=4.0)
    text = description.describe_rendition(script, replace(timeline, scenes=tuple(scenes)), WIDE)
    assert "0:00 The pot\n0:24 The cup\n0:36 The guest" in text and "The leaf" not in text


def test_the_limit_of_the_platform_holds_and_title_and_disclosure_stay():
    script, timeline = timed(["The leaf", "The pot", "The cup"], 35.0)
    script = replace(script, summary="Tea " * 100)
    for most in (5000, 500, 460, 300, 150, 100):
        text = description.describe_rendition(
            script, timeline, replace(WIDE, longest_description=most)
        )
        assert (
            len(text) <= most and text.startswith("Tea\n\n") and "its voice is synthetic." in text
        )


@each_of("code", LANGUAGES)
def test_the_disclosure_is_in_the_language_of_the_video_and_names_its_models(code):
    sentence = description.find_disclosure(code, ["hibari"])
    assert "(hibari)" in sentence and sentence[-1] in ".।۔"
    assert code.startswith("en") or sentence != description.find_disclosure("en", ["hibari"])


def test_the_gate_stops_another_text_and_the_files_are_read_for_their_platforms(brief, tmp_path):
    script, timeline = timed(["The leaf", "The pot", "The cup"], 35.0)
    (tmp_path / "description-landscape.txt").write_text(
        description.describe_rendition(script, timeline, WIDE), "utf-8"
    )
    (tmp_path / "description-portrait.txt").write_text("Buy now", "utf-8")
    passed = [
        documents.check_text_beside_the_video(
            documents.Document(
                tmp_path / f"description-{each.name}.txt",
                brief,
                script,
                timeline,
                Descriptions(()),
                each,
            )
        ).passed
        for each in (WIDE, TALL)
    ]
    assert passed == [True, False]
    assert read_descriptions(brief, tmp_path)["WatchVertical"] == "Buy now"
    (tmp_path / "description-portrait.txt").write_text("é" * 2201, "utf-8")
    with pytest.raises(ValueError, match="more than 2200 characters"):
        read_descriptions(brief, tmp_path)
