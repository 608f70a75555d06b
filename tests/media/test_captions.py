"""The captions, parsed by independent libraries and judged by broadcasters' rules."""

import html
import itertools
import re
from dataclasses import replace

import pytest
import srt
import webvtt
from hypothesis import given, settings
from hypothesis import strategies as st

from svc.media.captions import captions, limits, parse
from svc.media.checks import captions as gate
from svc.media.drawing.frame_layout import lay_out
from svc.media.model import Point, Presenter, Scene, SceneTiming, Script, Timeline, Word
from svc.media.text.tokens import measure_display_length as words_length
from svc.media.text.tokens import tokenize_text

HOSTILE = "a <b> & --> 00:00:01.000 --> 00:00:02.000 {\\an8} &amp; 1"


def spoken(
    words: list[str], ends: tuple[int, ...] = (), pace: float = 0.4, tail: float = 1
) -> tuple[Script, Timeline]:
    """One scene in which every word takes ``pace`` seconds, and ``tail`` of silence."""
    timed = tuple(
        Word(word, 0.5 + index * pace, 0.5 + (index + 1) * pace) for index, word in enumerate(words)
    )
    duration = timed[-1].end + tail
    scene = Scene("prose", "", (), tuple(words), tuple(words), "", ends)
    return Script("t", "en", (scene,)), Timeline(
        duration, 48000, (SceneTiming(0, duration, timed),)
    )


def texts(script: Script, timeline: Timeline, **limits) -> list[list[str]]:
    return [
        captions.list_cue_lines(script, cue)
        for cue in captions.split_cues(script, timeline, **limits)
    ]


def test_no_cue_goes_before_it_could_be_seen():
    """Items of a list, each a sentence of its own, spoken faster than two frames apart."""
    script, timeline = spoken(["x"] * 12, tuple(range(12)), pace=0.087)
    shown = captions.split_cues(script, timeline)
    assert all(one.end - one.start >= limits.GAP_IN_FILES for one in shown)
    assert all(
        other.start - one.end >= limits.GAP_IN_FILES - 1e-6
        for one, other in itertools.pairwise(shown)
    )


@pytest.fixture
def cues(programme):
    return captions.split_cues(programme.script, programme.timeline)


def test_every_word_is_in_one_cue_in_order(programme, cues):
    shown = [(cue.scene, word) for cue in cues for line in cue.lines for word in line]
    assert shown == [
        (index, word)
        for index, scene in enumerate(programme.script.scenes)
        for word in range(len(scene.words))
    ]


def test_lines_are_short_and_few(programme, cues):
    lines = [captions.list_cue_lines(programme.script, cue) for cue in cues]
    assert all(
        len(cue_lines) <= 2 and all(len(line) <= 42 for line in cue_lines) for cue_lines in lines
    )


def test_cues_keep_apart_and_in_their_scene(programme, cues):
    for one, other in itertools.pairwise(cues):
        assert other.start - one.end >= limits.GAP_IN_FILES - 1e-6
    for cue in cues:
        assert 0 < cue.end - cue.start <= 7
        assert cue.end <= programme.timeline.scenes[cue.scene].end


def test_a_cue_starts_with_its_first_word(programme, cues):
    for cue in cues:
        assert cue.start == programme.timeline.scenes[cue.scene].words[cue.first_word].start


def test_captions_can_be_read_in_time(programme, cues):
    speeds = [
        len(" ".join(captions.list_cue_lines(programme.script, cue))) / (cue.end - cue.start)
        for cue in cues
    ]
    assert max(speeds) <= limits.READING_SPEED


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(1, 12), st.floats(0.12, 0.6), st.booleans()), min_size=1, max_size=40
    )
)
def test_no_cue_is_shorter_than_a_viewer_needs_to_notice_it(words):
    """Words of any length, in any rhythm, with sentences of one word: the narration adds silence
    after a scene that is too short as a whole, and slows down what is spoken faster than it can be
    read."""
    timed, at = [], 0.2
    for length, pace, _ in words:
        pace = max(pace, (length + 1) / limits.READING_SPEED)
        timed.append(Word("x" * length, at, at + pace))
        at += pace
    end = at + max(0.4, captions.find_shortest_tail(at - 0.2))
    texts = tuple(word.text for word in timed)
    ends = tuple(index for index, (_, _, last) in enumerate(words) if last)
    script = Script("t", "en", (Scene("prose", "", (), texts, texts, "", ends),))
    shown = captions.split_cues(script, Timeline(end, 48000, (SceneTiming(0, end, tuple(timed)),)))
    assert min(cue.end - cue.start for cue in shown) >= 0.83


def test_a_long_word_goes_on_without_a_space():
    words = [
        token.written
        for token in tokenize_text(
            "Das Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnungsgesetz", "de"
        )
    ]
    shown = texts(*spoken(words, pace=1.5))
    text = " ".join(line for lines in shown for line in lines)
    assert (
        parse.normalise_text(text)
        == "Das Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnungsgesetz"
    )
    assert (
        parse.split_words(text) == words
        and max(len(line) for lines in shown for line in lines) <= 42
    )


