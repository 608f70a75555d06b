"""Lists, tables, comparisons, code and words: the frame is filled, nothing is lost,
and no text touches another.
"""

import itertools
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from media.layout_sweep import ODD, dressed, faults, list_scene, rows_scene, studio
from small_programme import brief_of
from support.sampling import sampled
from support.tables import each_of

from svc.base.looks import THEMES
from svc.media.checks import text as checks
from svc.media.colour import is_warm, parse_colour
from svc.media.drawing import typesetting
from svc.media.drawing.frame_layout import lay_out
from svc.media.drawing.looks import LOOKS, find_look
from svc.media.drawing.palette import build_palette
from svc.media.drawing.typesetting import GLUE, Typeface
from svc.media.model import Point, Rendition, Scene, Script, Visual
from svc.media.slides import code, paging, tables
from svc.media.video.scene import SceneRenderer

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
SHAPES = {
    "landscape": WIDE,
    "portrait": TALL,
    "square": Rendition("square", 360, 360),
    "feed": Rendition("feed", 360, 450),
}
SENTENCE = (
    "Die Beschwerdestelle prüft nach Art. 6 innerhalb von sieben Tagen, ob der gemeldete Inhalt "
    "rechtswidrig ist oder nicht."
)
CODE = '''@app.get("/users/<int:user_id>")
def user(user_id: int) -> dict:
    """Return one user."""
    name = database.name_of(user_id)  # from the store, and never from the cache alone
    if name is None:
        raise LookupError(404)
'''


def one(kind: str, text: str, note: str, heading: str = "A heading") -> Scene:
    return Scene(kind, heading, (), ("x",), ("x",), "One.", sight=Visual(kind, text, note))


SCENES = {
    "three": list_scene(
        [("Boil the water", "1.", 0), ("Pour it slowly", "2.", 0), ("Wait", "3.", 0)]
    ),
    "countries": list_scene(
        [
            ("Norway: since 1994", "", 0),
            ("Luxembourg", "", 0),
            ("Portugal – Lisbon and Porto", "", 0),
        ]
    ),
    "tasks": list_scene(
        [
            ("Buy beans", "☑", 0),
            ("From Ethiopia", "", 1),
            ("Pack the bags", "☐", 0),
            ("Ship", "12.", 2),
        ]
    ),
    "steps": list_scene(
        [
            ("Check the oil", "1. ☐", 0),
            ("Fill up", "2. ☑", 0),
            ("Sail", "3.", 0),
            ("Ring", "10. ☐", 1),
        ]
    ),
    "five": list_scene([(f"{SENTENCE} {number}", "", 0) for number in range(5)]),
    "prices": rows_scene(
        "table",
        ("Plan", "Support", "Price", "Keeps"),
        [
            ("Starter", "e-mail", "€1,200.00", "365 days"),
            ("Team", "e-mail and telephone", "€12,300.00", "7 years"),
            ("Enterprise", "round the clock", "€99,999.00", "for ever"),
        ],
    ),
    "law": rows_scene(
        "table",
        ("Vorschrift", "Gegenstand der Regelung", "Frist", "Folge", "Behörde"),
        [
            (
                f"Art. {n}",
                SENTENCE[:64],
                "72 Stunden",
                "Bußgeld bis 20 Mio. Euro",
                "Bundesnetzagentur",
            )
            for n in range(6)
        ],
    ),
    "tides": rows_scene(
        "comparison",
        ("Spring tide", "Neap tide"),
        [
            ("Sun and Moon in line", SENTENCE[:64]),
            ("Large range", "Small range"),
            ("Twice", "Twice too"),
            ("", "—"),
        ],
    ),
    "python": one("code", CODE, "python"),
    "quote": one("quote", SENTENCE, "Carl Sagan"),
    "pictures": Scene(
        "pictures",
        "The harbour",
        (Point("Before", 0, 0), Point(f"After: {SENTENCE[:48]}", 1, 1)),
        ("x", "x"),
        ("x", "x"),
        "Two.",
        sight=Visual("pictures", columns=("Before", "After"), files=("a.png", "b.png")),
    ),
    "number": one("number", "€1,234,567.89", SENTENCE),
    "title": Scene(
        "title",
        "Die Datenschutz-Grundverordnung und hello@kestrel.example",
        (),
        ("x",),
        ("x",),
        "A title.",
    ),
}


