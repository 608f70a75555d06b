"""Markdown beyond CommonMark: alerts, formulas in lines, diagrams, verse, dialogues, contacts,
small print and marks.
"""

from dataclasses import replace

import pytest
from media import brief_sheet
from media.layout_sweep import dressed
from support.sampling import sampled

from svc.base.text import alerts, mermaid
from svc.base.text.inline_marks import find_emoji
from svc.media.drawing.looks import LOOKS
from svc.media.model import Rendition, Script
from svc.media.script import completeness
from svc.media.script.from_brief import write_script
from svc.media.slides import slide
from svc.media.text import tokens
from svc.media.video.scene import SceneRenderer

SHAPES = {
    "landscape": Rendition("landscape", 640, 360),
    "portrait": Rendition("portrait", 360, 640),
}
SHAPES |= {"square": Rendition("square", 480, 480), "feed": Rendition("feed", 480, 600)}
PLAIN = {"title": "Tea", "topic": "Tea"}
ORDER = (
    "graph TD\n  A[Order] --> B{Paid?}\n  B -->|yes| C[Ship]\n  B -->|no| D[Remind]\n  D --> B\n"
    "  C --> E[Deliver]"
)
POEM = """Two roads diverged in a yellow wood,
And sorry I could not travel both
And be one traveler, long I stood
And looked down one as far as I could"""
TALK = (
    "Anna: Where have you been?\nBen: At the harbour.\nAnna: And the boat?\n"
    "Ben: Gone. It left at six."
)
CONTACTS = (
    "Phone: +49 40 123456\nMail: info@example.com\nOpen: Mon–Fri 9:00–17:00\n"
    "Web: https://example.com"
)
EVERYTHING = f"""Intro.

> [!WARNING]
> Switch off the mains before you open the case.

> [!TIP] Good to know
> Fresh beans taste best, and they keep for two weeks in a tin. {"They need no water. " * 12}

## The order

```mermaid
{ORDER}
```

## Poem

{POEM}

## Talk

{TALK}

## Contact

{CONTACTS}

## Offer

Get 20 % off now\\*. The energy is $E = mc^2$.

\\* Only for new customers. The offer ends on 31 May, and is not to be combined with others.
"""


@pytest.fixture
def scenes(make_brief):
    """Return the scenes between title and close; every word of the notes must be in them,
    and none twice.
    """

    def of(markdown, **changes):
        brief = make_brief(**{**PLAIN, "metadata_md": markdown, **changes})
        script = write_script(brief)
        assert completeness.list_lost(brief, script) == []
        return script.scenes[1:-1]

    return of


def said(scene) -> str:
    return " ".join(scene.words)


def spoken(scene) -> str:
    return " ".join(scene.spoken)


def lines(scene) -> list[str]:
    return [point.text.replace("\xa0", " ") for point in scene.points]


@pytest.mark.parametrize(
    ("notes", "tone", "title", "text"),
    [
        ("> [!WARNING]\n> Hot.", "warning", "Warning", "Hot."),
        ("> [!note]\n> Two lines\n> of it.", "note", "Note", "Two lines of it."),
        ("> [!TIP]- Good to know\n> Rest.", "tip", "Good to know", "Rest."),
        ("> [!danger] **Hot**", "caution", "Hot", ""),
        ("> [!faq]\n> Why?\n>\n> Because.", "note", "Note", "Why? Because."),
        ("> [!of-their-own]\n> Hm.", "note", "Note", "Hm."),
        (":::warning\nHot.\n:::", "warning", "Warning", "Hot."),
        ("::: tip Good to know\nRest.\n:::", "tip", "Good to know", "Rest."),
        (":::caution[Hot]\nWait.\n\nWait more.\n:::", "caution", "Hot", "Wait. Wait more."),
        ('::: {.callout-important title="Read"}\nThis.\n:::', "important", "Read", "This."),
        ('!!! danger "High voltage"\n    Keep away.', "caution", "High voltage", "Keep away."),
        ("!!! note\n    Rest.", "note", "Note", "Rest."),
        ("**Warning:** The plate is hot.", "warning", "Warning", "The plate is hot."),
        ("**Important**: Pay.", "important", "Important", "Pay."),
        ("> **Note**\n> Rest.", "note", "Note", "Rest."),
        ("⚠️ The plate is hot.", "warning", "Warning", "The plate is hot."),
    ],
)
def test_an_alert_is_a_card_with_its_title(make_brief, notes, tone, title, text):
    (scene,) = write_script(make_brief(**PLAIN, metadata_md=notes)).scenes[1:-1]
    assert (scene.layout, scene.sight.tone, scene.sight.note, scene.sight.text) == (
        "alert",
        tone,
        title,
        text,
    )
    assert said(scene) == f"{title} {text}".strip()


