"""The script contains what the brief says, without its markup."""

import pytest
from support.sampling import sampled
from support.tables import each_of

from svc.base.text import alerts
from svc.base.text.languages import LANGUAGES
from svc.media import fonts
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.errors import ScriptError
from svc.media.model import Presenter, Script, load
from svc.media.script import phrases, scene_split, summary
from svc.media.script.from_brief import MOST_SCENES, write_script
from svc.media.script.scene_split import MOST_POINTS
from svc.media.script.step import write_step
from svc.media.text import tokens
from svc.media.text.tokens import tokenize_text

PLAIN = {"title": "Tea", "topic": "Tea"}


@pytest.fixture
def scenes(make_brief):
    """The scenes between the title and the close."""
    return lambda markdown, **changes: write_script(
        make_brief(**PLAIN, metadata_md=markdown, **changes)
    ).scenes[1:-1]


def said(scene) -> str:
    return " ".join(scene.words)


def test_the_title_opens_and_closes(make_brief):
    scenes = write_script(make_brief()).scenes
    assert [scene.layout for scene in (scenes[0], scenes[-1])] == ["title", "close"]
    assert said(scenes[0]) == "How coffee is roasted"
    assert said(scenes[-1]) == "A video by Roasters & Sons."


def test_without_the_accounts_name_the_title_closes(make_brief):
    assert said(write_script(make_brief(account_name=" ")).scenes[-1]) == "How coffee is roasted"


@pytest.mark.parametrize(
    ("notes", "before", "close"),
    [
        (
            "Fresh bread.\n\n[Order now](https://a.example/)",
            "Fresh bread.",
            "Order now A video by Roasters & Sons.",
        ),
        (
            "- rye\n- oats\n\n[Order now!](https://a.example/)",
            "rye oats",
            "Order now! A video by Roasters & Sons.",
        ),
        # or nothing would be said before
        ("[Order now](https://a.example/)", "Order now", "A video by Roasters & Sons."),
        # no button shows it
        (
            "Bread.\n\n[Order now](http://a.example/)",
            "Bread. Order now",
            "A video by Roasters & Sons.",
        ),
    ],
)
def test_a_call_to_action_is_spoken_while_the_end_card_shows_it(make_brief, notes, before, close):
    scenes = write_script(make_brief(metadata_md=notes)).scenes
    assert (" ".join(said(scene) for scene in scenes[1:-1]), said(scenes[-1])) == (before, close)


def test_every_language_has_words_of_its_own_for_what_the_service_adds():
    for code in LANGUAGES:
        titles = [phrases.find_alert_title(kind, code) for kind in alerts.KINDS]
        assert len(set(titles)) >= 4
        for text in (
            phrases.find_sign_off("A", code),
            phrases.choose_code_sentence(2, code),
            *titles,
        ):
            assert tokenize_text(text, code) and not fonts.find_undrawable_characters(text)


def test_what_is_emphasised_is_stressed(scenes):
    (scene,) = scenes(
        "It is **really _very_** good, `not` so *so*, and __this__ too.\n\n- one **point**\n"
    )
    assert [scene.words[index] for index in scene.stressed] == [
        "really",
        "very",
        "so,",
        "this",
        "point",
    ]
    assert not any(
        "\ue000" <= character <= "\uf8ff"
        for word in (*scene.words, scene.points[0].text)
        for character in word
    )


def test_a_writers_own_private_signs_stress_nothing(scenes):
    (scene,) = scenes("plain \ue000words\ue001 here")
    assert scene.stressed == () and said(scene) == "plain words here"


def test_a_heading_without_text_is_said_before_the_next_one(scenes):
    (scene,) = scenes("# Kinds\n\n## Green tea\n\nIt is not roasted.")
    assert (scene.heading, said(scene)) == ("Green tea", "Kinds Green tea It is not roasted.")


def test_a_short_last_sentence_stays_with_its_list(scenes):
    (scene,) = scenes("# Kinds\n\n- green\n- black\n\nThat is all.")
    assert (scene.layout, said(scene)) == ("points", "Kinds green black That is all.")