def content(scene: Scene) -> set[str]:
    """The words that a scene has to show, without spaces and hyphens."""
    cells = [point.text for point in scene.points if not scene.sight.rows]
    cells += [cell for row in (scene.sight.columns, *scene.sight.rows) for cell in row]
    cells += [scene.heading, scene.sight.text, scene.sight.note]
    return {bare(cell) for cell in cells if cell}


def bare(text: str) -> str:
    return "".join(
        character for character in text if not character.isspace() and character not in f"-↪{GLUE}"
    )


@pytest.mark.parametrize(
    "shape, name", sampled(itertools.product(("landscape", "portrait"), SCENES), 12)
)
def test_no_text_of_a_layout_touches_another_and_none_is_lost(name, shape):
    scene = SCENES[name]
    stages = range(-1, len(scene.points))
    assert faults(scene, SHAPES[shape], "explainer", "dark", stages, "de") == []
    drawn = studio(scene, SHAPES[shape], language="de")
    shown = []
    for stage in stages:
        drawn.picture(0, stage)
        shown.append(bare("".join(text.text for text in drawn.drain_texts())))
    assert [cell for cell in content(scene) if not any(cell in page for page in shown)] == []
    assert not any("…" in page for page in shown)


@pytest.mark.slow
@pytest.mark.parametrize("look, theme, shape", dressed(SHAPES))
def test_every_layout_is_clean_in_every_look_and_shape(look, theme, shape):
    wrong = []
    for number, scene in enumerate(SCENES.values()):
        language = ("en", "de", "ar")[number % 3]
        accent = ODD[number % len(ODD)]
        wrong += faults(
            scene, SHAPES[shape], look, theme, (len(scene.points) - 1,), language, accent=accent
        )
    assert wrong == []


@pytest.mark.parametrize(
    "look, shape", sampled(sorted({(look, shape) for look, _, shape in dressed(SHAPES)}), 6)
)
def test_a_list_of_three_fills_most_of_the_space_for_content(shape, look):
    drawn = studio(SCENES["three"], SHAPES[shape], look)
    drawn.picture(0, 2)
    texts = drawn.drain_texts()
    points = [text for text in texts if text.part == "point"]
    _, top, _, bottom = drawn.plan.content
    under = max(text.box[3] for text in texts if text.part == "heading")
    assert max(text.box[3] for text in points) - under > 0.55 * (bottom - under)
    assert max(text.box[3] for text in points) > top + 0.6 * (bottom - top)


@pytest.mark.parametrize("look", sampled(LOOKS, 3))
def test_the_text_of_a_list_is_large_in_a_tall_picture_and_captions_are_not_much_larger(look):
    for name in ("three", "five"):
        drawn = studio(SCENES[name], Rendition("portrait", 540, 960), look)
        drawn.picture(0, 0)
        assert min(text.size for text in drawn.drain_texts() if text.part == "point") >= 22
    sizes = drawn.plan.sizes
    assert sizes.caption <= 1.25 * sizes.body


@pytest.mark.parametrize("shape", SHAPES)
def test_a_tall_or_square_picture_gives_content_most_of_what_is_not_covered(shape):
    rendition = SHAPES[shape]
    plan = lay_out(rendition.width, rendition.height)
    wide, tall = plan.content[2] - plan.content[0], plan.content[3] - plan.content[1]
    safe = (plan.safe[2] - plan.safe[0], plan.safe[3] - plan.safe[1])
    assert wide * tall > 0.42 * safe[0] * safe[1]
    assert plan.stacked is (shape != "landscape")


def test_no_row_of_a_list_is_empty_before_it_is_spoken():
    drawn = studio(SCENES["three"], WIDE)
    drawn.picture(0, -1)
    assert {"Boil the water", "Wait", "1.", "3."} <= {text.text for text in drawn.drain_texts()}