@pytest.mark.parametrize(
    "notes",
    [
        "> Calm [!WARNING]",
        "!!! SALE !!!",
        "::: columns\nCalm.\n:::",
        "> [!quote]\n> Calm.",
        "Warning: hot.",
        "**Hot:** no",
    ],
)
def test_whatever_is_no_alert_is_none_and_its_marks_are_not_said(scenes, notes):
    written = scenes(notes)
    assert not any(scene.layout == "alert" for scene in written)
    assert ":::" not in " ".join(map(spoken, written)) and "[!quote]" not in " ".join(
        map(said, written)
    )


def test_the_title_of_an_alert_is_in_the_language_of_the_brief(scenes):
    (scene,) = scenes("> [!CAUTION]\n> Heiß.", language="de")
    assert (scene.sight.note, spoken(scene)) == ("Vorsicht", "Vorsicht. Heiß.")
    (scene,) = scenes("**Achtung:** Heiß.\n", language="de")
    assert scene.layout == "prose", "no title of an alert in German"
    (scene,) = scenes("**Hinweis:** Heiß.", language="de")
    assert scene.sight.tone == "note"


def test_an_alert_that_is_a_list_or_in_a_list_is_a_card_and_an_empty_one_is_none(scenes):
    (card,) = scenes("> [!IMPORTANT]\n> - Bring a lamp\n> - Bring a rope")
    assert card.sight.text == "Bring a lamp. Bring a rope."
    first, card, last = scenes("1. Boil\n   > [!WARNING]\n   > Hot.\n2. Pour")
    assert (lines(first), card.sight.text, lines(last)) == (["Boil"], "Hot.", ["Pour"])
    (scene,) = scenes("> [!NOTE]\n\nText.")
    assert scene.layout == "prose"


def test_a_list_within_an_alert_follows_it_and_a_long_alert_has_several_cards(scenes):
    alert, points = scenes("> [!NOTE]\n> Pack:\n>\n> - rope\n> - lamp")
    assert (alert.layout, points.layout, lines(points)) == ("alert", "points", ["rope", "lamp"])
    cards = scenes("> [!NOTE]\n> " + "The tide comes in twice a day, wherever you are. " * 12)
    assert len(cards) > 2 and {card.sight.note for card in cards} == {"Note"}
    assert " ".join(map(said, cards)).count("Note") == 1


@pytest.mark.parametrize(
    ("notes", "heard"),
    [
        ("The energy is $E = mc^2$.", "The energy is E equals M C squared."),
        ("So \\(\\sqrt{x}\\) is it.", "So the square root of X is it."),
        ("- Area: $\\pi r^2$", "Area: pi R squared."),
        ("It costs $5 and then $10 more.", "It costs five dollars and then ten dollars more."),
        (
            "From $5-$10, or US$5/US$6.",
            "From five to ten dollars, or five US dollars per six US dollars.",
        ),
        ("Set $HOME/$PATH now.", None),
        ("About $5 or 6$.", None),
        ("`$x$` is code.", None),
        ("Pay \\$5 or \\$6.", "Pay five dollars or six dollars."),
    ],
)
def test_a_formula_in_a_line_is_read_and_money_stays_money(scenes, notes, heard):
    (scene,) = scenes(notes)
    assert scene.layout in ("prose", "points", "formula")
    if heard and "US$" not in notes:
        assert spoken(scene) == heard
    elif not heard:
        assert "$" in said(scene) and scene.layout == "prose"


def test_a_paragraph_about_one_formula_shows_it_typeset(scenes):
    shown, plain, several = scenes(
        "The energy is $E = mc^2$.\n\n## B\n\nThe letter $x$ is it.\n\n## C\n\n"
        "Both $a = b$ and $b = c$."
    )
    assert (shown.layout, shown.sight.text) == ("formula", "E = mc^2")
    assert (plain.layout, several.layout) == ("prose", "prose") and "a = b" in said(several)