@pytest.mark.parametrize("pace", sampled([110, 165, 240], 2))
def test_scenes_are_of_a_length_that_a_viewer_follows(make_brief, pace):
    """Five to twelve seconds, of which pauses take about one and a half."""
    presenter = Presenter("Ada", words_per_minute=pace)
    brief = make_brief(
        **PLAIN, metadata_md="One sentence follows another one here. " * 40, avatar=presenter
    )
    lengths = [
        sum(len(word) + 1 for word in scene.words) for scene in write_script(brief).scenes[1:-1]
    ]
    seconds = [length / (pace / 60 * 6.9) for length in lengths]
    assert min(seconds) > 4 and max(seconds) < 12


@pytest.mark.parametrize(
    "notes", ["", "---\nsandbox: {scenario: happy}\n---\n", "# How coffee is roasted", "***"]
)
def test_a_topic_alone_is_a_film_of_its_title_for_six_seconds(make_brief, notes):
    title, close = write_script(
        make_brief(metadata_md=notes, country="DE", triggered_at="2026-11-20")
    ).scenes
    assert (title.layout, said(title), title.heading) == ("title", *["How coffee is roasted"] * 2)
    assert (close.layout, said(close)) == ("close", "A video by Roasters & Sons.")
    assert title.shortest + close.shortest == 6.0


def test_a_title_alone_without_an_accounts_name_is_said_once(make_brief):
    (title,) = write_script(make_brief(metadata_md="", account_name="")).scenes
    assert (title.layout, title.shortest, said(title)) == ("title", 6.0, "How coffee is roasted")


def test_signs_alone_are_shown_with_the_title(make_brief):
    title, _ = write_script(make_brief(**PLAIN, metadata_md="# Tea\n\n🎉")).scenes
    assert (title.heading, said(title)) == ("Tea 🎉", "Tea")


def test_a_topic_that_the_title_does_not_say_is_spoken_after_it(make_brief):
    brief = make_brief(title="Explainer", topic="Why tea is green", metadata_md="")
    assert [said(scene) for scene in write_script(brief).scenes[:2]] == [
        "Explainer",
        "Why tea is green",
    ]


@pytest.mark.parametrize("length", [1, 3, 8])
@pytest.mark.parametrize("notes", ["", "## Water\n\nBoil it."])
def test_a_long_title_is_shown_and_said_whole_and_once(make_brief, length, notes):
    topic = ("the long story of tea and of those who drink it " * length).strip()
    script = write_script(make_brief(title="", topic=topic, metadata_md=notes))
    cards = [scene for scene in script.scenes if scene.layout == "title"]
    assert script.title == topic and (len(cards) > 1) is (length > 1)
    assert " ".join(card.heading for card in cards) == " ".join(map(said, cards)) == topic
    assert " ".join(map(said, script.scenes)).count("story of tea") == length
    alone = write_script(make_brief(title="", topic=topic, metadata_md=notes, account_name=""))
    assert (
        " ".join(map(said, alone.scenes)).count("story of tea") == length
        or length * notes.count("B") == 1
    )


def test_a_heading_becomes_a_scene(scenes):
    (scene,) = scenes("# Green tea\n\nIt is not roasted.")
    assert (scene.layout, scene.heading) == ("prose", "Green tea")
    assert said(scene) == "Green tea It is not roasted."


def test_text_before_the_first_heading_becomes_a_scene_without_one(scenes):
    (first, second) = scenes("A word first.\n\n# Then a heading")
    assert (first.layout, first.heading, said(first)) == ("prose", "", "A word first.")
    assert second.heading == "Then a heading"


def test_list_items_become_points_that_are_spoken(scenes):
    (scene,) = scenes("# Kinds\n\n- green\n- very *black*\n")
    assert scene.layout == "points"
    assert [point.text for point in scene.points] == ["green", "very black"]
    assert [scene.words[point.first_word : point.last_word + 1] for point in scene.points] == [
        ("green",),
        ("very", "black"),
    ]


def test_a_short_sentence_leads_into_its_list(scenes):
    (scene,) = scenes("# Kinds\n\nThere are two:\n\n- green\n- black\n")
    assert said(scene) == "Kinds There are two: green black"


