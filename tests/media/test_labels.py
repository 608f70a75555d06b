"""Headings without the mark of one: lines in bold, and a few words above a list."""

import pytest
from support.tables import each_of

from svc.media.captions import chapters
from svc.media.model import SceneTiming, Timeline
from svc.media.script.from_brief import write_script
from svc.media.script.markdown import parse_blocks
from svc.media.slides import hosting


@pytest.fixture
def scenes(make_brief):
    """The scenes between the title and the close."""
    return lambda notes: write_script(
        make_brief(title="News", topic="News", metadata_md=notes)
    ).scenes[1:-1]


PROSE = "It grew and grew, for it had rained. Nobody had thought that it would, and now we dig it."
LIST = "\n- gloves and a flask\n- a spade"


@each_of(
    ("notes", "heading"),
    [
        (f"**What to bring**\n{LIST}", "What to bring"),
        (f"**What to bring:**\n{LIST}", "What to bring"),
        (f"What to bring{LIST}", "What to bring"),
        (f"FIRST 24 HOURS\n{LIST}", "FIRST 24 HOURS"),
        (f"It rains. It pours.\n\nWhat should you bring?{LIST}", "What should you bring?"),
        (f"Was ist mitzubringen?{LIST}", "Was ist mitzubringen?"),
        ("何が要りますか？\n・手袋\n・水筒", "何が要りますか？"),
        (f"**Part 1**\n{LIST}", "Part 1"),
        ("*Fechas*\n2 May → open\n6 May → talk\n9 May → end", "Fechas"),
        (f"Rest a while. Call us on 0161 496 0733 if\n{LIST}", "Call us on 0161 496 0733 if"),
        ("**Prices**\n\n| | a | b |\n|---|---|---|\n| Tea | hot | iced |", "Prices"),
        (f"# The garden\n\n{PROSE}\n\n**What to bring**\n{LIST}", "What to bring"),
        (f"# The garden\n\n**What to bring**\n{LIST}", "The garden · What to bring"),
    ],
)
def test_a_few_words_above_a_list_are_its_heading(make_brief, notes, heading):
    shown = write_script(make_brief(title="News", topic="News", metadata_md=notes)).scenes[1:-1]
    (of_list,) = (scene for scene in shown if scene.layout in ("points", "table", "comparison"))
    assert of_list.heading.replace("\u00a0", " ") == heading


def test_what_comes_after_a_list_has_not_the_heading_before_it(scenes):
    """A line in bold above a list ends what the line in bold before it is the heading of."""
    shown = scenes(f"**On the day**\n\n{PROSE}\n\n**Afterwards**\n{LIST}\n\n{PROSE}")
    assert [scene.heading for scene in shown] == ["On the day", "Afterwards", ""]


@pytest.mark.parametrize(
    "fields",
    ["Where: the old hall\nWhen: 5 May", "स्थान: पुराना भवन\nसमय: 5 मई\nनोट: बच्चे भी आएँ"],
)
@pytest.mark.parametrize("bullet", ["-", "•"])
def test_what_introduces_a_list_is_not_shown_above_the_next(scenes, bullet, fields):
    shown = scenes(f"Please bring:\n\n{bullet} gloves\n{bullet} a spade\n\n{fields}")
    assert [scene.heading for scene in shown][:1] == ["Please bring"]
    assert all(scene.heading != "Please bring" for scene in shown[1:]) and len(shown) > 1


@pytest.mark.parametrize("notes", ["Parking is free.\n", "Spectators: 640\n", "Dear all,\n"])
def test_a_sentence_or_a_value_above_a_list_is_not_its_heading(scenes, notes):
    assert all(not scene.heading for scene in scenes(notes + LIST))


def test_a_list_on_several_screens_has_its_heading_on_each_and_prose_its_section_again(scenes):
    points = "\n".join(f"- The thing with the number {number} in it" for number in range(20, 29))
    shown = scenes(f"# The garden\n\n{PROSE}\n\n**To bring**\n\n{points}\n\n{PROSE}")
    assert [scene.heading for scene in shown] == [
        "The garden",
        *["To bring"] * (len(shown) - 2),
        "The garden",
    ]
    assert len(shown) > 3


