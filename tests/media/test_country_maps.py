"""Lists whose points are countries stand beside a map of them; no other list does,
and no disputed border is drawn.
"""

import itertools

import numpy as np
import pytest
from media.layout_sweep import ODD, list_scene, studio
from support.sampling import sampled

from svc.media.colour import compute_contrast
from svc.media.maps import named, region
from svc.media.maps.shape import DISPUTED
from svc.media.model import Rendition
from svc.media.script import completeness, from_brief
from svc.media.slides.diagrams import country_map

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
OFFICES = ["Norway: since 1994", "Denmark", "Luxembourg (from May)", "Portugal – Lisbon"]


@pytest.mark.parametrize(
    "language, texts, codes",
    [
        ("en", OFFICES, ("no", "dk", "lu", "pt")),
        ("en", ["The Netherlands, 12", "USA: 40", "UK; 3"], ("nl", "us", "gb")),
        ("en", ["Bosnia and Herzegovina", "Côte d’Ivoire: cocoa"], ("ba", "ci")),
        ("de", ["Frankreich: 68 Mio.", "Die Schweiz", "Österreich - Wien"], ("fr", "ch", "at")),
        ("fr", ["L’Italie : 59", "le Japon : 124"], ("it", "jp")),
        ("ja", ["日本：京都", "フランス"], ("jp", "fr")),
        ("ar", ["مصر: القاهرة", "تونس"], ("eg", "tn")),
        ("pt-BR", ["Brasil: São Paulo", "Portugal: Lisboa"], ("br", "pt")),
    ],
)
def test_points_that_begin_with_countries_have_a_map(language, texts, codes):
    assert named.find_countries(tuple(texts), language) == codes


@pytest.mark.parametrize(
    "texts",
    [
        ["Norway"],
        ["Norway: Oslo", "Norway: Bergen"],
        ["Norway", "Trondheim"],
        ["China tea sets", "Turkey sandwiches"],
        ["Kenya exports tea", "Japan drinks it"],
        ["Chad: the boss", "Jordan: his friend"],
        ["Israel: 9", "Norway: 5", "Portugal: 10"],
        ["Norway and Denmark", "Portugal"],
        ["Antarctica is cold", "Europe"],
        ["", ""],
    ],
)
def test_other_points_have_none(texts):
    assert named.find_countries(tuple(texts), "en") == ()


def test_a_language_without_names_of_countries_has_those_that_all_write():
    assert named.find_countries(("USA: 1", "UK: 2"), "xx") == ("us", "gb")


def test_no_list_with_a_country_whose_border_is_disputed_has_a_map():
    names = {code: name for name, code in named._index_by_name("en").items()}
    assert names.keys() >= DISPUTED
    for code in DISPUTED:
        assert named.find_countries((f"{names[code]}: 1", "Norway: 2"), "en") == ()


def middle(mask) -> tuple[float, float]:
    ys, xs = np.nonzero(np.asarray(mask) > 127)
    return float(xs.mean()), float(ys.mean())


@pytest.mark.parametrize("size", [(300, 300), (420, 130), (140, 400)])
def test_the_countries_lie_where_they_do_and_whole(size):
    drawn = region.draw_region(("no", "dk", "lu", "pt"), *size)
    (norway, denmark, luxembourg, portugal) = map(middle, drawn.countries)
    assert (
        norway[1] < denmark[1] < luxembourg[1] < portugal[1]
        and portugal[0] < luxembourg[0] < norway[0]
    )
    land = np.asarray(drawn.land)
    for mask in drawn.countries:
        assert mask.size == size and (land[np.asarray(mask) > 200] > 60).mean() > 0.6
        edge = np.asarray(mask).copy()
        edge[1:-1, 1:-1] = 0
        assert not edge.any()


def test_a_country_too_small_to_be_seen_is_a_dot():
    luxembourg = np.asarray(region.draw_region(("no", "lu", "pt"), 300, 300).countries[1]) > 127
    ys, xs = np.nonzero(luxembourg)
    assert 6 <= np.ptp(xs) <= 14 and 6 <= np.ptp(ys) <= 14


def test_countries_far_apart_are_on_a_map_of_the_world():
    codes = ("br", "jp", "ca", "nz")
    assert (
        region.choose_height(codes, 400, 400) < 300
        and region.choose_height(("no", "dk"), 400, 400) == 400
    )
    brazil, japan, canada, zealand = map(middle, region.draw_region(codes, 400, 248).countries)
    assert brazil[0] < japan[0] and canada[1] < brazil[1] < zealand[1]


@pytest.mark.parametrize("shape, accent", sampled(itertools.product([WIDE, TALL], ODD), 6))
def test_a_country_is_filled_when_it_is_spoken_of(shape, accent):
    scene = list_scene([(text, "", 0) for text in OFFICES])
    drawn, filled = studio(scene, shape, accent=accent), []
    for stage in range(-1, 4):
        drawn.picture(0, stage)
        filled.append(
            [country_map._choose_fill(drawn, (60, 60, 60), number - stage) for number in range(4)]
        )
    assert len(set(filled[0])) == 1
    for stage, fills in enumerate(filled[1:]):
        assert compute_contrast(fills[stage], (60, 60, 60)) >= 3.0
        assert all(fills[stage] != other for number, other in enumerate(fills) if number != stage)


def test_the_map_changes_with_what_is_spoken_and_the_description_names_it(make_brief):
    notes = "## Offices\n\n" + "\n".join(f"- {text}" for text in OFFICES)
    brief = make_brief(metadata_md=notes)
    script = from_brief.write_script(brief)
    scene = script.scenes[1]
    assert (scene.layout, scene.description) == ("points", "Ada, and a list beside a map.")
    assert completeness.list_lost(brief, script) == []
    drawn = studio(scene, WIDE)
    pictures = [drawn.picture(0, stage).astype(int) for stage in (0, 1)]
    right = [
        picture[:, round(picture.shape[1] * 0.4) : round(picture.shape[1] * 0.66)]
        for picture in pictures
    ]
    assert (np.abs(right[0] - right[1]).max(axis=-1) > 20).sum() > 60