@pytest.mark.slow
@pytest.mark.parametrize("look, theme", tuple(product(LOOKS, THEMES)))
def test_the_number_of_a_row_is_legible_on_its_badge_in_every_colour_of_a_brand(look, theme):
    numbered = list_scene([("A word", f"{number}.", 0) for number in range(1, 4)])
    for accent in (*ODD, "#0a2540", "#102a10", "#203040"):
        assert faults(numbered, SHAPES["landscape"], look, theme, (-1, 1), accent=accent) == []


def test_a_nested_point_is_indented():
    drawn = studio(SCENES["tasks"], WIDE)
    drawn.picture(0, 0)
    left = {text.text: text.box[0] for text in drawn.drain_texts()}
    assert left["Buy beans"] == left["Pack the bags"] < left["From Ethiopia"] < left["Ship"]


@pytest.mark.parametrize("language", ("en", "ar"))
def test_what_is_turned_over_in_verse_is_indented(language):
    """Else it would look like a line of its own."""
    scene = replace(
        list_scene([("The sea has learned my name by now", "", 0), ("it calls", "", 0)]),
        layout="verse",
        sight=Visual("verse"),
        heading="",
    )
    drawn = studio(scene, SHAPES["portrait"], "scenes", language=language)
    drawn.picture(0, 0)
    first, turned, second = (text.box for text in drawn.drain_texts() if text.part == "point")
    assert first[3] <= turned[1] + 4 and turned[3] < second[1]
    if language == "ar":
        assert turned[2] < first[2] == second[2]
    else:
        assert turned[0] > first[0] == second[0]


def test_a_done_task_differs_from_an_open_one():
    done, undone = (
        studio(list_scene([("Buy beans", label, 0)]), WIDE).picture(0, 0) for label in "☑☐"
    )
    assert (done != undone).any()


@pytest.mark.parametrize("language", ("en", "ar"))
def test_the_number_of_a_task_stands_before_its_box_and_changes_with_it(language):
    drawn = studio(SCENES["steps"], WIDE, language=language)
    drawn.picture(0, 1)
    texts = {text.text: text.box for text in drawn.drain_texts()}
    number, text = texts[".1" if language == "ar" else "1."], texts["Check the oil"]
    apart = number[0] - text[2] if language == "ar" else text[0] - number[2]
    assert apart > drawn.plan.px(46)
    done, undone = (
        studio(list_scene([("Fill up", f"2. {box}", 0)]), WIDE).picture(0, 0) for box in "☑☐"
    )
    assert (done != undone).any()


def test_every_page_of_numbered_tasks_shows_its_numbers():
    scene = list_scene([(f"{SENTENCE} {number}", f"{number}. ☐", 0) for number in range(1, 6)])
    drawn = studio(scene, TALL)
    for stage in range(5):
        drawn.picture(0, stage)
        assert f"{stage + 1}." in {
            text.text for text in drawn.drain_texts() if text.part == "number"
        }


@pytest.mark.parametrize("shape", SHAPES)
def test_table_columns_keep_a_gutter(shape):
    rows = [
        ("Audit log", "365 days", "7 years", "€1,000.00"),
        ("Backups of everything", "1 day", "30 days", "€20.00"),
    ]
    scene = rows_scene("table", ("What", "Starter", "Enterprise", "Price"), rows)
    drawn = studio(scene, SHAPES[shape])
    drawn.picture(0, 1)
    texts = [text for text in drawn.drain_texts() if text.part == "point"]
    for first, second in product(texts, texts):
        beside = first is not second and abs(first.box[1] - second.box[1]) < first.size // 2
        if beside and first.box[0] < second.box[0]:
            assert second.box[0] - first.box[2] >= drawn.plan.px(24)


def test_a_narrow_column_of_a_table_has_the_room_that_others_do_not_need():
    """Its rows had four lines, and a double name made all type small."""
    rows = [
        ("Montag", "Zugfahrt", "Stadtrallye durch die Altstadt"),
        ("Mittwoch", "Strand von Travemünde", "Fahrt mit der Fähre zum Priwall"),
        ("Donnerstag", "Niederegger Marzipanwerkstatt", "Grillabend"),
    ]
    scene = rows_scene("table", ("Tag", "Vormittag", "Nachmittag"), rows, heading="Programm")
    drawn = studio(scene, Rendition("square", 1080, 1080), "scenes", "light", language="de")
    drawn.picture(0, 1)
    texts = [text for text in drawn.drain_texts() if text.part == "point"]
    assert {"Fahrt mit der", "Fähre zum Priwall"} <= {text.text for text in texts}
    rows = [("Lakeside Half Marathon", "Tom Okonkwo-Lindqvist", "1:19:05")]
    scene = rows_scene("table", ("Race", "Runner", "Time"), rows)
    drawn = studio(scene, Rendition("portrait", 1080, 1920), "scenes", "light")
    drawn.picture(0, 0)
    texts = [text for text in drawn.drain_texts() if text.part == "point"]
    assert {"Okonkwo-", "Lindqvist"} <= {text.text for text in texts}
    assert min(text.size for text in texts) >= 48