def test_a_section_that_goes_on_after_a_list_begins_no_chapter_again(make_brief):
    notes = f"# The garden\n\n{PROSE}\n\n**To bring**\n{LIST}\n\n{PROSE}"
    script = write_script(make_brief(title="News", topic="News", metadata_md=notes))
    garden = [at for at, scene in enumerate(script.scenes) if scene.heading == "The garden"]
    assert len(garden) == 2 and garden[1] not in hosting.find_hosted_scenes(script)
    timings = tuple(SceneTiming(at, at + 1.0, ()) for at in range(len(script.scenes)))
    timeline = Timeline(float(len(timings)), 48_000, timings)
    titles = [chapter.title for chapter in chapters.list_chapters(script, timeline)]
    assert titles == ["News", "The garden", "To bring"]


@each_of(
    ("notes", "kinds"),
    [
        ("**1. The mill**\nIt was built in 1787.", "heading prose"),
        ("**1. The mill**\n\nIt was built in 1787.", "heading prose"),
        ("**The letter**\n> My mother!", "heading quote"),
        ("**What does it cost?**\nAbout £400.\n\n**Why?**\n\nIt lasts.", "heading prose " * 2),
        ("**Does my house have to be insulated before I may have it?**\nNo.", "heading prose"),
        ("**Ready? Steady? Go where?**\nNo.", "figure prose"),
        ("**We are closed on Monday.** Come on Tuesday.", "figure"),
        ("**FOR IMMEDIATE RELEASE — Norhaven, 14 October**\n\nShe sails.", "prose prose"),
        ("**71 %**\nof the Earth is water.", "figure"),
        ("**Note**\nIt is hot.", "figure"),
        ("**Wear**\ngloves and a hat.", "figure"),
        ("Yes.\n\n**Ada & Ben**", "prose prose"),
        ("**Press**  \nJane Doe · +44 20 7946 0000 · press@example.com", "contact"),
    ],
)
def test_a_line_in_bold_above_a_text_is_its_heading(notes, kinds):
    assert " ".join(block.kind for block in parse_blocks(notes)) == kinds.rstrip()


@each_of(
    ("notes", "kinds"),
    [
        (
            "1. Scope\n\nAll mowers.\n\n2. What is covered?\n\n- blades",
            "heading prose heading point",
        ),
        (
            "1. Scope\n\nAll.\n\n2. Cost\n\n| a | b |\n|---|---|\n| 1 | 2 |",
            "heading prose heading table",
        ),
        ("1. Rules\n\nAll mowers.\n\nThey are new.", "point prose prose"),
        ("1. Boil the water.\n\nIt hisses.\n\n2. Pour it.\n\nWait.", "point prose point prose"),
        ("1. Salt\n2. Oil\n\nStir it.", "point point prose"),
        ("2. Scope\n\nAll.\n\n4. Cost\n\nNone.", "point prose point prose"),
        ("**How large?**\n\n| a | b |\n|---|---|\n| 1 | 2 |", "heading table"),
        ("**When are you open?**\nmon to fri, 9 to 5, and never on sundays.", "heading prose"),
    ],
)
def test_numbered_sections_and_questions_are_headings(notes, kinds):
    assert " ".join(block.kind for block in parse_blocks(notes)) == kinds


def test_a_heading_is_not_that_of_what_comes_after_its_list(make_brief):
    first = f"# Desserts{LIST}\n\n{PROSE}\n\n> It is good.\n> — Ada Vale"
    notes = f"{first}\n\n# Rest\n\n> Good.\n\n{PROSE}"
    shown = write_script(make_brief(title="News", topic="News", metadata_md=notes)).scenes[1:-1]
    assert [(scene.layout, scene.heading) for scene in shown] == [
        ("points", "Desserts"),
        ("prose", ""),
        ("quote", ""),
        ("quote", "Rest"),
        ("prose", "Rest"),
    ]


