"""Ordinary briefs with signs for words: headings of emoji, rows of stars,
and words that no font has the letters of.
"""

import itertools

import pytest
from support.sampling import sampled

from svc.base.text.pasted.convert import as_markdown
from svc.media import fonts
from svc.media.captions import captions, limits, transcript
from svc.media.checks import text as text_checks
from svc.media.model import Rendition, save
from svc.media.pictures.shown import script_as_shown
from svc.media.script.completeness import list_lost
from svc.media.script.from_brief import write_script
from svc.media.slides import slide
from svc.media.text.tokens import (
    LONGEST_WORD,
    SPACE,
    clean,
    join_words,
    make_drawable,
    measure_display_length,
    tokenize_text,
)
from svc.media.video.scene import SceneRenderer
from tests.media.contact_sheet import evenly

BEFORE = (
    "",
    "Read this first.\n\n",
    "# Start\n\nRead this first.\n\n",
    "# Start\n\n- One\n- Two\n\n",
    "```\nx = 1\n```\n\n",
)
SIGNS = ("# 🎉", "# # #", "# ★★★★☆", "## 🎉\n\n## ✨", "🎉\n===", "# &#9733; ❤️", "# ---")
AFTER = (
    "",
    "\n\nIt goes on.",
    "\n\n- One more\n- And another",
    "\n\n# Last",
    "\n\n## Real\n\nIt goes on.",
    "\n\n> Well said.",
)


def written(script) -> str:
    """Every word, heading and point of the script."""
    parts = [
        (scene.heading, join_words(scene.words), *(point.text for point in scene.points))
        for scene in script.scenes
    ]
    return "\n".join("\n".join(part) for part in parts)


@pytest.mark.parametrize(
    "before, sign, after", sampled(itertools.product(BEFORE, SIGNS, AFTER), 16)
)
def test_a_heading_of_signs_is_shown_wherever_it_stands(make_brief, before, sign, after):
    brief = make_brief(metadata_md=before + sign + after)
    script = write_script(brief)
    assert list_lost(brief, script) == []
    assert all(scene.words for scene in script.scenes)
    for picture in {"🎉", "✨", "☆", "❤"} & set(sign):
        assert picture in written(script)


def test_the_signs_of_an_empty_section_begin_the_next_heading_and_are_not_said_apart_from_it(
    make_brief,
):
    script = write_script(make_brief(metadata_md="# 🎉\n\n## Prices\n\nThey fall."))
    [scene] = script.scenes[1:-1]
    assert scene.heading == "🎉 Prices" and join_words(scene.words) == f"🎉{SPACE}Prices They fall."
    assert transcript.scene_prose.find_prose_words(scene) == "They fall."


@pytest.mark.parametrize(
    "row",
    sampled(
        [
            "★★★★☆",
            "★★★★★",
            "★☆☆☆☆",
            "⭐⭐⭐⭐⭐",
            "●●●●○",
            "●○○○○",
            "■■■■□□□□",
            "████████░░",
            "🔥🔥🔥🔥🔥",
            "❤❤❤❤",
            "€€€€",
            "£££££",
            "◆◆◆◆◇",
            "🟩🟩🟩🟩⬜",
            "████████████████░░░░",
        ],
        6,
    ),
)
def test_a_row_of_signs_that_is_a_number_keeps_every_one_of_them(make_brief, row):
    for notes in (
        f"Guests give it {row} (4/5) this year.",
        f"{row} is what guests give it.",
        f"It got {row}",
        f"# {row}\n\nSo say guests.",
        f"- Rooms: {row}\n- Food: {row}",
        f"> Well done! {row} — Ada",
        f"| Hotel | Stars |\n|---|---|\n| Sea | {row} |",
    ):
        brief = make_brief(metadata_md=notes)
        script = write_script(brief)
        assert row in written(script), notes
        assert list_lost(brief, script) == []


def test_rows_of_marks_are_still_shown_shorter():
    assert join_words(
        token.written for token in tokenize_text("Stop!!!!!!!! ------------ now ~~~~~~~~", "en")
    ).split() == [
        "Stop!!!",
        "---",
        "now",
        "~~~",
    ]
    [token] = tokenize_text("Hi " + "🔥" * 200, "en")
    assert token.written == f"Hi{SPACE}🔥🔥🔥"


def test_a_row_of_emoji_beside_a_long_word_stays_within_a_caption_line():
    said = tokenize_text("antidisestablishmentarianisms 🎉🎊🎁🎈🎂🍰🎀🎆🎇✨🎉🎊 is a word.", "en")
    assert "🎉🎊🎁🎈🎂🍰🎀🎆🎇✨🎉🎊" in [token.written for token in said]
    assert all(measure_display_length(token.written) <= limits.LINE for token in said)


