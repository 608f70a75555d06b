"""Quotations, figures, comparisons, tables, charts and images of the Markdown are shown as such and
spoken in full.
"""

import calendar

import pytest
from media.layout_sweep import SAMPLE, dressed
from PIL import Image

from svc.base.text import picture_names
from svc.media.errors import ScriptError
from svc.media.model import Rendition, Scene, Script, Upload, Visual
from svc.media.script import completeness, from_brief, visuals
from svc.media.script.markdown import Block
from svc.media.slides import slide
from svc.media.text.amounts import parse_amount
from svc.media.video.scene import SceneRenderer

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
BOAT = Upload("boat.png", "asset-1.png")
EVERYTHING = """## Words
> Somewhere, something incredible
> is waiting to be known.
> — Carl Sagan

## One figure
**71 %** of the Earth's surface is covered by water.

## Two kinds
| Spring tide | Neap tide |
|---|---|
| Sun and Moon in line | Sun and Moon at right angles |
| Large range | Small range |

## Places
| Place | Country | Range |
|---|---|---:|
| Bay of Fundy | Canada | 16.3 m |
| Severn Estuary | United Kingdom | 15.0 m |

## Ranges
| Place | Range |
|---|---|
| Bay of Fundy | 16.3 m |
| Severn Estuary | 15.0 m |

## A day
| Hour | Height | Last week |
|---|---|---|
| 0 h | 1.2 m | 2 m |
| 6 h | 5.8 m | 4.1 m |
| 12 h | 1.0 m | 1.9 m |

## A harbour
![A fishing boat lies on the mud](boat.png)
"""


@pytest.fixture
def scenes(make_brief):
    """Return the scenes of a Markdown text between title and close."""
    return lambda markdown, **changes: from_brief.write_script(
        make_brief(metadata_md=markdown, **changes)
    ).scenes[1:-1]


def test_everything_is_seen_for_what_it_is(scenes):
    written = scenes(EVERYTHING, uploads=(BOAT,))
    assert [scene.sight.kind for scene in written] == [
        "quote",
        "number",
        "comparison",
        "table",
        "bars",
        "line",
        "image",
    ]
    assert [scene.layout for scene in written] == [scene.sight.kind for scene in written]
    assert [scene.heading for scene in written][:2] == ["Words", "One figure"]


def test_a_quotation_is_said_with_who_said_it(scenes):
    (scene,) = scenes("> Be calm.\n> It takes time.\n>\n> – Ada")
    assert (scene.sight.text, scene.sight.note) == ("Be calm. It takes time.", "Ada")
    assert scene.words == ("Be", "calm.", "It", "takes", "time.", "Ada")


@pytest.mark.parametrize(
    ("written", "text", "source"),
    [
        ('"A game changer." — TechDaily', "A game changer.", "TechDaily"),
        ('"It just works." - Tom', "It just works.", "Tom"),
        (
            "“We saved 20 hours. It is\n> wonderful.” – Jane Doe, CEO of Acme",
            "We saved 20 hours. It is wonderful.",
            "Jane Doe, CEO of Acme",
        ),
        (
            '**"I have a dream."** — *Martin Luther King Jr.*',
            "I have a dream.",
            "Martin Luther King Jr.",
        ),
        ("Stay hungry. Stay foolish. — Steve Jobs", "Stay hungry. Stay foolish.", "Steve Jobs"),
        (
            '"I was thanked for breaking it." — A borrower in Wexmoor',
            "I was thanked for breaking it.",
            "A borrower in Wexmoor",
        ),
        ("„Nie wieder.“ – Eine Kundin aus Köln", "Nie wieder.", "Eine Kundin aus Köln"),
        ("« Un vrai plus. » – Marie Curie", "Un vrai plus.", "Marie Curie"),
        ("„Ein Gewinn.“ — Ömer", "Ein Gewinn.", "Ömer"),
        ('He said "no" – Anna was sad about it', 'He said "no"\u00a0– Anna was sad about it', ""),
        ("It was over. — Nobody knew why", "It was over.\u00a0— Nobody knew why", ""),
        ("Cold.\n> -5 in the morning", "Cold. -5 in the morning", ""),
        ('"Yes," she said, "it works."', '"Yes," she said, "it works."', ""),
        (
            "He left. — She stayed there. He did not.",
            "He left.\u00a0— She stayed there. He did not.",
            "",
        ),
        ("It was so — he said nothing.", "It was so\u00a0— he said nothing.", ""),
        ("It was cold. - 5 degrees", "It was cold.\u00a0- 5 degrees", ""),
    ],
)
def test_a_source_behind_a_quotation_is_not_part_of_it(scenes, make_brief, written, text, source):
    (scene,) = scenes(f"> {written}")
    assert (scene.layout, scene.sight.text, scene.sight.note) == ("quote", text, source)
    brief = make_brief(metadata_md=f"> {written}")
    assert completeness.list_lost(brief, from_brief.write_script(brief)) == []


