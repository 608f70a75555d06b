"""The shapes of countries: whole, recognisable, found by names, and drawn with their flags."""

import itertools
import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.sampling import sampled
from support.tables import each_of

from svc.base.looks import THEMES
from svc.media.artwork import collection, draw
from svc.media.colour import compute_contrast
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import lay_out
from svc.media.drawing.looks import LOOKS
from svc.media.drawing.palette import build_palette
from svc.media.maps import outlines, projection, shape
from svc.media.model import Presenter, Rendition, Scene, Script, VideoBrief
from svc.media.pictures import countries, illustration, places
from svc.media.script.from_brief import write_script
from svc.media.video.scene import SceneRenderer

_FILE = Path(outlines.__file__).parent / "outlines.json.xz"
_WIDE, _TALL = Rendition("landscape", 320, 180), Rendition("portrait", 180, 320)
_WORDS = ("Kenya", "grows", "tea.")
_PROSE = Scene(
    "prose",
    "Where",
    (),
    _WORDS,
    _WORDS,
    "d",
    (2,),
    key_phrase="Kenya grows tea",
    illustration="country:ke",
)


def _contains(code: str, longitude: float, latitude: float) -> bool:
    """Return whether a point is within a country's outer rings."""
    inside = False
    for polygon in outlines.find_polygons(code):
        x, y = polygon[0][:, 0], polygon[0][:, 1]
        next_x, next_y = np.roll(x, -1), np.roll(y, -1)
        crossing = (y > latitude) != (next_y > latitude)
        at = (next_x - x)[crossing] * (latitude - y[crossing]) / (next_y - y)[crossing] + x[
            crossing
        ]
        inside ^= bool((at > longitude).sum() % 2)
    return inside


@pytest.mark.parametrize(
    ("sentence", "language", "name"),
    [
        ("Kenya grows wheat", "en", "country:ke"),
        ("Tea came to Kenya", "en", "country:ke"),
        ("Tea came to Kenya in 1903.", "en", "country:ke"),
        ("Der Tee kam nach Kenia.", "de", "country:ke"),
        ("A flag for the parcel to Kenya", "en", "flag:ke"),
        ("Alles über Österreich", "de", "country:at"),
        ("日本について", "ja", "country:jp"),
        ("The team of Kenya has arrived", "en", "flag:ke"),
        ("Die Flagge von Österreich", "de", "flag:at"),
        ("日本の旗", "ja", "flag:jp"),
        ("Life in Monaco", "en", "flag:mc"),
        ("Ukraine grows wheat", "en", "flag:ua"),
        ("Morocco grows mint", "en", "flag:ma"),
    ],
)
def test_a_country_is_shown_by_its_shape_and_a_team_by_its_flag(sentence, language, name):
    assert (
        places.find_country_at_end(sentence, language)
        or places.find_country_picture(sentence, language)
    ) == name


@pytest.mark.parametrize(
    "sentence", ("Georgia is here", "The turkey was fine", "Jordan said so", "Chad left early")
)
def test_a_name_that_means_something_else_shows_no_country(sentence):
    assert not places.find_country_picture(sentence, "en").startswith(("country:", "flag:"))


