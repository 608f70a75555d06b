"""How wide texts are in captions, and where a long word in another script is parted."""

import pytest
from media.contact_sheet import evenly
from support.tables import each_of

from svc.media import fonts
from svc.media.captions import captions, limits
from svc.media.drawing import looks, typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Scene, Script
from svc.media.text import columns, line_breaks, long_words, tokens
from svc.media.video import scene as scene_drawing

CHINESE = "烏鴉吞日的故事與星星的約定在山上的天文臺裡慢慢地說給孩子們聽"  # 31 signs


@each_of(
    ("text", "wide", "read"),
    (
        ("plain", 5, 5),
        ("茶a", 3, 3),
        ("한국", 4, 4),
        ("ไทย", 3, 3),
        ("カフェ", 6, 6),
        ("ｶﾌｪ", 3, 3),
        ("café", 4, 4),
        ("नि", 2, 2),
        ("🍵", 2, 1),
        ("👩‍🔬", 2, 2),
        ("🇩🇪", 2, 2),
        ("❤️", 2, 1),
        ("©", 1, 1),
        (f"{line_breaks.GLUE}茶", 2, 2),
    ),
)
def test_a_line_has_as_many_columns_as_are_drawn(text, wide, read):
    assert (columns.count_columns(text), columns.measure_display_length(text)) == (wide, read)


@each_of(
    "text",
    (
        f"Dr Lin tells {CHINESE} tonight.",
        f"Dr Lin tells “{CHINESE[:12]}、{CHINESE[12:]}。” tonight.",
        f"Come to {'한글' * 16} tonight.",
        f"Come to {'プラネタリウムショッピングセンター' * 2} tonight.",
        f"See https://例え.example/{CHINESE} tonight.",
        f"See {CHINESE}@example.com tonight.",
        f"See https://{CHINESE}.example/a/b/c tonight.",
        f"See https://example.com/{CHINESE * 3} tonight.",
        f"Tonight {CHINESE * 9}.",
        f"Tonight {'…⋯' * 40} {'★' * 70}{'〇◯' * 40} we celebrate.",
        "Tonight " + "🎉" * 24 + " we celebrate " + "🎈" * 24,
        "Tonight " + "🎉 " * 24 + "we celebrate.",
        "Das Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnungsgesetz gilt.",
    ),
)
def test_no_line_of_a_caption_is_wider_than_it_may_be(text):
    """A Chinese word of thirty signs in an English text was one line of 60 columns."""
    words = tuple(token.written for token in tokens.tokenize_text(text, "en"))
    script = Script("t", "en", (Scene("prose", "", (), words, words, "", (len(words) - 1,)),))
    lines = [
        line
        for cue in captions.split_cues(script, evenly(script))
        for line in captions.list_cue_lines(script, cue)
    ]
    widest = max(lines, key=columns.count_columns)
    assert columns.count_columns(widest) <= limits.LINE, widest
    burned = long_words.shorten_for_pictures(words)
    assert max(map(columns.count_columns, burned)) <= limits.LINE, burned


def test_a_long_word_of_signs_is_parted_where_a_line_may_end():
    pieces = line_breaks.split_into_chunks(f"{CHINESE[:14]}、{CHINESE[14:]}", 30, "en")
    assert "".join(piece.removeprefix(line_breaks.GLUE) for piece in pieces) == (
        f"{CHINESE[:14]}、{CHINESE[14:]}"
    )
    assert all(columns.count_columns(piece) <= 30 for piece in pieces)
    assert not any(piece.removeprefix(line_breaks.GLUE).startswith("、") for piece in pieces)


def test_a_title_in_another_script_stays_whole_where_it_fits_a_line():
    """Its first sign stood alone at the end of a line, behind the bracket."""
    text = "Talk: the Crow Who Ate the Sun (烏鴉吞日的故事), with Dr Lin Mei-hua"
    for width in range(360, 1200, 40):
        block = typesetting.fit_text(text, width, 900, Typeface(40, 600, language="en"), 20, True)
        assert any("(烏鴉吞日的故事)," in line for line in block.lines), width


def test_a_chinese_name_does_not_change_the_type_of_an_english_film():
    """One in a table's cell made all titles thin: the font that has its signs has one weight."""
    pytest.importorskip("noto_cjk_sans_otc")
    words = ("Talk", "by", "林美華", "tonight.")
    film = Script("t", "en", (Scene("prose", "", (), words, words, "", (3,)),))
    look = looks.find_look("scenes")
    assert scene_drawing._fit_look(look, film) == look
    chinese = Script("t", "zh", film.scenes)
    assert fonts.has_all("林美華", scene_drawing._fit_look(look, chinese).display)