def test_a_cue_ends_with_its_sentence():
    words = ["The", "first", "sentence", "is", "here.", "The", "second", "one", "follows", "it."]
    assert texts(*spoken(words, (4, 9))) == [
        ["The first sentence is here."],
        ["The second one follows it."],
    ]


def test_a_long_sentence_breaks_after_a_comma():
    sentence = (
        "When the beans have lost all the water that was in them, they turn yellow and smell of "
        "hay and of bread."
    )
    words = sentence.split()
    first = texts(*spoken(words))[0]
    assert first[-1].endswith("them,")


def test_a_short_exclamation_shares_a_cue():
    assert texts(*spoken(["Yes!", "It", "is", "here", "now."], (0, 4))) == [
        ["Yes! It is here now."]
    ]


def test_a_heading_has_a_cue_of_its_own_if_there_is_time_and_otherwise_a_line():
    words, ends = ["Taste", "It", "comes", "from", "heat."], (0, 4)
    assert texts(*spoken(words, ends, pace=1.0)) == [["Taste"], ["It comes from heat."]]
    assert texts(*spoken(words, ends)) == [["Taste", "It comes from heat."]]


def test_the_first_words_of_a_sentence_are_not_torn_to_fill_the_cue_of_a_heading():
    """A heading that is too short to be a cue took two words of the next sentence with it:
    "The harbour / A fishing", "boat lies on the mud"."""
    for heading, said in (
        ("The harbour", "A fishing boat lies on the mud while the tide is out."),
        ("Method", "Heat the oven to 170 degrees and line a tin."),
        ("Anna:", "Nobody knew which of the two had broken it."),
        ("Boots,", "which you have worn on a mountain before"),
    ):
        words = f"{heading} {said}".split()
        last = len(heading.split()) - 1
        cues = texts(*spoken(words, (last, len(words) - 1), pace=0.36), line_length=26)
        assert len(" ".join(cues[0]).removeprefix(heading)) >= 14, cues


def rows_of(*rows: str, pace: float = 0.4) -> list[list[str]]:
    """The lines of the captions of rows, which may end without a full stop."""
    words = [row.split() for row in rows]
    firsts = list(itertools.accumulate(map(len, words), initial=0))
    script, timeline = spoken(
        [word for row in words for word in row], tuple(at - 1 for at in firsts[1:]), pace
    )
    points = tuple(Point(row, at, at) for row, at in zip(rows, firsts, strict=False))
    (scene,) = script.scenes
    return texts(replace(script, scenes=(replace(scene, points=points),)), timeline)


ROWS = {
    "table": ("Tonne: Gelb; Was: Verpackung", "Blau; Papier", "Braun; Bio", "Grau; Rest"),
    "list": ("Boots", "A warm hat", "Water", "Two maps"),
    "definitions": ("Cue: A caption", "Line: A row of it", "Gap: A short pause"),
    "keys and values": ("When: Friday, 7 pm", "Where: Main Hall", "Entry: free"),
    "changelog": ("Added", "Dark mode", "Fixed", "Crash at start"),
    "dialogue": ("Anna: Hello!", "Ben: Hi Anna.", "Anna: Two rolls, please.", "Ben: Sure."),
    "prices": ("Tea, $2", "Coffee, $3", "Cocoa, $4", "Water, free"),
    "verse": ("So much depends", "upon", "a red wheel", "barrow"),
}


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("pace", [0.35, 0.4, 0.6, 0.9])
def test_each_row_begins_a_line(kind, pace):
    """Rows of a table, points of a list, definitions, keys with values, entries of a changelog,
    turns of a dialogue, prices and lines of a verse."""
    lines = [line for cue in rows_of(*ROWS[kind], pace=pace) for line in cue]
    assert [line for line in lines if line in ROWS[kind]] == list(ROWS[kind])


def test_rows_share_a_line_where_each_is_too_short_to_be_noticed():
    """Six rows of a word in 1.5 seconds: two lines of a cue hold no more than two of them, and a
    cue of two would be gone before it is seen."""
    cues = rows_of("One", "two", "three", "four", "five", "six", pace=0.25)
    assert [word for cue in cues for line in cue for word in line.split()] == [
        "One", "two", "three", "four", "five", "six",
    ]  # fmt: skip
    assert any(" " in line for cue in cues for line in cue)


def test_a_sentence_begins_a_line_where_a_cue_has_two():
    said = "Wait for a minute, then pour it slowly over the leaves. Enjoy!"
    assert texts(*spoken(said.split(), (10, 11), tail=0.5)) == [
        ["Wait for a minute,"],
        ["then pour it slowly over the leaves.", "Enjoy!"],
    ]


def test_two_lines_are_of_like_length():
    (lines,) = texts(
        *spoken(["These", "words", "are", "too", "many", "for", "a", "single", "line", "of", "it"])
    )
    assert abs(len(lines[0]) - len(lines[1])) <= 8