def test_marked_text_wiki_links_and_short_codes_are_read_as_they_look(scenes):
    (scene,) = scenes(
        "This is ==very important== for [[Tides|the tide]] and [[Moon]] :rocket:, a==b, at "
        "10:30:00."
    )
    assert said(scene) == "This is very important for the tide and Moon\xa0🚀, a==b, at 10:30:00."
    assert [scene.words[at] for at in scene.stressed] == [
        "very",
        "important",
    ] and scene.key_phrase == "very important"


@pytest.mark.parametrize(
    ("name", "emoji"),
    [
        ("rocket", "🚀"),
        ("tada", "🎉"),
        ("+1", "👍"),
        ("party_popper", "🎉"),
        ("flag-de", "🇩🇪"),
        ("us", "🇺🇸"),
        ("none-such", ""),
    ],
)
def test_a_short_code_is_its_emoji(name, emoji):
    assert find_emoji(name) == emoji


def test_a_flowchart_is_drawn_and_its_nodes_are_said_in_order(scenes):
    (scene,) = scenes(f"How it goes:\n\n```mermaid\n{ORDER}\n```")
    assert (scene.layout, lines(scene)) == ("flow", ["Order", "Paid?", "Ship", "Remind", "Deliver"])
    assert said(scene) == "How it goes: Order Paid? yes: Ship no: Remind Deliver"


@pytest.mark.parametrize(
    ("source", "nodes", "edges"),
    [
        ("flowchart LR\nA-->B-->C; C-- maybe -->D", "A B C D", ["A>B", "B>C", "C>D maybe"]),
        (
            "graph TB;A([Start])==>B[(Data base)];B-.->C((End))",
            "Start|Data base|End",
            ["A>B", "B>C"],
        ),
        (
            'graph LR\n%% note\nE & F --> G["A (b) <br/> c"]\nclassDef x fill:#fff\nG:::x',
            "E|F|A (b) c",
            ["E>G", "F>G"],
        ),
        (
            "graph TD\nsubgraph one [Title]\nA --- B\nend\nB -. later .-> A",
            "A B",
            ["A>B", "B>A later"],
        ),
        ('flowchart TD\nA@{ shape: rect, label: "Hi there" } --> B', "Hi there|B", ["A>B"]),
        ("---\ntitle: T\n---\nflowchart\nÄ1[Übung] <--> B", "Übung|B", ["Ä1>B"]),
    ],
)
def test_a_flowchart_is_read(source, nodes, edges):
    chart = mermaid.parse_flowchart(source)
    assert chart is not None and list(chart.nodes) == (
        nodes.split("|") if "|" in nodes else nodes.split()
    )
    assert [edge.label for edge in chart.edges] == [edge.partition(" ")[2] for edge in edges]


@pytest.mark.parametrize(
    "source",
    [
        "graph TD\nA-->",
        "sequenceDiagram\nA->>B: x",
        "graph TD\nA",
        "",
        "graph TD\n" + "A-->B" * 2000,
        "graph TD\nA" + "-" * 5000,
        "graph TD\n" + "\n".join(f"A{number}-->A{number + 1}" for number in range(20)),
        "flowchart TD\nA[one\ntwo]-->B",
    ],
)
def test_whatever_is_no_flowchart_is_code_and_is_not_read_aloud(scenes, source):
    assert mermaid.parse_flowchart(source) is None
    written = scenes(f"Look:\n\n```mermaid\n{source}\n```")
    assert all("-->" not in spoken(scene) for scene in written)


def test_a_pie_is_a_chart(scenes):
    (scene,) = scenes('```mermaid\npie title Pets\n  "Dogs" : 386\n  "Cats" : 85\n```')
    assert (scene.layout, scene.sight.values) == ("bars", ((386.0,), (85.0,)))


@pytest.mark.parametrize(
    "notes",
    [
        POEM,
        POEM.replace("\n", "  \n"),
        POEM.replace("\n", "\\\n"),
        POEM.replace("\n", "<br>\n"),
        "| " + POEM.replace("\n", "\n| "),
    ],
)
def test_a_poem_keeps_its_lines(scenes, notes):
    (scene,) = scenes(notes)
    assert (scene.layout, lines(scene)) == ("verse", POEM.split("\n"))
    assert "both, And" in spoken(scene) and said(scene) == POEM.replace("\n", " ")


def test_a_poem_that_is_quoted_keeps_its_lines_and_its_source(scenes):
    (scene,) = scenes("> " + POEM.replace("\n", "  \n> ") + "\n>\n> — Robert Frost")
    assert (scene.layout, lines(scene), scene.sight.note) == (
        "verse",
        POEM.split("\n"),
        "Robert Frost",
    )
    assert said(scene).endswith("I could Robert Frost")
    (quote,) = scenes("> Be calm.  \n> — Ada")
    assert (quote.layout, quote.sight.note) == ("quote", "Ada")