def test_no_emoji_of_several_signs_is_cut_in_two():
    family = "👨\u200d👩\u200d👧\u200d👦"
    [token, _] = tokenize_text(family * 30 + " all families", "en")
    assert token.written == f"{family * 18}{SPACE}all"  # 40 columns


@pytest.mark.parametrize(
    "line",
    ["From Oslo • to Rome ● by rail", "a ■■■■□□□□ b", "●○○○○ 1/5", "■□□ done", "It is 5 ► 6"],
)
def test_a_bullet_is_one_only_at_the_start_of_a_line(line):
    assert as_markdown(line) == line


def test_bullets_at_the_start_of_lines_are_still_a_list():
    assert as_markdown("• one\n■東京\n● two") == "- one\n- 東京\n- two"


def without_cjk(monkeypatch):
    """Let there be no font for Chinese, Japanese and Korean, which is an optional package."""
    monkeypatch.setattr(fonts, "list_families", lambda: fonts.FAMILIES)


WITHOUT_FONT = [
    ("東京タワー", "こんにちは"),
    ("你好", "千里之行，始於足下。"),
    ("안녕하세요", "서울"),
    ("ሰላም", "አዲስ"),
    ("ᠮᠣᠩᠭᠣᠯ", "བོད"),
]


@pytest.mark.parametrize("one, two", WITHOUT_FONT)
@pytest.mark.parametrize(
    "notes",
    sampled(
        [
            "| Where | Hello |\n|---|---|\n| There | {one} |\n| Here | {two} |",
            "| {one} | {two} |\n|---|---|\n| a | b |",
            "| Word | Times |\n|---|---|\n| {one} | 5 |\n| {two} | 7 |",
            "# {one}\n\nWe go there, to {two}.",
            "- {one} is one\n- {two}",
            "> {one} {two} — Ada",
            "The word **{one}** is like {two}.",
            "```\nprint('{one}')\n```\n\nIt says so.",
            "1. {one}\n2. {two}",
        ],
        8,
    ),
)
def test_words_without_a_font_stay_as_they_are_in_files_and_are_drawn_in_latin(
    make_brief, tmp_path, monkeypatch, one, two, notes
):
    without_cjk(monkeypatch)
    brief = make_brief(
        metadata_md=notes.format(one=one, two=two), renditions=(Rendition("landscape", 320, 180),)
    )
    script = write_script(brief)
    assert list_lost(brief, script) == []
    save(script, tmp_path / "script.json")
    save(evenly(script), tmp_path / "timeline.json")
    captions.write_captions(tmp_path)
    transcript.write_transcript(brief, tmp_path)
    said = {
        word
        for word in (one, two)
        if word in brief.metadata_md and "print" not in brief.metadata_md
    }
    for name in ("transcript.txt", "captions.srt", "captions.vtt"):
        text = (tmp_path / name).read_text("utf-8").replace("\n", " ")
        assert all(word in text for word in said), name
    drawn = script_as_shown(brief, script)
    for scene in drawn.scenes:
        cells = [cell for row in scene.sight.rows for cell in row]
        points = [point.text for point in scene.points]
        texts = (
            scene.heading,
            scene.key_phrase,
            scene.sight.text,
            *scene.sight.columns,
            *cells,
            *points,
        )
        assert not any(fonts.find_undrawable_characters(text) for text in texts)


def test_a_picture_of_a_word_without_a_font_has_its_latin_letters(make_brief, monkeypatch):
    without_cjk(monkeypatch)
    rendition = Rendition("landscape", 640, 360)
    notes = (
        "# 東京\n\n| Where | Hello |\n|---|---|\n| There | こんにちは |\n\n```\nprint('你好')\n```"
    )
    brief = make_brief(metadata_md=notes, renditions=(rendition,))
    script = write_script(brief)
    renderer = SceneRenderer(brief, script, rendition)
    for number, scene in enumerate(script.scenes):
        renderer.picture(number, len(slide.list_stages(scene)) - 1)
    lettering = renderer.record_lettering(renderer.drain_texts())
    assert {"Dongjing", "konnichiha"} <= {text.text for text in lettering.texts}
    found = {
        finding.check: finding for finding in text_checks.list_findings("film", lettering, script)
    }
    assert found["missing glyphs"].passed and found["code in the pictures"].passed


def test_a_word_without_any_latin_form_is_left_out_everywhere(monkeypatch):
    monkeypatch.setattr(
        fonts,
        "find_undrawable_characters",
        lambda text: "".join(letter for letter in text if letter in "\u1980"),
    )
    assert clean("Eye \u1980 of") == "Eye of" and make_drawable("Eye \u1980 of") == "Eye of"


def test_words_stay_as_short_as_captions_need():
    for word in ("★" * 20, "🎉" * 12, "Wow" + "!" * 40):
        assert all(
            len(token.written) <= LONGEST_WORD + 20
            for token in tokenize_text(f"It is {word} now", "en")
        )