def test_a_text_that_says_something_of_its_own_is_no_lead(scenes):
    """What a sentence says is shown while it is said, and not the list or quotation after it."""
    own = "Since the bridge opened in 2022, the number of cyclists has nearly doubled."
    for visual in ("- green\n- black", "> Come and see.", "| a | b |\n|---|---|\n| c | d |"):
        first, second = scenes(f"# Kinds\n\n{own}\n\n{visual}\n")
        assert (first.layout, said(first)) == ("prose", f"Kinds {own}")
        assert second.layout != "prose" and own not in said(second)


def test_the_lead_of_a_list_without_a_heading_is_its_heading(scenes):
    (scene,) = scenes("Swap one thing this week:\n\n- bottle\n- bag\n")
    assert (scene.heading, said(scene)) == (
        "Swap one thing this week",
        "Swap one thing this week: bottle bag",
    )
    (scene,) = scenes("# Kinds\n\nThere are two:\n\n- green\n- black\n")
    assert scene.heading == "Kinds"
    (scene,) = scenes(f"{'A lead of many words that is no heading ' * 2}:\n\n- green\n- black\n")
    assert scene.heading == ""


@each_of(
    ("paragraph", "layout"),
    [
        ('"I no longer hate Mondays." — Petra, Graz', "quote"),
        ("„Nie mehr müde.“ – Petra, Graz", "quote"),
        ("« Plus jamais fatigué. » — Petra, Graz", "quote"),
        ('"I no longer hate Mondays."', "prose"),
        ('"Mondays" is a song - Petra sings it.', "prose"),
        ("It is over — Petra knows.", "prose"),
    ],
)
def test_a_paragraph_of_a_quotation_with_its_source_is_one(scenes, paragraph, layout):
    assert scenes(paragraph)[0].layout == layout


def test_a_long_list_is_cut_into_even_scenes(scenes):
    written = scenes("# Numbers\n\n" + "".join(f"- point {number}\n" for number in range(12)))
    assert [len(scene.points) for scene in written] == [4, 4, 4]
    assert all(len(scene.points) <= MOST_POINTS and scene.heading == "Numbers" for scene in written)


def test_a_heading_is_spoken_once_and_shown_on_each_of_its_scenes(scenes):
    written = scenes("# Story\n\n" + "This sentence is one of many that follow each other. " * 10)
    assert len(written) > 2
    assert [scene.heading for scene in written] == ["Story"] * len(written)
    assert sum(scene.words.count("Story") for scene in written) == 1


def test_prose_is_cut_into_scenes_of_like_length(scenes):
    lengths = [len(said(scene)) for scene in scenes("One sentence follows another one here. " * 20)]
    assert max(lengths) <= 240 and min(lengths) >= 100


def test_a_sentence_without_end_is_cut_too(scenes):
    lengths = [len(said(scene)) for scene in scenes("and so it goes on, " * 60)]
    assert len(lengths) > 4 and max(lengths) <= 240


def test_a_short_sentence_with_a_comma_near_its_end_stays_whole(scenes):
    first, second = scenes(
        "```\npour\n```\n\nFor green tea (Sencha,\nMatcha):\n\n```\npour slowly\n```"
    )
    assert said(first) == "The code" and said(second) == "For green tea (Sencha, Matcha):"


def test_rows_of_a_table_are_spoken_one_after_the_other(scenes):
    (scene,) = scenes("| kind | minutes |\n|---|---|\n| green | 2 |\n| black | 4 |\n")
    assert scene.words == ("green,", "2", "black,", "4")
    assert [(point.first_word, point.last_word) for point in scene.points] == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("markdown", "heard"),
    [
        ("some **bold** and _slanted_ words", "some bold and slanted words"),
        ("a [link](https://example.com/x) here", "a link here"),
        ("a `code` word", "a code word"),
        ("text <b>with</b> html <!-- hidden -->", "text with html"),
        ("tea ![a picture of tea](tea.png)", "tea"),
        ("first\n\n```\nrm -rf\n```\n\nlast", "first last"),
        ("text<br>with <del>old</del> <sup>html</sup>", "text with html"),
        ("first\n\n<div>inner <p>text</p></div>", "first inner text"),
        ("~~Old price $99~~ Now $79", "Now $79"),
        ("tea ~~milk~~. Hot <del>cold</del>! Of ~~a~~ ~~b~~, it", "tea. Hot! Of, it"),
        ("tea ![a picture of tea](tea.png). Hot [^1]; so\n\n[^1]: See.", "tea. Hot; so See."),
        ("thé ~~lait~~ ! et ~~de~~ .net [...](https://a.example)", "thé\u00a0! et .net\u00a0..."),
        ("H~2~O and x^2^", "H₂O and x²"),
        ("a^2+b^2=c^2", "a^2+b^2=c^2"),
        ("[x] is no task here[^7].", "[x] is no task here."),
        (
            "Sales rose.[^1] They fell.\n\n[^1]: See the report.",
            "Sales rose. They fell. See the report.",
        ),
        ("Tea\n: A leaf\n: A drink", "Tea: A leaf A drink"),
        ("first\n\n<script>alert(1)</script>\n\nlast", "first last"),
        ("> quoted", "quoted"),
        ("one\\\ntwo", "one two"),
        ("tea &amp; milk", "tea & milk"),
        ("hot 🎉 tea ☕", "hot\u00a0🎉 tea\u00a0☕"),
        ("see https://www.example.com/a/b?c=d.", "see https://www.example.com/a/b? \u2060c=d."),
    ],
)
def test_markup_is_neither_shown_nor_spoken(scenes, markdown, heard):
    assert " ".join(said(scene) for scene in scenes(markdown)) == heard