def test_the_short_lines_of_a_quotation_are_a_poem_without_marks_at_their_ends(scenes):
    """Its stanzas ran on in one paragraph."""
    stanzas = "At night a hand of light,\nit opens and it shuts.\nI wait.\nIt waits."
    shown = scenes("> " + f"{stanzas}\n\n{stanzas}\n\n— N. Akgül".replace("\n", "\n> "))
    assert [(each.layout, each.sight.note) for each in shown] == [
        ("verse", ""),
        ("verse", "N. Akgül"),
    ]
    assert [lines(each) for each in shown] == [stanzas.split("\n")] * 2
    quotes = "> We built it in a year.\n> It stands.\n>\n> — Ada", "> [!NOTE]\n> a\n> b\n> c"
    assert not any(each.layout == "verse" for quote in quotes for each in scenes(quote))


def test_a_haiku_and_an_address_keep_their_lines(scenes):
    (haiku,) = scenes("An old silent pond…\nA frog jumps into the pond,\nsplash! Silence again.")
    (address,) = scenes("Harbour Museum\nQuay 5\n20457 Hamburg")
    assert (len(haiku.points), len(address.points), address.layout) == (3, 3, "verse")


def test_verse_without_capitals_keeps_its_lines(scenes):
    """Its lines are short, and the last is as long as the others."""
    stanza = (
        "but one white line upon the black,\na chalk mark that the water keeps\n"
        "until the morning calls it back\nand over it the harbour sleeps."
    )
    (scene,) = scenes(stanza)
    assert (scene.layout, lines(scene)) == ("verse", stanza.split("\n"))


def test_each_stanza_has_a_picture_and_an_address_keeps_its_lines(scenes):
    assert [
        len(scene.points) for scene in scenes(f"{POEM}\n\n{POEM.replace('roads', 'paths')}")
    ] == [4, 4]
    (scene,) = scenes("Harbour Museum  \nQuay 5  \n20457 Hamburg")
    assert lines(scene) == ["Harbour Museum", "Quay 5", "20457 Hamburg"]


def test_a_stanza_like_the_one_before_keeps_its_lines_and_has_the_source_below_it(scenes):
    """By itself it may be wrapped prose: two of its lines go on in small letters."""
    stanzas = (
        "The sea has learned my name by now,\nit calls it through the stone.\n"
        "I light the lamp, I wind the clock,\nI am not quite alone.",
        "A ship goes by, as small as bread,\na crumb of yellow light;\n"
        "I lift my hand, though none can see\na hand on such a night.",
    )
    first, second = scenes("\n\n".join([*stanzas, "— M. Hallam, *Salt Letters* (1931)"]))
    assert [lines(first), lines(second)] == [stanza.split("\n") for stanza in stanzas]
    assert (second.layout, second.sight.note) == ("verse", "M. Hallam, Salt Letters (1931)")
    after = scenes(f"{stanzas[0]}\n\nWe go on with what is wrapped\nin the file, and is no verse.")
    assert after[-1].layout == "prose"


@pytest.mark.parametrize(
    "notes",
    [
        (
            "The moon pulls at the sea, wherever you are, and water\n"
            "follows it round the earth twice a day.\nThat is the tide."
        ),
        "- one  \n  two",
        (
            "Bring your boots, a hat and water,\nwe leave at ten from the old mill\n"
            "beside the weir, and the walk takes\nthree hours, all of it by the river."
        ).replace("\n", " and on we go, as we said, to\n"),
    ],
)
def test_wrapped_prose_is_no_verse(scenes, notes):
    assert not any(scene.layout == "verse" for scene in scenes(notes))


@pytest.mark.parametrize(
    "notes",
    [
        TALK,
        TALK.replace("\n", "\n\n"),
        "\n\n".join(f"**{turn.replace(': ', ':** ')}" for turn in TALK.split("\n")),
        "\n".join(f"**{turn.replace(': ', '**: ')}  " for turn in TALK.split("\n")),
    ],
)
def test_a_dialogue_has_speakers(scenes, notes):
    (scene,) = scenes(notes)
    assert (scene.layout, [point.label for point in scene.points]) == (
        "dialogue",
        ["Anna", "Ben", "Anna", "Ben"],
    )
    assert lines(scene)[1] == "At the harbour." and said(scene).startswith(
        "Anna: Where have you been? Ben: At the harbour."
    )