@pytest.mark.parametrize("shape", ["portrait", "feed"])
def test_the_headings_of_four_columns_can_be_read_in_a_tall_picture(shape):
    rows = [(f"RM 40-{n} S", f"{n} cm", "12.8 kg", "89 dB(A)") for n in (33, 38, 46)]
    scene = rows_scene("table", ("Model", "Cutting width", "Weight", "Sound power"), rows)
    drawn = studio(
        scene,
        {"portrait": Rendition(shape, 540, 960)}.get(shape, Rendition(shape, 540, 676)),
        "scenes",
    )
    drawn.picture(0, 1)
    texts = [text for text in drawn.drain_texts() if text.part in ("point", "name")]
    assert min(text.size for text in texts) >= drawn.plan.px(31)
    assert any(text.text.replace("\u00a0", " ") == "RM 40-38 S" for text in texts)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("columns", [3, 6])
def test_a_table_over_two_scenes_is_set_alike_in_both(shape, columns):
    """Also as cards, which six columns become; one scene alone would be set larger."""
    heads = ("Hall", "Opens on working days", "Seats", "Street", "Telephone", "Entrance")[:columns]
    long = ("Concert hall on the harbour", "from 9:00 to 17:30", "1,250", "Kai", "01", "South")
    short = ("Gym", "daily", "90", "Hof", "02", "West")
    if columns > 5:
        long = (*long[:5], SENTENCE)
    many, few = [long[:columns]] * 5, [short[:columns]]
    scenes = [rows_scene("table", heads, rows) for rows in (many, few)]
    alone = [_sizes(studio(scene, SHAPES[shape]), 0) for scene in scenes]
    assert alone[0] != alone[1]
    script = Script("Test", "en", tuple(scenes))
    both = SceneRenderer(brief_of(script, look="explainer", theme="dark"), script, SHAPES[shape])
    assert _sizes(both, 0) == _sizes(both, 1) == min(alone)


def test_the_columns_of_a_long_table_are_measured_once_for_each_size_that_is_tried(monkeypatch):
    """Not again for each part, in each part, and at each stage."""
    rows = [(f"Hall {at}", f"from {at}:00 to 17:30 on working days", "1,250") for at in range(24)]
    parts = [
        rows_scene("table", ("Hall", "Opens", "Seats"), rows[at : at + 6]) for at in (0, 6, 12)
    ]
    script, sizes = Script("Test", "en", tuple(parts)), []
    monkeypatch.setattr(tables, "_even_out", lambda widths, *_: sizes.append(widths) or widths)
    drawn = SceneRenderer(brief_of(script, look="explainer"), script, SHAPES["square"])
    for scene in range(3):
        for stage in range(6):
            drawn.picture(scene, stage)
    assert 0 < len(sizes) <= 12


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("few", [1, 2, 3])
def test_the_last_part_of_a_table_stands_in_the_middle_of_its_frame(shape, few):
    """Its headings with it, and its rows no lower than the full part's."""
    row = ("Concert hall", "9:00", "1,250")
    scenes = tuple(rows_scene("table", ("Hall", "Opens", "Seats"), [row] * n) for n in (6, few))
    script = Script("Test", "en", scenes)
    drawn = SceneRenderer(brief_of(script, look="explainer", theme="dark"), script, SHAPES[shape])
    steps = []
    for scene in (0, 1):
        drawn.drain_texts()
        drawn.picture(scene)
        texts = drawn.drain_texts()
        cells = [text.box for text in texts if text.text == "9:00"]
        steps.append(min((b[1] - a[1] for a, b in pairwise(cells)), default=0))
    heading = next(text.box for text in texts if text.text.startswith("Their"))
    head = next(text.box for text in texts if text.text == "Opens")
    above, below = head[1] - heading[3], drawn.plan.content[3] - cells[-1][3]
    assert below - above < 0.12 * (drawn.plan.content[3] - drawn.plan.content[1])
    assert few == 1 or steps[1] >= steps[0]