def test_items_keep_their_numbers_levels_and_ticks_across_screens(scenes):
    written = scenes(
        "".join(f"{number}. step {number}\n" for number in range(3, 10))
        + "\n- [x] a\n- [ ] b\n- c\n  - d\n"
    )
    points = [(point.label, point.level, point.text) for scene in written for point in scene.points]
    assert points[:7] == [(f"{number}.", 0, f"step {number}") for number in range(3, 10)]
    assert points[7:] == [("☑", 0, "a"), ("☐", 0, "b"), ("", 0, "c"), ("", 1, "d")]
    assert len(written) > 2 and "x" not in " ".join(map(said, written))


def test_a_numbered_task_keeps_number_and_box(scenes):
    points = [
        (point.label, point.text)
        for scene in scenes("1. [ ] Check\n2. [x] Fill\n3. Sail")
        for point in scene.points
    ]
    assert points == [("1. ☐", "Check"), ("2. ☑", "Fill"), ("3.", "Sail")]


def test_prose_within_an_item_is_spoken_with_it(scenes):
    (scene,) = scenes("- Boil the water\n\n  It takes a while.\n- Pour it")
    assert [(point.text, point.first_word, point.last_word) for point in scene.points] == [
        ("Boil the water", 0, 6),
        ("Pour it", 7, 8),
    ]


def test_no_line_ends_between_a_figure_and_its_unit(scenes):
    written = scenes(
        "- from 18 % to 4 %\n- 85 g sugar\n\n> It grew by 12 km a year.\n> – Ada\n\n"
        "**71 %** of 5 km are wet."
    )
    assert [point.text for point in written[0].points] == [
        "from 18\u00a0% to 4\u00a0%",
        "85\u00a0g sugar",
    ]
    assert "12\u00a0km" in written[1].sight.text and "5\u00a0km" in written[2].sight.note
    face = Typeface(24, 400)
    wide = typesetting.measure_line(["from", "18"], face) + 4
    assert (
        typesetting.fit_text(written[0].points[0].text, round(wide), 400, face, 24).lines[1][0]
        == "18\u00a0%"
    )
    assert typesetting.fit_text("5\u00a0kilometres", 90, 400, face, 12).lines


def test_a_long_item_shows_its_first_sentence_and_is_spoken_whole(scenes):
    (scene,) = scenes(
        "1. Boil it well. " + "Then it has to be poured into the cup that was warmed before. " * 2
    )
    assert [(point.text, point.label) for point in scene.points] == [("Boil it well.", "1.")]
    assert said(scene).endswith("warmed before.")


def test_code_is_shown_as_written_under_the_sentence_before_it(scenes):
    (scene,) = scenes(
        "# Set up\n\nInstall Flask:\n\n```bash title\npip install flask\n\n  --user\n```\n"
    )
    assert (scene.layout, scene.sight.kind, scene.sight.note) == ("code", "code", "bash")
    assert scene.sight.text == "pip install flask\n\n  --user"
    assert said(scene) == "Set up Install Flask:" and scene.shortest == pytest.approx(3.8)