@pytest.mark.parametrize(
    ("language", "notes"),
    [
        ("en", "Anna: Are you coming?\nBen: Yes, at six."),
        ("en", "Anna: I am tired.\nBen: We should go home then."),
        ("en", "Customer: My parcel has not come.\nAgent: Let me look that up for you."),
        ("de", "Anna: Ich bin müde.\nBen: Dann gehen wir nach Hause."),
        ("fr", "Léa : Je ne trouve plus mes clés.\nMarc : Elles sont sur la table."),
        ("es", "Ana: No encuentro mis llaves.\nLuis: Están en la mesa."),
        ("nl", "Anna: Het regent.\nBen: Heb je een paraplu?"),
        ("en", "Mrs Dalton: Where is my umbrella?\nMr Pike: Behind the door."),
        ("en", "Speaker 1: My train is late.\nSpeaker 2: Mine has gone."),
        ("en", "Anna: Who has seen the cat?\nBen: Nobody.\nGrandma: It sleeps."),
        ("pl", "Kelner: Co podać?\nGość: Herbatę poproszę."),
        ("pt", "Cliente: Meu pedido não chegou.\nVendedora: Vou verificar agora."),
        ("ru", "Маша: Я устала.\nВрач: Отдыхайте больше."),
        ("ar", "سامي: أين الكتاب؟\nليلى: على الطاولة."),
        ("hi", "राम: क्या तुम आ रहे हो?\nसीता: हाँ, शाम को।"),
        ("ja", "客：これはいくらですか？\n店員：五百円です。"),
        ("tr", "Ayşe: Ben yorgunum.\nAli: Eve gidelim."),
        ("sv", "Fråga: När öppnar ni?\nSvar: Klockan nio."),
    ],
)
def test_speakers_who_speak_once_are_a_dialogue(scenes, language, notes):
    (scene,) = scenes(notes, language=language)
    assert scene.layout == "dialogue"


@pytest.mark.parametrize(
    ("language", "notes", "layout"),
    [
        ("en", "Conductor: Ruth Okafor\nOrgan & piano: Tom Bell", "points"),
        ("de", "Leitung: Ruth Okafor\nOrgel & Klavier: Tom Bell", "points"),
        ("fr", "Direction : Ruth Okafor\nOrgue et piano : Tom Bell", "points"),
        ("en", "Opening: We open at nine.\nParking: You can park behind the hall.", "prose"),
        ("en", "Warning: Do not open the lid.\nNote: You must be 18.", "prose"),
    ],
)
def test_labelled_lines_are_no_dialogue(scenes, language, notes, layout):
    (scene,) = scenes(notes, language=language)
    assert scene.layout == layout


def test_questions_and_answers_are_a_dialogue_and_a_long_turn_has_several_bubbles(scenes):
    (scene,) = scenes("Q: What is a tide?\nA: The rise and fall of the sea.")
    assert [point.label for point in scene.points] == ["Q", "A"]
    long = (
        "The sea rises towards the moon, and falls away again, twice a day, wherever you are "
        "on the coast of this earth. "
    ) * 3
    written = scenes(f"Anna: Why is that?\nBen: {long}\nAnna: Oh.")
    assert (
        " ".join(map(said, written)).count("Ben:") == 1
        and len([p for s in written for p in s.points]) > 3
    )


def test_a_speaker_keeps_side_and_colour_in_every_scene_of_a_dialogue(scenes, make_brief):
    first, second = written = scenes(
        f"{TALK}\nBen: Nobody has seen her since.\nAnna: Then we wait."
    )
    assert (first.points[0].label, second.points[0].label) == ("Anna", "Ben")
    assert first.sight.columns == second.sight.columns == ("Anna", "Ben")
    drawn = SceneRenderer(make_brief(), Script("Test", "en", tuple(written)), SHAPES["landscape"])
    sides = set()
    for number in range(2):
        drawn.picture(number, 0)
        texts = drawn.record_lettering(drawn.drain_texts()).texts
        sides |= {
            (text.text, text.box[0] > drawn.plan.content[0] + 100)
            for text in texts
            if text.part == "name" and text.text in ("Anna", "Ben")
        }
    assert sides == {("Anna", False), ("Ben", True)}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_wide_turn_can_be_read_before_the_lights_of_a_sky(scenes, make_brief, theme):
    turn = (
        "At the harbour, with the others. The storm took two of the moorings, and we had to hold "
        "the ferry by hand."
    )
    written = scenes(f"Anna: Where have you been?\nBen: {turn}\nAnna: And the boat?")
    drawn = SceneRenderer(
        make_brief(look="scenes", theme=theme),
        Script("Test", "en", tuple(written)),
        Rendition("wide", 1280, 720),
    )
    for stage in range(3):
        drawn.picture(0, stage)
    assert [
        text for text in drawn.record_lettering(drawn.drain_texts()).texts if text.contrast < 4.5
    ] == []