def _sizes(drawn: SceneRenderer, scene: int) -> list[float]:
    """Return the sizes of the cells' type in a scene."""
    drawn.drain_texts()
    drawn.picture(scene)
    return sorted({text.size for text in drawn.drain_texts() if text.part == "point"})


def test_code_is_coloured_and_reads_from_the_left_in_an_arabic_programme():
    for theme in THEMES:
        drawn = studio(SCENES["python"], WIDE, theme=theme, language="ar")
        drawn.picture(0)
        texts = [text for text in drawn.drain_texts() if text.part == "code"]
        assert len({text.ink for text in texts}) > 3 and min(text.contrast for text in texts) >= 4.5
        places = {text.text: text.box[0] for text in texts}
        assert places["def"] < places["raise"]


def test_a_long_line_of_code_goes_on_after_a_mark_and_endless_code_is_paged():
    drawn = studio(one("code", "x = " + "1 + " * 200, "python"), TALL)
    drawn.picture(0)
    assert any("↪" in text.text for text in drawn.drain_texts())
    scene = one(
        "code", "\n".join(f"line_{number} = {number}" for number in range(100)), "no such language"
    )
    points = tuple(Point("", number, number) for number in range(8))
    many = Scene("code", "", points, ("x",) * 8, ("x",) * 8, "", sight=scene.sight)
    drawn = studio(many, WIDE)
    for stage in range(8):
        drawn.picture(0, stage)
    assert {"line_0", "line_50", "line_99"} <= {
        text.text.split()[0] for text in drawn.drain_texts()
    }


def test_a_word_is_hyphenated_by_its_language_only_where_smaller_type_does_not_do():
    face = Typeface(40, 700, language="de")
    block = typesetting.fit_text("Grundverordnung", 330, 100, face, 20)
    assert block.lines == (("Grundverordnung",),) and block.face.size < 40
    lines = typesetting.fit_text(
        "Rechtsschutzversicherungsgesellschaften", 200, 200, face, 22
    ).lines
    parts = [line[0].removeprefix(GLUE) for line in lines]
    assert len(parts) > 1 and all(part.endswith("-") for part in parts[:-1])
    assert (
        "".join(part.removesuffix("-") for part in parts)
        == "Rechtsschutzversicherungsgesellschaften"
    )
    assert all(len(part) > 3 for part in parts)


def test_a_compound_breaks_at_its_own_hyphen_first():
    (first,), (second,) = typesetting.fit_text(
        "Datenschutz-Grundverordnung", 300, 200, Typeface(30, 700, language="de"), 24
    ).lines
    assert (first, second) == ("Datenschutz-", GLUE + "Grundverordnung")


@pytest.mark.parametrize(
    "address",
    ["hello@kestrel.example", "https://kestrel.example/docs/start", "www.kestrel.example/docs"],
)
def test_an_address_breaks_only_after_its_marks_and_gets_no_hyphen(address):
    block = typesetting.fit_text(address, 150, 200, Typeface(26, 500, language="en"), 20)
    parts = [line[0].removeprefix(GLUE) for line in block.lines]
    assert "".join(parts) == address and len(parts) > 1
    assert all(part[-1] in "@/" or following[0] == "." for part, following in pairwise(parts))


def test_a_long_word_gets_no_space():
    word = "Kraftfahrzeughaftpflichtversicherungsverein"
    lines = typesetting.wrap_marked([(word,)], 200, Typeface(30, 500, language="de"))
    assert len(lines) > 1 and all(len(line) == 1 for line in lines)
    joined = "".join(
        part.removeprefix(GLUE).removesuffix("-") for line in lines for _, part in line
    )
    assert joined == word and all(line[0][1].startswith(GLUE) for line in lines[1:])