def test_code_without_a_sentence_is_announced_in_the_language_of_the_brief(scenes):
    assert [said(scene) for scene in scenes("```\na\n```\n\n```\nb\n```", language="de")] == [
        "Der Code",
        "Der Code, 2",
    ]


def test_long_code_takes_several_screens_and_loses_no_line(scenes):
    lines = [f"line {number}" for number in range(31)] + ["x" * 900]
    written = scenes("```\n" + "\n".join(lines) + "\n```")
    assert "".join(scene.sight.text for scene in written).replace("\n", "") == "".join(lines)
    assert len(written) == 5 and max(scene.sight.text.count("\n") for scene in written) < 12


def test_code_in_a_numbered_step_is_spoken_by_the_step(scenes):
    first, second = scenes("1. Install:\n   ```\n   pip install x\n   ```\n2. Run it")
    assert (first.layout, first.points[0].label, said(first)) == ("code", "1.", "Install:")
    assert (second.layout, second.points[0].label, said(second)) == ("points", "2.", "Run it")


def test_signs_alone_are_shown_with_the_word_or_the_heading_before_them(scenes):
    (scene,) = scenes("# Tea\n\n…\n\nIt is hot.\n\n—>\n")
    assert (scene.heading, scene.words[-1]) == ("Tea …", "hot.\u00a0—>")


def test_headings_alone_become_a_list(scenes):
    written = scenes("# One\n# Two\n# Three\n\nText is here.\n\n# Questions\n## Who\n## Why")
    assert [[point.text for point in scene.points] for scene in written] == [
        ["One", "Two"],
        [],
        ["Who", "Why"],
    ]
    assert [scene.heading for scene in written] == ["", "Three", "Questions"]


def test_a_footnote_of_a_quotation_follows_its_source(scenes):
    written = scenes("> Be calm.[^a]\n> – Ada\n\n[^a]: Letters, 1843.")
    assert (
        written[0].sight.note == "Ada"
        and " ".join(map(said, written)) == "Be calm. Ada Letters, 1843."
    )


@pytest.mark.parametrize(
    "inner", ["    - A book\n\n      ", "    > A book\n    >\n    > ", "    A book\n\n    "]
)
def test_a_footnote_within_a_footnote_is_plain_text(scenes, inner):
    written = scenes(
        f"Text.[^1]\n\n[^1]: See:\n{inner}[^2]: another note\n\nMore.[^3]\n\n[^3]: Third.\n"
        "[^4]: Nobody's."
    )
    words = " ".join(map(said, written))
    assert words.startswith("Text. See: A book") and words.endswith("another note More. Third.")


@pytest.mark.parametrize(
    ("text", "picture"),
    [
        ("The band tunes the guitars before the concert.", "guitar"),
        ("Wash your hands with soap, and it is **their own decision**.", "soap"),
        (
            (
                "It is **their own decision**. Wash your hands with soap before you eat. So it "
                "was, and so it will be."
            ),
            "soap",
        ),
        ("No dogs are allowed.", ""),
        ("There are no dogs. **So it was**, and so it will be.", ""),
        ("Nothing is sold in Kenya.", ""),
    ],
)
def test_a_picture_shows_what_the_scene_says_and_nothing_that_is_not_there(scenes, text, picture):
    (scene,) = scenes(text)
    assert scene.key_phrase and scene.illustration == picture


def test_front_matter_is_left_out(scenes):
    (scene,) = scenes("---\nsandbox:\n  scenario: fail\nlist:\n  - a\n---\nOnly this.\n")
    assert said(scene) == "Only this."


def test_a_rule_at_the_top_is_not_front_matter(scenes):
    assert "Said" in [
        word for scene in scenes("---\nSaid aloud. And more!\n\n---\nEnd.") for word in scene.words
    ]


def test_abbreviations_end_no_sentence(scenes):
    (scene,) = scenes("Dr. Smith drinks tea, e.g. green. He likes it.")
    assert [scene.words[index] for index in scene.sentence_ends] == ["green.", "it."]
    assert " ".join(scene.spoken) == "Dr Smith drinks tea, for example green. He likes it."


def test_a_dash_is_shown_with_the_word_before_it(scenes):
    (scene,) = scenes("Tea – hot.")
    assert scene.words == ("Tea\u00a0–", "hot.")