@pytest.mark.parametrize(
    "notes",
    [
        "Warning: The plate is hot.\nNote: Use gloves.",
        "When: 5 May\nWhere: Room 4",
        "Step one: Boil.\nStep two: Pour.",
        "Step one: Boil the milk.\nTip: Stir.\nStep two: Pour it.\nTip: Slowly.",
        "What: Fancy a walk?\nWhen: Sunday 5 May\nWhere: The old mill",
        "Who: Do you sing?\nBring: My friends bring a chair.",
        "Hobbies: My garden keeps me busy.\nLanguages: I speak French.",
        "Anna: I am tired.\nPrice: Nothing.",
        "Upgrade: Run the installer.\n\nPricing: Will it cost more? No.\n\n"
        "Known issues: Exports to my drive are slow.",
    ],
)
def test_labels_are_no_speakers(scenes, notes):
    assert not any(scene.layout == "dialogue" for scene in scenes(notes))


@pytest.mark.parametrize(
    ("language", "notes"),
    [
        ("de", "Preis: Was kostet es?\nOrt: Wir treffen uns am Tor."),
        ("de", "TOP 1: Ich begrüße alle.\nTOP 2: Die Kasse stimmt.\nHinweis: Bitte leise."),
        ("es", "Precio: ¿Cuánto cuesta?\nLugar: La plaza."),
        ("fr", "Prix : Je paie tout.\nLieu : La salle est libre."),
        ("pl", "Cena: Ile to kosztuje?\nUwaga: Nie mam reszty."),
        ("ru", "Цена: Сколько?\nМесто: Зал."),
        ("ar", "السعر: كم؟\nالمكان: القاعة."),
        ("hi", "स्थान: कहाँ?\nनोट: मुझे फ़ोन करें।"),
        ("ja", "場所：どこですか？\n料金：無料です。"),
    ],
)
def test_labels_of_many_languages_are_no_speakers(scenes, language, notes):
    assert not any(scene.layout == "dialogue" for scene in scenes(notes, language=language))


@pytest.mark.parametrize(
    ("notes", "icons", "address"),
    [
        (CONTACTS, "phone mail clock globe", "https://example.com"),
        ("- **Tel.:** 030 1234567\n- **E-Mail:** a@b.example", "phone mail", ""),
        (
            "📞 030 123 45 67\n✉️ hello@example.org\n🕒 Tue–Sun, 10 am – 6 pm\n🌐 www.example.org",
            "phone mail clock globe",
            "https://www.example.org",
        ),
        ("Jane Doe, +44 20 7946 0000, press@example.com", " phone mail", ""),
        ("**Press**  \nJane Doe · +44 20 7946 0000 · press@example.com", "  phone mail", ""),
        ("📍 Quay 5, Hamburg\n\n☎ +49 40 123456", "map-pin phone", ""),
        (
            "🕙 10 am – 5 pm  📍 Quay 5  ☎ 01632 960 123  ✉ a@b.example",
            "clock map-pin phone mail",
            "",
        ),
    ],
)
def test_contact_lines_are_a_card_with_icons_and_a_code(scenes, notes, icons, address):
    (scene,) = scenes(notes)
    assert (scene.layout, scene.sight.note) == ("contact", address)
    assert [point.icon.removeprefix("line:") for point in scene.points] == icons.split(" ")


def test_an_address_on_a_card_is_shown_as_it_is_read_and_said_whole(scenes):
    """Its scheme pushed its host over the end of the line."""
    (scene,) = scenes("📞 030 123 45 67\n🌐 https://www.deketting.example/vacature/")
    assert scene.points[1].text == "deketting.example/vacature"
    assert scene.sight.note == "https://www.deketting.example/vacature/"
    assert "https://www.deketting.example/vacature/" in tokens.join_words(scene.words)