def test_what_denies_a_section_is_the_heading_of_its_list(scenes):
    points = "\n".join(f"- a blade of the kind with number {number}" for number in range(20, 26))
    shown = scenes(f"# What is covered?\n\nThe motor. Not covered are:\n\n{points}")
    of_list = [scene.heading for scene in shown if scene.points]
    assert len(of_list) > 1 and set(of_list) == {"Not covered are"}
    (shown,) = scenes("# What is covered?\n\nCovered are:\n\n- motors\n- blades")
    assert shown.heading == "What is covered?"


@pytest.mark.parametrize("rows", ["| A | 5 € |\n| B | 7 € |", "| A | tea |\n| B | soup |"])
def test_a_heading_is_not_that_of_what_comes_after_its_table_or_chart(scenes, rows):
    shown = scenes(f"# Costs\n\n| a | b |\n|---|---|\n{rows}\n\n{PROSE}")
    assert [scene.heading for scene in shown] == ["Costs", ""]


def test_reasons_for_and_against_have_signs_that_tell_them_apart(scenes):
    (scene,) = scenes("# Mini\n\n+ quiet\n+ small\n- slow")
    assert [point.label for point in scene.points] == ["+", "+", "−"]
    assert [point.text for point in scene.points] == ["quiet", "small", "slow"]


def test_a_number_with_which_one_point_begins_is_its_text(scenes):
    (scene,) = scenes("# Flat\n\n- 3 rooms\n- 2. floor, no lift\n- a cellar")
    assert [point.text for point in scene.points] == ["3 rooms", "2. floor, no lift", "a cellar"]
    assert not any(point.label or point.level for point in scene.points)


def test_values_after_a_list_are_none_of_its_points(scenes):
    shown = scenes("**Goals**\n\n- 4' Lis 0:1\n- 9' Dudek 1:1\n\nCards: two, yellow\nFans: 640")
    assert [(scene.heading, len(scene.points)) for scene in shown] == [("Goals", 2), ("", 2)]


def test_the_source_of_a_quotation_in_marks_needs_no_dash(scenes):
    (scene,) = scenes('> "Be still, and know that I am God." Psalm 46:10')
    shown = scene.sight.text, scene.sight.note
    assert shown == ("Be still, and know that I am God.", "Psalm 46:10")


def test_the_source_of_a_quotation_may_stand_in_brackets_or_begin_with_a_small_letter(scenes):
    (scene,) = scenes("> Everybody lies at the sea.\n> (Mme Verdier, act 2)")
    assert (scene.sight.text, scene.sight.note) == (
        "Everybody lies at the sea.",
        "Mme Verdier, act 2",
    )
    (scene,) = scenes('"Sau 4 tháng mình đã dám gọi điện." – chị Hạnh, kế toán, Q.7')
    assert (scene.layout, scene.sight.note) == ("quote", "chị Hạnh, kế toán, Q.7")
    (scene,) = scenes('"It works." – that is what they all say')
    assert scene.layout == "prose"


@each_of("aside", ["(Laughter)", "(We were tired)", "（笑）"])
def test_an_aside_in_brackets_is_no_source_of_a_quotation(scenes, aside):
    (scene,) = scenes(f"> We came home late.\n> {aside}")
    assert (scene.sight.text, scene.sight.note) == (f"We came home late. {aside}", "")


def test_a_sentence_after_a_quotation_is_not_said_over_it(scenes):
    first, last = scenes("> It is good.\n> — Iara, 9\n\nWrite to me at 020 7946 0000. Shall we?")
    assert (first.layout, last.layout) == ("quote", "prose")


def test_contacts_have_the_heading_that_introduces_them(scenes):
    lines = "- Phone: 020 7946 0000\n- Mail: a@b.example"
    first, last = scenes(f"# The garden\n\n{PROSE}\n\n**Ask us**\n\n{lines}")
    assert (first.heading, last.layout, last.heading) == ("The garden", "contact", "Ask us")