def test_words_and_spoken_words_are_one_for_one(make_brief):
    assert all(len(scene.words) == len(scene.spoken) for scene in write_script(make_brief()).scenes)


def test_a_scene_is_described_in_its_language(make_brief):
    german = write_script(make_brief(language="de")).scenes[0]
    assert german.description == "Ada und der Titel: How coffee is roasted."


def test_a_language_without_phrases_gets_the_heading_and_the_points(scenes):
    (scene,) = scenes("# Teet\n\n- musta\n- vihreä\n", language="fi")
    assert scene.description == "Teet. musta. vihreä."


def test_a_name_with_braces_is_only_a_name(make_brief):
    assert (
        "{heading}" in write_script(make_brief(avatar=Presenter("{heading}"))).scenes[0].description
    )


def test_nothing_to_say_is_an_error(make_brief):
    with pytest.raises(ScriptError) as caught:
        write_script(make_brief(title="🎉", topic="…", metadata_md=""))
    assert caught.value.code == "SCRIPT_EMPTY"


def test_an_unknown_language_is_an_error(make_brief):
    with pytest.raises(ScriptError) as caught:
        write_script(make_brief(language="ka"))
    assert caught.value.code == "LANGUAGE_NOT_SPOKEN"


def test_too_many_scenes_are_an_error(make_brief):
    with pytest.raises(ScriptError) as caught:
        write_script(make_brief(metadata_md="# a\n\nb\n\n" * (MOST_SCENES + 1)))
    assert caught.value.code == "SCRIPT_TOO_LONG"


def test_a_script_reads_back_as_it_was_written(make_brief, tmp_path):
    fractions = []
    write_step(make_brief(), tmp_path, fractions.append)
    assert load(Script, tmp_path / "script.json") == summary.add_summary(
        make_brief(), write_script(make_brief())
    )
    assert fractions == [1.0]


def test_raised_and_lowered_text_of_html_stays_raised_and_lowered(scenes):
    (scene,) = scenes(
        "It has 10<sup>6</sup> cells on 5 m<sup>2</sup>, with H<sub>2</sub>O, on "
        "2<sup>nd</sup> Avenue."
    )
    assert (
        said(scene).replace("\u00a0", " ") == "It has 10⁶ cells on 5 m², with H₂O, on 2nd Avenue."
    )


@pytest.mark.parametrize(
    "notes", ["- Rent\n  : What it means\n", "1. Rent\n   : What it means\n\n2. Tea"]
)
def test_a_term_defined_in_a_list_is_shown(scenes, notes):
    assert scenes(notes)[0].points[0].text == "Rent: What it means"


@pytest.mark.parametrize(
    ("html", "points"),
    [
        ("<ul><li>Rocket</li><li>Tunnel</li></ul>", [("", 0, "Rocket"), ("", 0, "Tunnel")]),
        ("<ol><li>Open<li>Close</ol>", [("1.", 0, "Open"), ("2.", 0, "Close")]),
        ("<div><ul><li>Tea<ol><li>Hot</ol></ul></div>", [("", 0, "Tea"), ("1.", 1, "Hot")]),
        ("<ul>\n<li>One</li>\n\n<li>Two</li>\n</ul>", [("", 0, "One"), ("", 0, "Two")]),
        ("<ul><li><s>Old</s></li><li><p>New</p></li></ul>", [("", 0, "New")]),
    ],
)
def test_a_list_of_html_is_a_list(scenes, html, points):
    last = scenes(f"The river is long.\n\n{html}")[-1]
    assert [(point.label, point.level, point.text) for point in last.points] == points


def test_a_second_paragraph_of_an_html_item_is_said_with_it(scenes):
    last = scenes("<ul><li><p>Tea</p><p>It is hot.</p></li><li>Milk</li></ul>\n\nEnough.")[0]
    assert [point.text for point in last.points] == ["Tea", "Milk"]
    assert said(last).startswith("Tea It is hot. Milk")


def test_html_in_a_numbered_item_keeps_the_number(scenes):
    (scene,) = scenes('6. <div align="center"><b>Contact</b></div>\n7. Tea')
    assert [(point.label, point.text) for point in scene.points] == [
        ("6.", "Contact"),
        ("7.", "Tea"),
    ]