def test_a_long_heading_of_a_table_is_said_once(make_brief):
    heading, rows = "<a " * 400, "x|y\n" * 600
    with pytest.raises(ScriptError, match=r"needs 1\d\d scenes; at most"):  # and not 1,200
        from_brief.write_script(make_brief(metadata_md=f"{heading}a|b\n-|-\n{rows}", language="ur"))
    words = "a " * 40
    script = from_brief.write_script(
        make_brief(metadata_md=f"|{words}|b|\n|---|---|\n" + "|x|y|\n" * 3)
    )
    assert (
        " ".join(word for scene in script.scenes for word in scene.words).count(words.strip()) == 1
    )


def test_each_quotation_has_a_picture_of_its_own(scenes):
    written = scenes(
        '> Calm.\n\n> Loud.\n>\n> Louder.\n\n> "Fine." — Ada\n>\n> "Good." — Bea\n\n> Old.\n\n> '
        "— Eve"
    )
    assert [(scene.sight.text, scene.sight.note) for scene in written] == [
        ("Calm.", ""),
        ("Loud. Louder.", ""),
        ("Fine.", "Ada"),
        ("Good.", "Bea"),
        ("Old.", "Eve"),
    ]


def test_a_quotation_too_long_for_one_scene_is_prose(scenes):
    assert {scene.layout for scene in scenes("> " + "It goes on for a long time. " * 30)} == {
        "prose"
    }


def test_a_figure_in_bold_at_the_start_is_seen_large(scenes):
    (scene,) = scenes("**€ 3.2 bn** were spent on tea in 2024.")
    assert (scene.sight.text, scene.sight.note) == ("€ 3.2 bn", "were spent on tea in 2024.")
    assert scene.words[-1] == "2024."


@pytest.mark.parametrize(
    "text",
    ["**Very** important it is.", "It is **71 %** of it.", "**71 %**", "**1 of 2 and 3** are."],
)
def test_other_bold_words_are_prose(scenes, text):
    assert {scene.sight.kind for scene in scenes(text)} == {""}


def test_the_sides_of_a_comparison_are_named_once(scenes):
    (scene,) = scenes("| Tea | Coffee |\n|---|---|\n| calm | awake |\n| leaf | bean |")
    assert scene.sight.columns == ("Tea", "Coffee")
    assert " ".join(scene.words) == "Tea: calm; Coffee: awake leaf; bean"


def test_a_tables_rows_are_said_with_the_names_of_their_figures(scenes):
    (scene,) = scenes(
        "| Place | Country | Range |\n|---|---|---|\n| Fundy | Canada | 16 m |\n"
        "| Severn | Britain | a lot |"
    )
    assert " ".join(scene.words) == "Fundy, Canada, Range 16\u00a0m Severn, Britain, a lot"
    assert slide.list_stages(scene) == (0, 4)


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("ar", "Fundy، Canada، Range 16\u00a0m Severn، Britain، a lot"),
        ("fa", "Fundy، Canada، Range 16\u00a0m Severn، Britain، a lot"),
        ("ur", "Fundy، Canada، Range 16\u00a0m Severn، Britain، a lot"),
        ("de", "Fundy, Canada, Range 16\u00a0m Severn, Britain, a lot"),
    ],
)
def test_cells_are_said_with_the_commas_of_the_language(scenes, language, spoken):
    table = (
        "| Place | Country | Range |\n|---|---|---|\n| Fundy | Canada | 16 m |\n"
        "| Severn | Britain | a lot |"
    )
    (scene,) = scenes(table, language=language)
    assert " ".join(scene.words) == spoken
    assert slide.list_stages(scene) == (0, 4)


@pytest.mark.parametrize("language", ["ja", "zh-Hant"])
def test_cells_in_chinese_and_japanese_have_ideographic_commas(make_brief, language):
    rows = (
        ("Place", "Country", "Range"),
        ("Fundy", "Canada", "16 m"),
        ("Severn", "Britain", "a lot"),
    )
    parts = visuals.make_visual_parts(Block("table", "", rows=rows), make_brief(language=language))
    said = [" ".join(token.written for token in part.tokens) for part in parts]
    assert said == ["Fundy、 Canada、 Range 16\u00a0m", "Severn、 Britain、 a lot"]