@pytest.mark.parametrize("shape", ("portrait", "feed"))
def test_no_address_on_a_card_is_broken_where_smaller_type_avoids_it(shape):
    notes = "✉️ werk@deketting.example\n📞 038 421 55 60\n🌐 https://deketting.example/vacature"
    brief = replace(brief_sheet.read("launch", look="scenes"), metadata_md=notes)
    script = write_script(brief)
    drawn = SceneRenderer(brief, script, brief_sheet.SHAPES[shape])
    card = next(at for at, scene in enumerate(script.scenes) if scene.layout == "contact")
    drawn.picture(card, 2)
    shown = {each.text for each in drawn.drain_texts() if each.part == "point"}
    assert {"werk@deketting.example", "deketting.example/vacature"} <= shown, shown


def test_contact_lines_below_a_section_are_of_the_whole_text(scenes):
    """The card of an address had "If it rains" for its heading."""
    notes = (
        "## If it rains\n\nWe move to the old market, which is five minutes from here. The cat of "
        "the library does not move.\n\n📍 Quay 5, Hamburg\n\n☎ +49 40 123456"
    )
    prose, card = scenes(notes)
    assert (prose.heading, card.layout, card.heading) == ("If it rains", "contact", "")
    (alone,) = scenes("## Find us\n\n📍 Quay 5, Hamburg\n\n☎ +49 40 123456")
    assert alone.heading == "Find us"


@pytest.mark.parametrize(
    "notes",
    [
        "Call +49 40 123456 now, or write to a@b.example, and we will answer you within two days.",
        "- 9:00–9:30 Welcome\n- 9:30–10:00 Coffee",
        "- Founded 2024-05-12\n- 1,234,567 users\n- 12.5 % growth",
        "Mail: a@b.example",
        "1. Call 030 1234567\n2. Write to a@b.example",
    ],
)
def test_sentences_agendas_and_figures_are_no_contacts(scenes, notes):
    assert not any(scene.layout == "contact" for scene in scenes(notes))


@pytest.mark.parametrize(
    "small",
    [
        "<small>Prices include VAT.</small>",
        "\\* Prices include VAT.",
        "*Prices* include VAT.",
        "¹ Prices include VAT.",
    ],
)
def test_small_print_is_a_strip_and_is_not_said(scenes, small):
    prose = (
        "Tea is half the price in all of our shops, and in those of our friends, from May to "
        "the end of June. "
    ) * 2
    first, *_, second = scenes(f"## Offer\n\n{prose}\n\n- Green\n- Black\n\n{small}")
    is_small = not small.startswith("*P")
    assert ("VAT" in first.small_print and "VAT" in second.small_print) is is_small
    assert ("VAT" in f"{said(first)} {said(second)}") is not is_small
    assert ("VAT" in second.description) is is_small


def test_small_print_stands_with_what_its_heading_is_about(scenes):
    """It may come first under a heading, or under one that only has subheadings."""
    present, agenda = scenes(
        "## Present\n\n- Ann\n\n## News\n\n\\*Taken from **issues** marked so.\n\n- No update."
    )
    assert present.small_print == "" and agenda.small_print == "*Taken from issues marked so."
    before, rooms, halls, after = scenes(
        "## Place\n\nWe are by the sea.\n\n## Prices*\n\n\\* With VAT.\n\n### Rooms\n\n- 30 €\n\n"
        "### Halls\n\n- 90 €\n\n\\* A day.\n\n## Ways\n\nCome by bus."
    )
    assert (before.small_print, after.small_print) == ("", "")
    assert (rooms.small_print, halls.small_print) == ("* With VAT.", "* A day.")


def test_small_print_without_anything_under_its_heading_joins_what_was_said(scenes):
    offer, *others = scenes("## Offer\n\nTea is cheap.\n\n## Terms\n\n<small>With VAT.</small>")
    assert offer.small_print == "With VAT." and not any("VAT" in said(each) for each in others)
    (terms,) = scenes("## Terms\n\n<small>Prices include VAT.</small>")
    assert terms.small_print == "" and "VAT" in said(terms)
    long = "Prices include VAT. " * 7
    offer, terms = scenes(
        f"## Offer\n\nTea.\n\n<small>{long}</small>\n\n## Terms\n\n<small>{long}</small>"
    )
    assert "VAT" in offer.small_print and terms.small_print == "" and "VAT" in said(terms)