@pytest.mark.parametrize(
    ("first", "second", "seen"),
    [
        ("> Tea is calm.", "> Coffee is loud.", ("quote", "quote")),
        (
            "| a | b |\n|---|---|\n| x | y |\n| z | w |",
            "- One thing\n- Another thing",
            ("comparison", "points"),
        ),
        ("```\nmake tea\n```", "> Coffee is loud.", ("code", "quote")),
    ],
)
def test_a_sentence_that_ends_with_a_colon_is_said_with_what_it_introduces(
    make_brief, first, second, seen
):
    script = write_script(
        make_brief(
            metadata_md=f"## Drinks\n\n{first}\n\nNext, look here:\n\n{second}\n\nThat is all."
        )
    )
    before, after = (scene for scene in script.scenes if scene.layout not in ("title", "close"))
    assert (before.layout, after.layout) == seen
    assert "Next," not in before.words
    assert after.words[:3] == ("Next,", "look", "here:")


@pytest.mark.slow
def test_notes_that_partners_cannot_send_may_have_more_scenes(make_brief):
    notes = "".join(
        (
            f"# Part {number}\n\nThe tide of day {number} is a little higher than the one "
            "before it.\n\n"
        )
        for number in range(200)
    )
    assert len(write_script(make_brief(metadata_md=notes)).scenes) > MOST_SCENES


def test_pasted_text_becomes_lists_tables_and_lines(make_brief):
    notes = (
        "Why us?\n• It is free\n• It is fast\n\nName\tAge\nAda\t36\nBen\t7\n\nBest regards,\n"
        "Anna Smith"
    )
    scenes = write_script(make_brief(metadata_md=notes)).scenes
    assert [point.text for scene in scenes for point in scene.points if not scene.sight.rows] == [
        "It is free",
        "It is fast",
    ]
    assert [scene.sight.rows for scene in scenes if scene.sight.rows] == [
        (("Ada", "36"), ("Ben", "7"))
    ]
    assert "regards. Anna Smith." in " ".join(word for scene in scenes for word in scene.spoken)


@each_of(
    ("language", "pieces"),
    [
        (
            "fr",
            (
                "Fermé depuis plus d'un an, le Musée des Salines rouvre avec une exposition qui "
                "réunit cent vingt photographies prises par les ouvriers eux-mêmes,",
                "retrouvées dans le grenier d'une maison de Salins par une institutrice à la "
                "retraite.",
            ),
        ),
        (
            "it",
            (
                "Dopo due anni di lavori nell'antica tintoria della famiglia Bevilacqua, sabato 14 "
                "marzo alle otto apriamo finalmente le porte del Caffè Lanterna,",
                "con tre tostature nostre, marmellate fatte in casa e un banco lungo sei metri "
                "recuperato da una vecchia farmacia di Lucca.",
            ),
        ),
        (
            "nl",
            (
                "De vrouwenacht van De Zwaan won zondag de beker in 6 minuten en 12 seconden,",
                "nadat de ploeg de eerste duizend meter nog achter de boot van Nereus had gelegen "
                "en pas bij de brug van Ouderkerk voorbijkwam.",
            ),
        ),
        (
            "en",
            (
                "Our neighbours have asked for years whether the old railway bridge over the Tarn "
                "could be opened to people on foot",
                "and on bicycles and the council has now agreed to spend 340,000 pounds on new "
                "boards and railings before next summer",
            ),
        ),
        (
            "zh",
            (
                "我们的新图书馆位于城市中心的老火车站里，经过两年的修缮之后将于六月一日向所有市民免费"
                "开放，",
                "馆内有三万册图书、两间安静的阅览室以及一个为孩子们准备的故事角落，每天从早上九点一直"
                "开放到晚上八点。",
            ),
        ),
    ],
)
def test_a_sentence_too_long_for_a_scene_is_split_at_a_clause_or_before_a_phrase(language, pieces):
    """Where the piece was full: "par les | ouvriers eux-mêmes", "porte del Caffè | Lanterna"."""
    text = ("" if language == "zh" else " ").join(pieces)
    parts = scene_split.split_sentences(text, language, 190)
    written = [[token.written for token in part.tokens] for part in parts]
    assert tuple(map(tokens.join_words, written)) == pieces