@each_of(
    ("sentence", "language", "name"),
    [
        ("Trade in South Sudan", "en", "flag:ss"),
        ("Sudan del Sud", "it", ""),
        ("Sudán del Sur", "es", "flag:ss"),
        ("American Samoa", "en", "flag:as"),
        ("Papua New Guinea", "en", "country:pg"),
        ("They moved to New Guinea", "en", ""),
        ("Life in Jersey City", "en", ""),
        ("In the Gulf of Mexico", "en", ""),
        ("En el golfo de México", "es", ""),
        ("Le Nouveau-Mexique", "fr", ""),
        ("Golf von Mexiko", "de", ""),
        ("メキシコ湾について", "ja", ""),
        ("メキシコについて", "ja", "country:mx"),
        ("新墨西哥", "zh", ""),
        ("They moved to Cuba, New York", "en", ""),
        ("They moved to Havana, Cuba", "en", "country:cu"),
        ("China plates", "en", ""),
        ("Chad runs sales", "en", ""),
        ("Panama hats", "en", ""),
        ("The Panama Canal", "en", "country:pa"),
        ("A red chile", "en", ""),
        ("Norway lobster", "en", ""),
        ("Hoja parroquial de San Martín", "es", ""),
        ("La fiesta de Santa Lucía", "es", ""),
        ("La fiesta nacional de San Marino", "es", "flag:sm"),
        ("Der Umzug zu St. Martin", "de", ""),
        ("The harbour of St. Lucia", "en", "flag:lc"),
        # the name of Réunion is the word for a meeting
        ("La próxima reunión es el sábado en la caseta", "es", ""),
        ("Reunión de vecinos", "es", ""),
        ("A reunião de pais é na terça", "pt", ""),
        ("Riunione di condominio", "it", ""),
        ("La réunion aura lieu mardi", "fr", ""),
        ("Eldia mặc áo dài", "vi", ""),  # a robe, and Austria with a capital
        ("Chuyến đi tới Áo", "vi", "country:at"),
    ],
)
def test_a_countrys_name_within_another_name_shows_no_country(sentence, language, name):
    assert places.find_country_picture(sentence, language) == name


def test_each_name_that_means_no_country_shows_none():
    for language in (
        "en",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "ca",
        "el",
        "pl",
        "fi",
        "cs",
        "ru",
        "uk",
        "tr",
        "id",
        "ar",
        "hi",
        "ja",
        "zh",
    ):
        for name in countries.list_names_elsewhere(language):
            for text in (name, name.title(), f"x {name.title()}"):
                assert not places.find_country_picture(text, language).startswith(
                    ("country:", "flag:")
                ), (
                    language,
                    text,
                )


def test_a_country_that_only_says_whose_a_thing_is_is_no_news():
    assert (
        places.find_country_at_end("O melhor café do Brasil", "pt")
        == ""
        == places.find_country_at_end("Coffee from Brazil", "en")
    )
    assert places.find_country_at_end("Coffee came to Brazil", "en") == "country:br"


def test_a_long_text_is_about_a_country_only_if_it_names_it_twice():
    text = (
        "The firm, "
        + "which was founded by two brothers in a town, " * 2
        + "sells its machines in many places, {}."
    )
    assert places.find_country_picture(text.format("Kenya among them"), "en") == ""
    assert places.find_country_picture(text.format("Kenya and again Kenya"), "en") == "country:ke"


def test_a_negated_country_is_not_shown():
    brief = VideoBrief(
        "p", "Trade", "Trade", "en", "US", "Nothing is sold in Kenya.", Presenter("Ada"), (_WIDE,)
    )
    assert [scene.illustration for scene in write_script(brief).scenes] == ["", "", ""]


def test_every_shape_is_closed_and_has_a_flag_of_its_own_code():
    shapes = {code for code in outlines.list_codes() if shape.has_shape(code)}
    assert len(shapes) > 155 and all(collection.has_picture(f"flag:{code}") for code in shapes)
    assert all(
        (ring[0] == ring[-1]).all()
        for code in shapes
        for polygon in shape.main_parts(code)
        for ring in polygon
    )
    assert not shapes & {"va", "mc", "sm", "li", "nr", "mv", "ki", "fm"}


@pytest.mark.parametrize("code", ("ke", "jp", "cl", "no", "us", "fj", "fr", "tw"))
def test_a_shape_fills_its_picture(code):
    pixels = np.asarray(draw.draw_picture(f"country:{code}", 96, "#123456"))
    rows, columns = np.nonzero(pixels[..., 3] > 128)
    assert (
        max(np.ptp(rows), np.ptp(columns)) >= 84
        and (pixels[..., :3] == (0x12, 0x34, 0x56)).all(axis=2).sum() > 96
    )


@pytest.mark.parametrize(
    ("code", "kilometres"),
    [("ru", 9_600), ("fj", 700), ("us", 9_400), ("fr", 1_500), ("no", 2_500)],
)
def test_a_shape_leaves_out_what_is_across_an_ocean(code, kilometres):
    points = np.concatenate([polygon[0] for polygon in shape.main_parts(code)])
    longitude, latitude, _ = projection.find_middle(points)
    extent = np.ptp(projection.project_around(longitude, latitude)(points), axis=0)
    assert kilometres / 3 < np.linalg.norm(extent) * 6371 < kilometres