@pytest.mark.parametrize("look, theme", tuple(product(LOOKS, THEMES)))
def test_a_yellow_accent_does_not_turn_olive(look, theme):
    colours = build_palette(find_look(look), theme, parse_colour("#ffe100"))
    for colour in (colours.solid, colours.bright):
        assert not is_warm(colour) or colour[0] > 1.15 * colour[1] or min(colour[:2]) > 180


@pytest.mark.parametrize(
    "heights, height",
    [([50] * 8, 220), ([50, 500, 50], 220), ([10], 5), ([100, 100, 20, 20, 20], 230)],
)
def test_pages_hold_every_row_once_and_what_fits(heights, height):
    pages = paging.split_pages(heights, height, 10)
    assert [row for page in pages for row in page] == list(range(len(heights)))
    assert all(first.stop == second.start for first, second in pairwise(pages))
    assert all(len(page) == 1 or paging.sum_heights(heights, page, 10) <= height for page in pages)
    assert [paging.find_current_page(pages, row) for row in (-1, len(heights))] == [
        pages[0],
        pages[-1],
    ]


@each_of(
    ("heights", "height", "counts"),
    [
        ([50] * 5, 250, [3, 2]),
        ([50] * 7, 250, [4, 3]),
        ([50] * 9, 250, [3, 3, 3]),
        ([50] * 7, 180, [3, 2, 2]),
        ([100, 50, 50, 50], 210, [2, 2]),
        ([100, 50, 50, 50, 100], 230, [3, 2]),
        ([300, 50, 50], 230, [1, 2]),
        ([50, 300, 50], 230, [1, 1, 1]),
        ([], 230, []),
    ],
)
def test_no_row_is_alone_on_a_page_where_that_can_be_helped(heights, height, counts):
    """The last one was, where rows of several heights did not allow pages of one number."""
    assert list(map(len, paging.split_pages(heights, height, 10))) == counts


@pytest.mark.parametrize("shape", SHAPES)
def test_one_long_cell_gives_no_row_a_page_of_its_own(shape):
    """All rows were as high as that with the longest cell, so that the last was alone in a square
    picture; a name that is kept whole there is one word in a script without spaces."""
    talk = "Talk: the Crow Who Ate the Sun (烏鴉吞日的故事), with Dr Lin Mei-hua"
    rows = [
        ("22:00", talk, "Lecture room"),
        ("23:30", "Double stars for beginners", "West terrace"),
        ("01:00", "Meteor watch, lying down", "Meadow"),
    ]
    drawn = studio(rows_scene("table", ("Time", "What", "Where"), rows), SHAPES[shape])
    for stage in range(3):
        drawn.picture(0, stage)
        points = [text for text in drawn.drain_texts() if text.part == "point"]
        assert {"22:00", "23:30", "01:00"} <= {text.text for text in points}
        assert drawn.plan.content[3] >= max(text.box[3] for text in points)


def test_a_square_and_a_feed_picture_are_drawn_to_their_edges():
    for shape in ("square", "feed"):
        plan = lay_out(SHAPES[shape].width, SHAPES[shape].height)
        assert plan.safe[3] > 0.94 * plan.height and plan.strip[3] > 0.9 * plan.height
        assert np.diff(plan.content[1::2])[0] > 0.45 * plan.height


ENDLESS = {  # as much as one scene has
    "lines": "\n".join(
        f"name_{number:02} = value_{number:02} + " + "x" * 40 for number in range(12)
    ),
    "one line": "y" * 700 + " the_last_word",
    "words": " ".join(f"word{number:03}" for number in range(90)),
    "signs": "\n".join(
        f"{number}\tgrüße_{number} → λ{number} Ωж{number} 🎉" for number in range(12)
    ),
}
HEADINGS = (
    "",
    "A heading of two lines that is long enough",
    "Donaudampfschifffahrtsgesellschaft und ihre vielen Kapitäne auf See",
)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("look", LOOKS)
def test_every_word_of_code_is_on_a_picture_of_every_shape(look, shape):
    for (name, text), heading in product(ENDLESS.items(), HEADINGS):
        # one sentence: no page is turned
        scene = replace(one("code", text, "python", heading), sentence_ends=(0,))
        drawn = studio(scene, SHAPES[shape], look)
        drawn.picture(0, 0)
        lettering = drawn.record_lettering(drawn.drain_texts())
        *others, shown = checks.list_findings("x.mp4", lettering, Script("Test", "en", (scene,)))
        assert shown.check == "code in the pictures" and shown.passed, (name, heading, shown)
        assert all(finding.passed for finding in others), (name, heading, others)