def test_the_sides_of_a_comparison_have_the_semicolons_of_the_language(scenes):
    (scene,) = scenes("| شاي | قهوة |\n|---|---|\n| هدوء | يقظة |", language="ar")
    assert " ".join(scene.words) == "شاي: هدوء؛ قهوة: يقظة"


def test_a_long_table_takes_several_scenes_each_with_its_headings(scenes):
    written = scenes(
        "| Place | Country |\n|---|---|\n"
        + "".join(f"| Harbour {n} | 4 {n} |\n" for n in range(14))
    )
    assert len(written) > 2 and {scene.sight.columns for scene in written} == {("Place", "Country")}
    assert sum(len(scene.sight.rows) for scene in written) == 14
    assert all(len(scene.points) == len(scene.sight.rows) for scene in written)


@pytest.mark.parametrize(
    "labels, kind",
    [
        (("2019", "2020", "2021"), "line"),
        (("Jan", "Feb", "Mar"), "line"),
        (("Q1 2024", "Q2 2024", "Q1 2025"), "line"),
        (("Week 1", "Week 2", "Week 4"), "line"),
        (("2022 год", "2023 год", "2024 год"), "line"),
        (("Ward 1", "Ward 2", "Ward 3"), "bars"),
        (("वार्ड 1", "वार्ड 2", "वार्ड 3"), "bars"),
        (("Tea", "Coffee", "Milk"), "bars"),
        (("2021", "2020", "2019"), "bars"),
        (("Nov", "December", "Jan"), "line"),
        (("March", "January", "July"), "bars"),
        (("Jan", "Mar", "May"), "bars"),
    ],
)
def test_what_runs_on_in_time_is_a_line(scenes, labels, kind):
    (scene,) = scenes(
        "| x | y |\n|---|---|\n"
        + "".join(f"| {label} | {3 + n} t |\n" for n, label in enumerate(labels))
    )
    assert scene.sight.kind == kind and scene.sight.values == ((3.0,), (4.0,), (5.0,))


def test_a_year_of_months_is_one_line(scenes):
    """Its thirteen rows were cards on three pictures."""
    months = (*calendar.month_abbr[4:], *calendar.month_abbr[1:5])
    (scene,) = scenes(
        "| Month | Loans |\n|---|---|\n"
        + "".join(f"| {month} | {300 + n} |\n" for n, month in enumerate(months))
    )
    assert scene.sight.kind == "line" and len(scene.sight.rows) == 13