@pytest.mark.parametrize(
    ("code", "square_kilometres"),
    [("ke", 580_000), ("ru", 17_000_000), ("br", 8_500_000), ("za", 1_220_000)],
)
def test_areas_are_kept(code, square_kilometres):
    polygons = outlines.find_polygons(code)
    longitude, latitude, _ = projection.find_middle(polygons[0][0])
    for project in (projection.project_around(longitude, latitude), projection.project_equal_earth):
        rings = [
            (shape.measure_ring_area(project(ring)), number)
            for polygon in polygons
            for number, ring in enumerate(polygon)
        ]
        area = sum(-size if number else size for size, number in rings) * 6371**2
        assert area == pytest.approx(square_kilometres, rel=0.03)


def test_outlines_follow_the_lines_of_control():
    assert _contains("ru", 34.1, 45.1) and not _contains("ua", 34.1, 45.1)  # the Crimea
    assert _contains("tw", 121.0, 24.0) and not _contains("cn", 121.0, 24.0)
    assert _contains("ps", 35.2, 32.2) and not _contains("il", 35.2, 32.2)
    assert (
        _contains("xk", 21.1, 42.6) and _contains("", 44.0, 9.6) and not _contains("so", 44.0, 9.6)
    )


def test_an_unknown_or_disputed_country_has_no_shape():
    for code in ("", "zz", "../ke", "KE", *sorted(shape.DISPUTED)):
        assert not collection.has_picture(f"country:{code}")
        with pytest.raises(KeyError):
            collection.read_picture_svg(f"country:{code}")


def test_the_file_is_small_and_says_where_it_comes_from():
    licence = _FILE.with_name("LICENSE.txt").read_text("utf-8")
    assert (
        _FILE.stat().st_size <= 350_000
        and "Natural Earth 4.1.0" in licence
        and "world-atlas 2.0.2" in licence
    )
    content = json.loads(lzma.decompress(_FILE.read_bytes()))
    used = {
        arc if arc >= 0 else ~arc
        for rows in content["countries"].values()
        for row in rows
        for ring in row
        for arc in ring
    }
    assert used == set(range(len(content["lines"])))


@pytest.mark.parametrize(
    "look, theme, rendition", sampled(itertools.product(LOOKS, THEMES, (_WIDE, _TALL)), 4)
)
def test_a_shape_with_its_flag_is_drawn_in_the_colours_of_the_account(look, theme, rendition):
    brief = VideoBrief(
        "p",
        "Tea",
        "Tea",
        "en",
        "US",
        "",
        Presenter("Ada"),
        (rendition,),
        accent="#1d7a3c",
        look=look,
        theme=theme,
    )

    def drawn(illustration: str):
        scene = replace(_PROSE, illustration=illustration)
        return SceneRenderer(brief, Script("Tea", "en", (scene,)), rendition).picture(0).astype(int)

    picture, flag = drawn("country:ke"), drawn("flag:ke")
    green = (picture[..., 1] > picture[..., 0] + 40) & (picture[..., 1] > picture[..., 2] + 20)
    changed = (np.abs(picture - flag).max(axis=2) > 40).mean()
    assert changed > 0.01 and (green & (np.abs(picture - flag).max(axis=2) > 40)).sum() > 50


@pytest.mark.parametrize("theme", sampled(THEMES, 2))
@pytest.mark.parametrize("look", LOOKS)
def test_a_shape_stands_out_from_what_is_behind_it(look, theme):
    colours = build_palette(LOOKS[look], theme, (15, 118, 110))
    canvas = Canvas(
        Image.new("RGB", (400, 400), colours.ground),
        lay_out(1280, 720),
        LOOKS[look],
        colours,
        False,
    )
    illustration.draw_illustration(canvas, "country:ke", (0, 0, 400, 400))
    land = np.asarray(canvas.image)[195:205, 195:205].reshape(-1, 3)
    sea = np.asarray(canvas.image)[195:205, 285:295].reshape(-1, 3)
    assert (
        min(
            compute_contrast(tuple(map(int, one)), tuple(map(int, other)))
            for one in land[::20]
            for other in sea[::20]
        )
        > 2.5
    )
