"""Names that no list knows are found by what a brief shows of them, and stay on a line."""

from dataclasses import replace

from support.tables import each_of

from svc.media.drawing.typesetting import Typeface, fit_display, fit_text
from svc.media.model import Rendition
from svc.media.script.from_brief import write_script
from svc.media.text import bonds
from svc.media.text.bonds import Bond
from svc.media.text.names import find_names
from svc.media.video.scene import SceneRenderer


@each_of(
    ("language", "text", "expected"),
    [
        ("en", "Take Norhaven Ferries to the island.", ["Norhaven Ferries"]),
        ("en", "We met some of Mei Tanaka’s friends, and then Dr Lin.", ["Mei Tanaka", "Dr Lin"]),
        ("en", "Today London is wet. About Norhaven.", []),
        ("en", "Kettle One is here. Order Kettle One today.", ["Kettle One"]),
        ("en", "How To Make A Great Cup Of Tea At Home", []),  # a title's capitals say nothing
        ("en", "The winners are Tom, Ann and Sue.", []),
        ("en", "We open at noon: Monday Club, then tea.", []),  # a part begins with a capital
        ("nl", "Op 3 februari overleed Jan de Wit, meester op school.", ["Jan de", "de Wit"]),
        (
            "de",
            "Ich sah Maria von der Heide. Dann sah Maria von der Heide mich.",
            ["Maria von", "der Heide", "von der"],
        ),
        ("it", "Il Museo del Mare di Porto apre alle nove.", []),  # too long for a line
        ("en", "We met Tom and Ann in the park.", []),
        ("es", "La obra de Casa Rosal abre el lunes.", ["Casa Rosal"]),
        ("pl", "Zapraszamy do Parku Krakowskiego na spacer.", ["Parku Krakowskiego"]),
        ("ru", "Мы едем в Нижний Тагил завтра.", ["Нижний Тагил"]),
        ("de", "Wir laden alle Eltern und Kinder der Stadt ein.", []),  # nouns have capitals
        ("de", "Das Haus Seeblick ist zu. Ins Haus Seeblick geht es links.", ["Haus Seeblick"]),
        ("de", "Zwei Tore schoss Jonas Hofmeister.", ["Jonas Hofmeister"]),
        ("de", "Vereinsbrief des SV Eichental, November", ["SV Eichental"]),
        ("en", "We move to React 19 today. With React 19, much is new.", ["React 19"]),
        (
            "de",
            "Die Ausgabe Windows 11 kommt. Ab Windows 11 geht es.",
            ["Ausgabe Windows", "Windows 11"],
        ),
        ("en", "In Berlin 40 people came. In Rome 50 did.", []),
        ("en", "To see more, see the React 19 release post.", ["React 19"]),
        ("en", "It runs on macOS, Windows 11 and Linux.", ["Windows 11"]),
        ("en", "We moved to Postgres 16, and to Django 5.", ["Django 5", "Postgres 16"]),
        ("fr", "Le guide du React 19 est prêt, et la Nuit 4 commence.", ["Nuit 4", "React 19"]),
        ("es", "Vea la guía de la Vega 40 antes.", ["Vega 40"]),
        ("de", "Nach dem Update läuft Windows 11 oder Linux.", ["Windows 11"]),
        ("de", "Zum Konzert 40 Leute mehr.", []),
        ("ja", "東京タワーは高い。", []),
    ],
)
def test_words_with_capitals_are_a_name_where_the_brief_shows_it(language, text, expected):
    sentences = [sentence.split() for sentence in text.replace(". ", ".|").split("|")]
    found = find_names(sentences, language)
    assert sorted(" ".join(pair) for pair in found) == sorted(expected)


def test_a_number_before_an_auxiliary_verb_belongs_to_the_name_before_it():
    for language, text in (
        ("de", "In Kalenderwoche 9 haben wir 4.310 Brote verkauft."),
        ("en", "In Group 4 are two teams of the north."),
    ):
        words = text.split()
        assert (words[1], words[2]) in find_names([words], language)
    assert find_names([["In", "Bath", "9", "people", "came."]], "en") == frozenset()


def test_the_words_of_a_name_stay_together_before_punctuation_and_a_genitive():
    names = find_names([["Take", "Norhaven", "Ferries", "to", "the", "island."]], "en")
    for text in ("About Norhaven Ferries", "(Norhaven Ferries)", "Ask Norhaven Ferries’s crew."):
        words = tuple(text.split())
        first = next(at for at, word in enumerate(words) if "Norhaven" in word)
        assert bonds.find_bonds(words, "en", names)[first] == Bond.LOOSE
        assert bonds.find_bonds(words, "en")[first] == Bond.NONE
    assert not any(bonds.find_bonds(("in", "Norhaven.", "Ferries", "run"), "en", names))


def test_a_heading_keeps_a_name_on_a_line_that_its_text_shows(make_brief):
    notes = "## About Norhaven Ferries\n\nEvery day Norhaven Ferries sails to six islands."
    brief = replace(make_brief(metadata_md=notes), look="explainer", language="en")
    script = write_script(brief)
    renderer = SceneRenderer(brief, script, Rendition("square", 1080, 1080))
    names = renderer.names
    face = Typeface(150, 800, 1.1, language="en", names=names)
    assert ("Norhaven", "Ferries") in names
    for width in range(800, 1500, 50):
        block = fit_display("About Norhaven Ferries", width, 900, face, 60)
        assert ("About", "Norhaven") not in block.lines, width


def test_large_type_shrinks_rather_than_tear_a_name():
    """By up to three tenths, where no line is torn then."""
    names = frozenset((("Tarn", "Valley"), ("Valley", "Harriers"), ("Lumen", "Notes")))
    names |= {("Notes", "4.2")}
    face = Typeface(114, 700, 1.1, family="Rubik", language="en", names=names)
    for text, width, name in (
        ("Tarn Valley Harriers: results of the spring races", 864, "Tarn Valley Harriers:"),
        ("Lumen Notes 4.2: what is new", 800, "Lumen Notes 4.2:"),
    ):
        block = fit_display(text, width, 367, face, 42)
        assert name in [" ".join(line) for line in block.lines], block.lines
        assert block.face.size > face.size / 2


@each_of(
    ("text", "width", "lines"),
    [
        # a name that modest type does not hold ends its line before its last word
        (
            "What a season it has been for the Tarn Valley Harriers",
            864,
            ["What a season", "it has been for", "the Tarn Valley", "Harriers"],
        ),
        ("Figures as of 31 December 2025.", 864, ["Figures", "as of", "31 December", "2025."]),
        ("She enters service in May 2028.", 972, ["She enters", "service", "in May 2028."]),
    ],
)
def test_type_shrinks_a_little_for_a_name_and_breaks_a_longer_one_at_its_best_place(
    text, width, lines
):
    words = text.rstrip(".").split()
    names = find_names([[*words[:-3], *words[-3:], "."], words[-3:]], "en")
    names |= find_names([["in", *words[-3:]]], "en")
    face = Typeface(180, 800, 1.1, language="en", names=names)
    block = fit_display(text, width, 1000, face, 40)
    assert [" ".join(line) for line in block.lines] == lines
    whole = fit_text(text, width, 1000, face, 40, balanced=True)
    assert block.face.size >= 0.7 * whole.face.size