MONO = Typeface(40, 500, family=code.FAMILY)


class FakeCanvas:
    """Keeps what is drawn."""

    def draw_lines(self, drawn) -> None:
        self.drawn = drawn


def test_a_comment_after_code_stays_whole_where_its_line_is_too_long():
    code_lines = code._highlight_lines(
        '    return "Hello, world!"  # shown in the browser', "python", code._DARK
    )
    parts = ["".join(text for text, _ in part) for part in code._wrap_line(code_lines[0], MONO, 36)]
    assert parts == ['    return "Hello, world!"  ', "↪ # shown in the browser"]


@each_of(
    ("language", "text", "columns", "parts"),
    [
        (
            "sh",
            'tidewatch add "Port Isaac" --draught 1.2m',
            20,
            ("tidewatch add ", '↪ "Port Isaac" ', "↪ --draught 1.2m"),
        ),
        (
            "sh",
            "curl -X POST https://api.example.com/v1/orders/12345/cancel",
            28,
            ("curl -X POST ", "↪ https://api.example.com/", "↪ v1/orders/12345/cancel"),
        ),
        (
            "python",
            "requests.get('https://api.example', headers={'Authorization': key})",
            30,
            (
                "requests.get(",
                "↪ 'https://api.example', ",
                "↪ headers={'Authorization': ",
                "↪ key})",
            ),
        ),
        ("text", "x" * 25, 20, ("x" * 20, "↪ " + "x" * 5)),
    ],
)
def test_a_line_of_code_is_broken_between_its_tokens(language, text, columns, parts):
    """In portrait, "1.2m" began on one line and ended on the next."""
    (line,) = code._highlight_lines(text, language, code._DARK)
    wrapped = code._wrap_line(line, MONO, columns)
    assert tuple("".join(run for run, _ in part) for part in wrapped) == parts


@each_of(
    "text",
    [
        ">>> pinyin('中心')  # or pinyin(['中心'])，参数值为列表时表示输入的是已分词后的数据",
        'label = "東京では一日に千人が乗ります"  # 一日の人数',
        'status = "✅ 済み 🚀🚀🚀 👩🏽‍🚀"  # 서울에서 부산까지 걸리는 시간을 알려 줍니다',
        'title = "हिन्दी में समाचार"  # आज की बैठक का कार्यक्रम यहाँ देखें',
    ],
)
def test_wide_signs_in_code_stay_on_its_panel_and_off_each_other(text):
    """Chinese ran over the panel's edge, and over the quotation mark after it."""
    (line,) = code._highlight_lines(text, "python", code._DARK)
    for part in (line, *code._wrap_line(line, MONO, 30)):
        drawn = FakeCanvas()
        code._draw_lines(drawn, [part], MONO, 0, 0)
        placed = [
            (run.x, typesetting.measure_word(run.text, MONO))
            for text_line in drawn.drawn
            for run in text_line.runs
        ]
        advance = typesetting.measure_word("0", MONO)
        for (left, width), (following, _) in pairwise(placed):
            assert left + width <= following + code._OVER * advance
        if part is not line:
            assert sum(placed[-1]) <= (30 + code._OVER) * advance


@pytest.mark.parametrize("look, shape", sampled(product(LOOKS, SHAPES), 6))
def test_a_sentence_alone_is_large_and_breaks_no_address(look, shape):
    text = "Order at https://kettle.example/one and it is with you in two days."
    words = tuple(text.split())
    alone = Scene(
        "prose", "What it costs", (), words, words, "Order.", sentence_ends=(len(words) - 1,)
    )
    two = replace(
        alone, words=words * 2, spoken=words * 2, sentence_ends=(len(words) - 1, 2 * len(words) - 1)
    )
    sizes = {}
    for name, scene in (("alone", alone), ("two", two)):
        drawn = studio(scene, SHAPES[shape], look)
        drawn.picture(0, 0)
        texts = [text for text in drawn.drain_texts() if text.part == "text"]
        sizes[name] = texts[0].size
        assert any("kettle.example/one" in text.text for text in texts), look
        if name == "alone":
            middle = (texts[0].box[1] + texts[-1].box[3]) / 2
            assert (
                abs(middle - (drawn.plan.content[1] + drawn.plan.content[3]) / 2)
                < drawn.plan.height * 0.16
            )
            assert len(texts[-1].text.split()) > 1
    assert sizes["alone"] >= sizes["two"]


