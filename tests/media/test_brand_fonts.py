"""An account's own font: hostile files are refused with a sentence,
and its videos are set in what is left of the others.
"""

import struct

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables.ttProgram import Program
from PIL import features
from small_programme import ENGLISH, brief_of

from svc.media import font_upload, fonts
from svc.media.brand_kit import BrandKit
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.font_upload import InvalidFont
from svc.media.model import Rendition, Scene, Script
from svc.media.video.scene import SceneRenderer

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WIDE = Rendition("landscape", 640, 360)


def block(height: int):
    """A glyph that is a block of this height on the line."""
    pen = TTGlyphPen(None)
    for draw, point in (
        (pen.moveTo, (50, 0)),
        (pen.lineTo, (50, height)),
        (pen.lineTo, (450, height)),
        (pen.lineTo, (450, 0)),
    ):
        draw(point)
    pen.closePath()
    return pen.glyph()


def made(
    path,
    letters: str = LETTERS,
    permission: int = 0,
    height: int = 700,
    advance: int = 500,
    more: int = 0,
):
    """A font whose letters are blocks."""
    names = [
        ".notdef",
        "space",
        *(f"u{ord(letter):04X}" for letter in letters),
        *(f"more{n}" for n in range(more)),
    ]
    shape, empty = block(height), TTGlyphPen(None).glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap(
        {32: "space", **{ord(letter): f"u{ord(letter):04X}" for letter in letters}}
    )
    builder.setupGlyf({name: empty if name == "space" else shape for name in names})
    builder.setupHorizontalMetrics(dict.fromkeys(names, (advance, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Blocks", "styleName": "Regular"})
    builder.setupOS2(fsType=permission)
    builder.setupPost()
    builder.save(path)
    return path


def cleaned(tmp_path, **changes):
    font_upload.convert_font(made(tmp_path / "sent.ttf", **changes), tmp_path / "brand.ttf")
    return tmp_path / "brand.ttf"


def renderer(tmp_path, script=ENGLISH, **changes):
    return SceneRenderer(
        brief_of(script, brand=BrandKit(font="brand.ttf"), **changes), script, WIDE, tmp_path
    )


def test_a_font_is_written_again_without_programs_and_tables_of_unknown_kind(tmp_path):
    made(tmp_path / "plain.ttf")
    with TTFont(tmp_path / "plain.ttf") as font:
        font["fpgm"] = table = newTable("fpgm")
        table.program = program()
        font["EVIL"] = evil = newTable("EVIL")
        evil.data = b"<script>alert(1)</script>"
        font.save(tmp_path / "sent.ttf")
    font_upload.convert_font(tmp_path / "sent.ttf", tmp_path / "brand.ttf")
    with TTFont(tmp_path / "brand.ttf") as font:
        assert {"fpgm", "EVIL"} & set(font.keys()) == set()
        assert set(font.getBestCmap()) == {32, *map(ord, LETTERS)}


def program():
    empty = Program()
    empty.fromBytecode([0x2B])
    return empty


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"permission": 0x0002}, "embedding permission"),
        ({"permission": 0x0200}, "embedding permission"),
        ({"letters": "ABC"}, "3 letters"),
        ({"more": 300}, "the limit is 300"),
        ({"height": 9000}, "far larger than a line"),
        ({"height": 0}, "empty"),
        ({"advance": 0}, "far larger"),
    ],
)
def test_a_font_that_cannot_be_used_is_refused_with_the_reason(
    tmp_path, monkeypatch, changes, said
):
    monkeypatch.setattr(font_upload, "MOST_GLYPHS", 300)  # a font of 30,000 takes a second
    with pytest.raises(InvalidFont, match=said):
        cleaned(tmp_path, **changes)
    assert not (tmp_path / "brand.ttf").exists()


@pytest.mark.parametrize("permission", [0x0000, 0x0004, 0x0008, 0x000A, 0x0100])
def test_a_font_that_may_be_shown_is_taken(tmp_path, permission):
    assert cleaned(tmp_path, permission=permission).exists()


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "not a font"),
        (b"<svg/>", "not a font"),
        (b"ttcf" + bytes(40), "a collection"),
        (b"wOFF" + bytes(44), "not a font"),
        (b"\0\1\0\0" + bytes(60), "damaged"),
        (b"OTTO" + struct.pack(">HHHH", 65535, 0, 0, 0) + b"\xff" * 200, "damaged"),
        (b"wOF2" + bytes(60), "TTF or OTF"),
    ],
)
def test_what_is_no_font_is_refused(tmp_path, content, said):
    (tmp_path / "sent.ttf").write_bytes(content)
    with pytest.raises(InvalidFont, match=said):
        font_upload.convert_font(tmp_path / "sent.ttf", tmp_path / "brand.ttf")


def test_headings_and_text_are_set_in_the_accounts_font_and_the_fonts_of_others_stay(tmp_path):
    cleaned(tmp_path)
    branded, plain = renderer(tmp_path), SceneRenderer(brief_of(), ENGLISH, WIDE, tmp_path)
    assert (
        branded.look.display == branded.look.text == fonts.find_brand_family(tmp_path / "brand.ttf")
    )
    assert plain.look.display == "Inter" and branded.look.display not in fonts.list_families()
    assert (branded.picture(0) != plain.picture(0)).any()
    assert typesetting.measure_word("Tea", Typeface(100, 700, family=branded.look.text)) == 150


def test_letters_that_the_font_lacks_are_set_in_another(tmp_path):
    assert features.check("raqm")
    cleaned(tmp_path)
    family = fonts.find_brand_family(tmp_path / "brand.ttf")
    assert fonts.choose_family("Tea", family) == family
    assert fonts.split_by_family("Teaشاي", family) == ((family, "Tea"), ("Noto Sans Arabic", "شاي"))
    words = ("شاي", "Tea", "茶", "٤")
    script = Script("شاي", "ar", (Scene("points", "شاي Tea", (), words, words, "", (3,)),))
    lettering = _texts(renderer(tmp_path, script, language="ar"))
    assert "شاي Tea" in {text.text for text in lettering}
    assert [text.missing for text in lettering if "茶" not in text.text and text.missing] == []


def _texts(drawn: SceneRenderer):
    drawn.picture(0)
    return drawn.drain_texts()


def test_a_font_that_is_gone_or_broken_leaves_the_look_as_it_is(tmp_path):
    assert renderer(tmp_path).look.display == "Inter"
    (tmp_path / "brand.ttf").write_bytes(b"\0\1\0\0" + bytes(100))
    assert renderer(tmp_path).look.display == "Inter"