@pytest.mark.parametrize(
    "rows, kind",
    [
        ((("Saltby", "12,400", "310"), ("Carrow", "6,100", "160")), "table"),
        ((("Passengers", "350", "600"), ("Crew", "7", "6")), "table"),
        ((("Cars", "76", "120"), ("Passengers", "350", "600")), "bars"),
        ((("North", "0", "12"), ("South", "0", "0")), "bars"),
        ((("2020", "31,200", "88"), ("2021", "28,700", "71"), ("2022", "9,000", "66")), "table"),
    ],
)
def test_sizes_that_one_scale_cannot_show_are_no_chart(scenes, rows, kind):
    """Bars of people beside those of objects: the latter were a hair wide."""
    (scene,) = scenes(
        "| | A | B |\n|---|--:|--:|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    )
    assert scene.sight.kind == kind


def test_figures_of_different_units_are_no_chart(scenes):
    (scene,) = scenes(
        "| Place | People | Area |\n|---|---|---|\n| A | 4 | 12 km² |\n| B | 5 | 3 km² |"
    )
    assert scene.sight.kind == "table"


@pytest.mark.parametrize(
    "table",
    [
        "| a | b |\n|---|---|\n| " + "long " * 20 + "| c |",
        "| a |\n|---|\n| b |",
        "|a|b|\n|-|-|\n||2|",
    ],
)
def test_a_table_that_fits_no_picture_is_a_list(scenes, table):
    assert {scene.sight.kind for scene in scenes(table)} == {""}


def test_a_table_without_rows_says_its_headings(scenes):
    assert scenes("Tea.\n\n| a | b |\n|---|---|\n")[0].words == ("Tea.", "a,", "b")


def test_a_wide_table_is_cut_between_its_columns(scenes):
    written = scenes("| a | b | c | d | e | f |\n|-|-|-|-|-|-|\n| tea | x | y | z | v | w |")
    assert [scene.sight.columns for scene in written] == [("a", "b", "c"), ("a", "d", "e", "f")]
    assert [scene.sight.rows for scene in written] == [
        (("tea", "x", "y"),),
        (("tea", "z", "v", "w"),),
    ]


@pytest.mark.parametrize(
    ("heading", "figures"),
    [
        ("Year", ("2019", "2024")),
        ("Founded", ("1998", "2011")),
        ("Jahr", ("19", "24")),
        ("Room", ("12", "207")),
    ],
)
def test_years_and_rooms_are_no_bars(scenes, heading, figures):
    first, second = figures
    (scene,) = scenes(
        f"| Company | Fine | {heading} |\n|---|---|---|\n| A | 4 | {first} |\n| B | 5 | {second} |"
    )
    assert scene.sight.kind == "table"


@pytest.mark.parametrize("figures", [("200", "2400"), ("2019 t", "2024 t")])
def test_figures_of_four_digits_with_others_or_a_unit_are_bars(scenes, figures):
    (scene,) = scenes(f"| x | Harvest |\n|---|---|\n| A | {figures[0]} |\n| B | {figures[1]} |")
    assert scene.sight.kind == "bars"


def test_a_tick_is_said_with_its_column_and_a_dash_is_not_said(scenes):
    (scene,) = scenes("| Plan | Free | Team |\n|---|---|---|\n| SSO | – | + |\n| API |  | – |")
    assert [word.rstrip(",") for word in scene.words] == ["SSO", "Team", "+", "API"]
    assert scene.sight.rows == (("SSO", "–", "+"), ("API", "", "–"))


def test_rows_that_cannot_be_said_keep_their_picture(scenes):
    (scene,) = scenes("| Kind | Mark | Other |\n|---|---|---|\n| – | – | – |\n| a | b | c |")
    assert scene.layout == "table" and len(scene.points) == 2 and scene.words[0].startswith("Kind")


def test_cells_of_a_list_of_rows_are_named_by_their_columns(scenes):
    (scene,) = scenes("| Name | Price |\n|---|---|\n|  | $4 |\n| Tea | – |")
    assert [point.text for point in scene.points] == ["Name: –, Price: $4", "Name: Tea, Price: –"]
    assert " ".join(scene.words) == "Price: $4 Name: Tea"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Übung.png", "Übung.png"),
        ("Übung.png", "U\u0308bung.png"),
        ("Übung.png", "asset:%C3%9Cbung.png"),
        ("港 1.png", "<港 1.png>"),
        ("The quay.png", "The%20quay.png"),
        ("The quay.png", picture_names.write_image("The quay.png")[5:-1]),
    ],
)
def test_an_image_is_shown_whatever_letters_its_name_has(scenes, name, written):
    (known,) = scenes(f"![A boat]({written})", uploads=(Upload(name, "asset-1.png"),))
    assert (known.layout, known.sight.file) == ("image", "asset-1.png")


def test_an_image_is_an_upload_of_the_account_or_left_out(scenes):
    (known,) = scenes("![A boat](boat.png)", uploads=(BOAT,))
    assert (known.sight.file, known.words) == ("asset-1.png", ("A", "boat"))
    strange = scenes(
        "Tea.\n\n![A boat](http://169.254.169.254/latest/meta-data) ![no](./none.png)",
        uploads=(BOAT,),
    )
    assert [(scene.layout, scene.words) for scene in strange] == [("prose", ("Tea.",))]


QUOTED = "> ![Ada in 1843](asset:ada.png)\n> The engine weaves patterns.\n> — Ada Lovelace"
ADA = Upload("ada.png", "asset-2.png")


def test_the_picture_in_a_quotation_stands_beside_it(scenes, make_brief):
    brief = make_brief(metadata_md=QUOTED, uploads=(ADA,))
    script = from_brief.write_script(brief)
    scene = script.scenes[1]
    assert [each.layout for each in script.scenes] == ["title", "quote", "close"]
    assert (scene.sight.note, scene.sight.file, scene.sight.alt) == (
        "Ada Lovelace",
        "asset-2.png",
        "Ada in 1843",
    )
    assert " ".join(scene.words) == "The engine weaves patterns. Ada Lovelace"
    assert scene.description == "Ada, and a quotation beside a picture: Ada in 1843."
    assert completeness.list_lost(brief, script) == []
    (unknown,) = scenes(QUOTED)
    assert (unknown.sight.file, unknown.sight.alt, unknown.description) == (
        "",
        "",
        "Ada, and a quotation.",
    )