@pytest.mark.parametrize(
    ("style", "presenter", "still"),
    [
        ("plain", Presenter("Ada", moving=False), True),
        ("plain", Presenter("Ada", figure="none"), True),
        ("plain", Presenter("Ada"), False),
        ("highlight", Presenter("Ada", moving=False), False),
    ],
)
def test_captions_change_within_four_seconds_where_nothing_else_moves(
    make_brief, style, presenter, still
):
    script, timeline = spoken(["library"] * 40, (39,), pace=0.5)
    burnt = captions.split_burned_cues(
        make_brief(caption_style=style, avatar=presenter), script, timeline, (42, 2)
    )
    longest = max(cue.end - cue.start for cue in burnt)
    assert longest <= 4 if still else burnt == captions.split_cues(script, timeline) and longest > 4
    assert [index for cue in burnt for index in range(cue.first_word, cue.last_word + 1)] == list(
        range(40)
    )


def test_a_caption_keeps_a_name_that_its_programme_shows_on_a_line():
    for said, name in (
        ("The bus goes to the stop of Tarn Valley Harriers every half hour.", "Valley Harriers"),
        ("Pasting a long table from Google Sheets keeps its columns.", "Google Sheets"),
        ("There are many who came to see Jonas Hofmeister in the rain.", "Jonas Hofmeister"),
    ):
        for length in range(20, 29):
            shown = texts(*spoken(said.split(), pace=0.4), line_length=length)
            lines = [line for cue in shown for line in cue]
            assert any(name in line for line in lines), lines


def test_an_article_stays_with_its_noun():
    said = (
        "They carried all of the bags up to the house on a hill behind the old mill and then "
        "they slept"
    )
    lines = [line for cue in texts(*spoken(said.split())) for line in cue]
    assert len(lines) > 2
    assert not [line for line in lines[:-1] if line.split()[-1] in ("a", "the", "of", "to", "on")]


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1080, 1920), (1080, 1080)])
def test_webvtt_cues_are_clear_of_the_captions_in_the_picture(width, height):
    top = float(re.match(r"line:(\d+)%", captions.CLEAR_OF_BURNED)[1]) / 100
    two_lines = 2 * 0.05 * 1.3  # of the height: WebVTT's font is 5 % of it
    assert (top + two_lines) * height < lay_out(width, height).strip[1]


def test_marks_on_letters_take_no_time_to_read():
    assert words_length("नमस्ते") < len("नमस्ते") and words_length("Müller") == 6


def test_a_word_longer_than_a_line_has_a_line_of_its_own():
    assert ["x" * 30] in [
        [line] for lines in texts(*spoken(["a", "x" * 30, "b"]), line_length=20) for line in lines
    ]


def test_the_files_say_the_same_to_other_readers(programme):
    subrip = list(srt.parse((programme.folder / "captions.srt").read_text()))
    vtt = webvtt.read(programme.folder / "captions.vtt")
    assert [cue.content for cue in subrip] == [html.unescape(cue.text) for cue in vtt]
    assert [srt.timedelta_to_srt_timestamp(cue.start).replace(",", ".") for cue in subrip] == [
        cue.start for cue in vtt
    ]
    assert len(subrip) == len(captions.split_cues(programme.script, programme.timeline))


def test_webvtt_follows_the_grammar(programme):
    time = r"(?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3}"
    cue = rf"\d+\n{time} --> {time} {re.escape(captions.CLEAR_OF_BURNED)}\n(?:[^\n<>]+\n)+"
    assert re.fullmatch(rf"WEBVTT\n(?:\n{cue})*", (programme.folder / "captions.vtt").read_text())


@pytest.mark.parametrize("word", ["→\u00a0https://www.cups.org/", "→→→→→→→→→→→→", "‹teapot›"])
def test_a_sign_that_stands_for_markup_elsewhere_is_read_as_it_is_shown(word, tmp_path):
    script, timeline = spoken([word], (0,), pace=len(word) / 19.5)
    [timing], end = timeline.scenes, timeline.scenes[0].words[-1].end + captions.CROSSFADE
    timeline = Timeline(end, 48000, (replace(timing, end=end),))
    captions.write_files(script, timeline, tmp_path / "captions.srt", tmp_path / "captions.vtt")
    for name in ("captions.srt", "captions.vtt"):
        found = {
            each.check: each
            for each in gate.list_findings(
                tmp_path / name, script, timeline, None, timeline.duration
            )
        }
        assert found["reading speed"].passed and found["scenes in captions"].passed, found[
            "reading speed"
        ]
    assert captions.measure_speed_ratio(script.scenes[0], timeline.scenes[0], "en") <= 1


def test_hostile_text_is_only_text():
    vtt = webvtt.from_string(captions.format_webvtt([(0.0, 1.0, [HOSTILE]), (1.1, 2.0, ["next"])]))
    assert (
        len(vtt) == 2
        and "-->" not in captions.format_webvtt([(0.0, 1.0, [HOSTILE])]).split("\n", 4)[4]
    )
    (first, second) = srt.parse(
        captions.format_subrip([(0.0, 1.0, [HOSTILE]), (1.1, 2.0, ["next"])])
    )
    assert "<" not in first.content and second.content == "next"


def test_hours_are_counted():
    assert "01:00:01,500 --> 01:00:02,000" in captions.format_subrip([(3601.5, 3602.0, ["late"])])