@pytest.mark.parametrize("stars", ["*", "**"])
def test_an_emphasis_without_an_end_is_said_unless_a_word_leads_to_it(scenes, stars):
    note = f"{stars}Taken from **all** issues of May."
    *_, last = scenes(f"## News\n\nWe have much to tell.\n\n{note}")
    assert last.small_print == "" and "all issues" in said(last)
    (only,) = scenes(f"## News\n\nWe have much to tell{stars}.\n\n{note}")
    assert "all issues" in only.small_print and "all issues" not in said(only)


@pytest.mark.parametrize(
    "mark",
    [
        "{#install}",
        "{#install .wide tabindex=0}",
        "{.wide}",
        "{/*install*/}",
        "{/* a comment\nthat goes on */}",
        "{% include install.html %}",
        '{{< youtube id="install" >}}',
        "{{% notice %}}",
        "{: .note}",
    ],
)
def test_marks_for_the_generator_of_a_site_are_left_out(scenes, mark):
    heading = mark.replace("\n", " ")
    (scene,) = scenes(
        f"## How to begin {heading}\n\nTake the key out of the box.\n\n{mark}\n\n- Go on {mark}"
    )
    assert scene.heading == "How to begin"
    assert said(scene) == "How to begin Take the key out of the box. Go on"


@pytest.mark.parametrize(
    "text",
    ["the set {a, b}", "{.5} of it", "`{% raw %}` here", "a {#b} c", "\\{% raw %}", "{{name}}"],
)
def test_other_braces_are_said(scenes, text):
    (scene,) = scenes(f"We write {text} there.")
    assert said(scene).replace("\u2060", "") == f"We write {text} there.".replace("`", "").replace(
        "\\", ""
    )


def test_the_tags_of_a_post_are_small_print(scenes):
    (scene,) = scenes("We are looking for an engineer in Lisbon.\n\n#hiring #golang #lisbon")
    assert scene.small_print == "#hiring #golang #lisbon" and "#" not in said(scene)


def test_formulas_in_cells_and_headings_are_read(scenes):
    (table,) = scenes("| Name | Area |\n|---|---|\n| Circle | $\\pi r^2$ |\n| Square | $a^2$ |")
    assert spoken(table) == "Name: Circle; Area: pi R squared. Square; A squared."
    assert table.sight.rows[0] == ("Circle", "πr²")
    (law,) = scenes("## The law $F = ma$\n\nForce is mass times acceleration.")
    assert law.heading == "The law F = ma" and spoken(law).startswith("The law F equals M A.")


def test_the_parts_of_a_release_show_which_one_it_is(scenes):
    notes = (
        "## [Unreleased]\n\n## [1.2.0] - 2026-01-05\n\n### Added\n\n- Dark mode\n\n"
        "### Fixed\n\n- Crash\n\n"
        "## v1.1.0 (2025-12-01)\n\nSmall fixes."
    )
    *_, added, fixed, old = scenes(f"{notes}\n\n[1.2.0]: https://github.com/a/b/compare/v1...v2")
    assert (added.heading, fixed.heading) == ("Added · 1.2.0", "Fixed · 1.2.0")
    assert old.heading == "v1.1.0 (2025-12-01)" and said(added).replace("\xa0", " ").startswith(
        "1.2.0 - 2026-01-05 Added"
    )


def test_small_print_with_nothing_above_it_is_said(scenes):
    (scene,) = scenes("<small>Prices include VAT.</small>")
    assert scene.small_print == "" and "VAT" in said(scene)


@pytest.mark.parametrize(
    "look, theme, shape, language",
    sampled(
        [
            *(
                (*each, language)
                for each in dressed(("landscape", "portrait"), 0)
                for language in ("en", "ar")
            ),
            *((look, "light", shape, "en") for look in LOOKS for shape in ("square", "feed")),
        ],
        24,
    ),
)
def test_all_of_it_can_be_read_in_every_look_shape_and_direction(
    make_brief, look, theme, shape, language
):
    brief = make_brief(metadata_md=EVERYTHING, look=look, theme=theme, second_colour="#f29f38")
    written = Script("Test", language, write_script(brief).scenes)
    drawn = SceneRenderer(
        make_brief(language=language, look=look, theme=theme), written, SHAPES[shape]
    )
    for number, scene in enumerate(written.scenes):
        for stage in {slide.NOTHING_YET, 0, len(slide.list_stages(scene)) - 1}:
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
    assert [text.text for text in texts if text.text.endswith("…")] == []


def test_every_kind_of_alert_has_a_name_that_people_write():
    assert len(alerts.KINDS) == 5 and all(
        kind in alerts.KINDS for kind in ("note", "tip", "important", "warning", "caution")
    )