def test_a_description_in_a_language_without_phrases_says_what_the_picture_of_a_quotation_shows(
    scenes,
):
    (scene,) = scenes(QUOTED, uploads=(ADA,), language="sv")
    assert scene.description.endswith("Ada in 1843.")


@pytest.mark.parametrize(
    "quotation",
    [
        "> ![Ada](ada.png)\n> " + "One sentence follows another here. " * 20,
        "> Short.\n>\n> ![Ada](ada.png)\n>\n> ![A boat](boat.png)",
        "> ![Ada](ada.png)",
        "> Short. ![Ada](ada.png)\n>\n> ```\n> code\n> ```",
    ],
)
def test_a_picture_that_cannot_stand_beside_its_quotation_has_a_scene(make_brief, quotation):
    brief = make_brief(metadata_md=quotation, uploads=(ADA, BOAT))
    script = from_brief.write_script(brief)
    shown = [scene.sight.file for scene in script.scenes if scene.layout == "image"]
    assert shown[0] == "asset-2.png" and len(shown) == quotation.count("![")
    assert completeness.list_lost(brief, script) == []


def test_two_quotations_keep_their_pictures(scenes):
    other = "> ![A boat](boat.png)\n> Ships are safe in harbour."
    first, second = scenes(f"{QUOTED}\n\n{other}", uploads=(ADA, BOAT))
    assert (first.sight.file, second.sight.file) == ("asset-2.png", "asset-1.png")


COMPARED = "| Before | After |\n|---|---|\n| ![](boat.png) | ![A lower quay](ada.png) |"


def test_a_row_of_pictures_under_headings_is_compared(make_brief):
    brief = make_brief(metadata_md=COMPARED, uploads=(ADA, BOAT))
    script = from_brief.write_script(brief)
    scene = script.scenes[1]
    assert (scene.layout, scene.sight.files) == ("pictures", ("asset-1.png", "asset-2.png"))
    assert [point.text for point in scene.points] == ["Before", "After: A lower quay"]
    assert " ".join(scene.words) == "Before After: A lower quay"
    assert slide.list_stages(scene) == (0, 1)
    assert completeness.list_lost(brief, script) == []


@pytest.mark.parametrize(
    "table, files",
    [
        (COMPARED.replace("boat.png", "none.png"), [2]),
        (COMPARED.replace("A lower quay", "A quay that is lower than it was. " * 12), [1, 2]),
        (COMPARED.replace("![](boat.png)", "![](boat.png) text"), [1, 2]),
        (f"{COMPARED}\n| ![](boat.png) | ![](ada.png) |", [1, 2, 1, 2]),
        ("| One |\n|---|\n| ![A boat](boat.png) |", [1]),
        ("| | |\n|---|---|\n| ![](boat.png) | ![](ada.png) |", [1, 2]),
    ],
)
def test_pictures_that_cannot_be_compared_have_scenes_and_nothing_is_lost(make_brief, table, files):
    brief = make_brief(metadata_md=f"## Pictures\n\n{table}", uploads=(ADA, BOAT))
    script = from_brief.write_script(brief)
    shown = [scene.sight.file for scene in script.scenes if scene.layout == "image"]
    assert shown == [f"asset-{number}.png" for number in files]
    assert not any(scene.layout == "pictures" for scene in script.scenes)
    assert completeness.list_lost(brief, script) == []


def test_an_image_without_description_or_within_a_sentence_is_shown(scenes):
    (silent,) = scenes("This is it.\n\n![](asset:boat.png)", uploads=(BOAT,))
    assert (silent.layout, silent.sight.file, silent.words) == (
        "image",
        "asset-1.png",
        ("This", "is", "it."),
    )
    (within,) = scenes("Look ![A boat](boat.png) here.", uploads=(BOAT,))
    assert (within.layout, " ".join(within.words)) == ("image", "Look here. A boat")


@pytest.mark.parametrize(
    "text, number",
    [
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1 234 567", 1234567),
        ("12 %", 12),
        ("€ 3.2 bn", 3.2),
        ("−4 °C", -4),
        ("0,5", 0.5),
        ("16.300", 16300),
        ("0.300", 0.3),
        ("٤٢", 42),
        ("4–5", None),
        ("12 m²", 12),
        ("tea", None),
        ("", None),
        ("3 of 4", None),
    ],
)
def test_a_figure_is_read_as_it_is_written_anywhere(text, number):
    assert parse_amount(text) == number