@pytest.mark.parametrize("shape", sampled(SHAPES, 3))
def test_a_sentence_that_is_cut_stays_within_its_lines(shape):
    """A long sentence that stands alone is spoken in full, and its picture shows how it begins."""
    for last in range(1, 24):
        words = tuple((f"Programmverwaltung {'m' * last} in " * 40).split())
        scene = Scene("prose", "", (), words, words, "Long.", sentence_ends=(len(words) - 1,))
        drawn = studio(scene, SHAPES[shape], "short")
        drawn.picture(0, 0)
        lines = [text for text in drawn.drain_texts() if text.part == "text"]
        left, _, right, _ = drawn.plan.content
        assert lines[-1].text.endswith("…") and all(text.text for text in lines)
        assert all(left <= text.box[0] and text.box[2] <= right for text in lines), (last, lines)


def test_a_short_quotation_is_larger_than_a_long_one():
    sizes = []
    for text in ("Talk less, walk more.", SENTENCE):
        drawn = studio(one("quote", text, "Proverb"), WIDE)
        drawn.picture(0, 0)
        sizes.append(next(text.size for text in drawn.drain_texts() if text.part == "quote"))
    assert sizes[0] > 1.4 * sizes[1]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_table_without_headings_has_no_rule_above_it(shape):
    rows = [("Rent", "780 €"), ("Heating", "195 €")]
    with_head, without = (
        studio(rows_scene("table", columns, rows), SHAPES[shape])
        for columns in (("What", "Price"), ("", ""))
    )
    solid = with_head.palette.solid
    ruled = [
        (np.abs(drawn.picture(0, -1).astype(int) - solid).max(axis=2) < 3).sum(axis=1).max()
        for drawn in (with_head, without)
    ]
    assert ruled[0] > SHAPES[shape].width // 2 > ruled[1]


def test_the_cards_of_a_table_are_as_large_as_their_frame_allows():
    """In a tall frame, three cards of five cells were in the smallest type of several pages."""
    heads = ("Model", "Price", "Noise", "Left over", "Mark")
    rows = [("Barista Mini", "€ 89.95", "52 dB", "0.1 g", "7.9")] * 3
    drawn = studio(rows_scene("table", heads, rows), Rendition("portrait", 1080, 1920), "scenes")
    drawn.picture(0, 0)
    sizes = [text.size for text in drawn.drain_texts() if text.part == "point"]
    assert min(sizes) > 0.8 * drawn.plan.sizes.body


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("look", sampled([look for look in LOOKS if look != "scenes"], 2))
def test_a_sentence_of_forty_words_is_set_smaller_and_not_cut(look, shape):
    text = (
        "Not with us, as we only took the parcel in and do not know what has happened to it on "
        "the way, in the centre where they are sorted, on board of the van or when they tried to "
        "deliver it for the first time."
    )
    scene = Scene("prose", "My parcel is damaged, now what?", (), *(tuple(text.split()),) * 2, "")
    drawn = studio(scene, SHAPES[shape], look)
    drawn.picture(0, 0)
    shown = " ".join(drawn_text.text for drawn_text in drawn.drain_texts())
    assert "…" not in shown and "the first time." in shown


def test_a_sentence_that_no_page_holds_is_cut_after_a_whole_word():
    words = tuple(f"neverending{number}," for number in range(90))
    drawn = studio(Scene("prose", "A heading", (), words, words, ""), SHAPES["square"], "playful")
    drawn.picture(0, 0)
    cut = [text.text for text in drawn.drain_texts() if text.text.endswith("…")]
    assert len(cut) == 1 and cut[0].split()[-1].removesuffix("…") in {w.rstrip(",") for w in words}