@pytest.mark.parametrize(
    "figures", [("560 nghìn tấn", "550 nghìn tấn"), ("3.1 million tonnes", "2.0 million tonnes")]
)
def test_figures_whose_unit_is_of_several_words_are_a_chart(make_brief, figures):
    table = "| Province | Harvest |\n|---|---:|\n" + "".join(
        f"| Place {at} | {figure} |\n" for at, figure in enumerate(figures)
    )
    scenes = [
        scene
        for scene in from_brief.write_script(make_brief(metadata_md=table)).scenes
        if scene.sight.kind
    ]
    assert [scene.sight.kind for scene in scenes] == ["bars"] and len(scenes[0].sight.values) == 2
    assert parse_amount(figures[0]) is None  # in running text and other tables it is no figure


@pytest.mark.slow
@pytest.mark.parametrize(
    "look, theme, shape, language",
    [
        *(
            (*each, language)
            for each in dressed(("landscape", "portrait"), 0)
            for language in ("en", "ar")
        ),
        *((*each, ("en", "ar")[number % 2]) for number, each in enumerate(SAMPLE[:3])),
    ],
)
def test_exhibits_can_be_read_in_every_look_and_direction(make_brief, look, theme, shape, language):
    shape = {"landscape": WIDE, "portrait": TALL}[shape]
    brief = make_brief(
        metadata_md=EVERYTHING, uploads=(BOAT,), look=look, theme=theme, second_colour="#f29f38"
    )
    written = Script("Test", language, from_brief.write_script(brief).scenes)
    drawn = SceneRenderer(
        make_brief(language=language, look=look, theme=theme, second_colour="#f29f38"),
        written,
        shape,
    )
    for number, scene in enumerate(written.scenes):
        for stage in range(slide.NOTHING_YET, len(slide.list_stages(scene))):
            drawn.picture(number, stage)
    left, top, right, bottom = drawn.plan.safe
    texts = [
        text for text in drawn.record_lettering(drawn.drain_texts()).texts if text.part != "name"
    ]
    assert [text for text in texts if text.contrast < 4.5] == []
    assert [
        text
        for text in texts
        if text.box[0] < left - 2 or text.box[2] > right + 2 or text.box[3] > bottom
    ] == []


@pytest.mark.parametrize("size", [(2048, 1), (1, 2048), (2048, 32)])
def test_a_picture_that_is_a_line_is_drawn(make_brief, tmp_path, size):
    name = f"line-{size[0]}.png"
    Image.new("RGB", size, "red").save(tmp_path / name)
    scene = Scene(
        "image", "A line", (), ("x",), ("x",), "A line.", sight=Visual("image", "A line", file=name)
    )
    drawn = SceneRenderer(
        make_brief(), Script("Test", "en", (scene,)), Rendition("square", 1080, 1080), tmp_path
    )
    red = drawn.picture(0).astype(int)
    assert ((red[..., 0] - red[..., 1:].max(axis=2)) > 60).sum() >= max(drawn.plan.content[2:]) // 3


def test_a_quotations_source_too_long_for_its_line_is_read_as_prose(scenes):
    source = (
        "Ada Lovelace, Countess of Lovelace, mathematician and writer of the first program, London"
    )
    (scene,) = scenes(f"> Imagination discovers.\n> — {source}")
    assert (
        scene.layout == "prose"
        and " ".join(scene.words).split() == f"Imagination discovers. — {source}".split()
    )


def test_a_column_that_is_empty_in_every_row_of_a_long_table_is_named(scenes):
    cell = (
        "Book the hall of the town early enough because everybody wants it in June and July, and "
        "then pay the whole deposit"
    )
    written = scenes(
        f"| Task | Details | Done |\n|---|---|---|\n| Hall | {cell} | |\n| Tea | Buy tea | |"
    )
    assert sum(" ".join(scene.words).count("Done") for scene in written) == 1


@pytest.mark.parametrize(("language", "shown"), [("en", "305,000"), ("de", "305.000")])
def test_the_long_figures_of_a_chart_are_grouped(make_brief, language, shown):
    notes = "| Jahr | Gäste |\n|---|---|\n| A | 305000 |\n| B | 2100 |"
    brief = make_brief(title="A", topic="A", language=language, metadata_md=notes)
    scene = from_brief.write_script(brief).scenes[1]
    assert scene.layout == "bars" and [row[1] for row in scene.sight.rows] == [shown, "2100"]
    assert "305000" in scene.words and scene.sight.values == ((305_000.0,), (2100.0,))
