"""The plan of composed scenes: something changes every four seconds,
and nothing says the same for more than eight.
"""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from media import brief_sheet
from media.contact_sheet import evenly
from small_programme import brief_of
from support.tables import each_of

from svc.media.captions import captions
from svc.media.model import Rendition, Scene, Script, Timeline, Visual
from svc.media.pictures import clauses
from svc.media.script import from_brief
from svc.media.slides import framings
from svc.media.slides.framings import CLAUSE, FIGURE, HEADING, PICTURES, TYPE
from svc.media.video import storyboard
from svc.media.video.scene import SceneRenderer
from svc.media.video.storyboard import Motion

RATE = 30
LONGEST, SAME = 4 * RATE, 8 * RATE  # frames without a change, and with the same on the screen
SHAPE = Rendition("landscape", 240, 136)
ABBREVIATIONS = ("Abs.", "Nr.", "No.")
LONG = (
    "Why it matters From the first of March the library is open on Sundays from ten to six, with "
    "a reading room for children, a café in the courtyard and a desk where 40 new cards are made "
    "in 90 seconds. Nobody has to wait."
)


def prose(
    text: str = LONG, heading: str = "Why it matters", phrase: str = "", *pictures: str
) -> Scene:
    words = tuple(text.split(" "))
    spoken_heading = len(heading.split(" ")) if text.startswith(f"{heading} ") else 0
    ends = tuple(
        number
        for number, word in enumerate(words)
        if (word.endswith(".") and word not in ABBREVIATIONS) or number + 1 == spoken_heading
    )
    first, *others = pictures or ("",)
    return Scene(
        "prose",
        heading,
        (),
        words,
        words,
        "",
        ends,
        key_phrase=phrase,
        illustration=first,
        companions=tuple(others),
    )


@cache
def programme(name: str) -> tuple[SceneRenderer, Script, Timeline]:
    brief = brief_sheet.read(name, look="scenes")
    script = from_brief.write_script(brief)
    renderer = SceneRenderer(brief, script, SHAPE)
    return renderer, script, evenly(script)


def test_no_picture_is_shown_before_its_clause():
    """A scene of two sentences had the picture of the second beside the first."""
    text = (
        "The old ship stays in the harbour until the spring comes back to us. "
        "Then a bicycle takes each of its guests along the river to the new inn."
    )
    phrase = "The old ship stays in the harbour until the spring comes back to us"
    plain = prose(text, "On the water", phrase, "ship", "bicycle")
    second = text.split().index("Then")
    asked = replace(plain, pictured=(0, second))
    ends = [framings.find_framing_end(asked, each) for each in framings.list_framings(asked)]
    assert len(ends) > 1
    for end in ends:
        has_come = ["ship", "bicycle"] if end > second else ["ship"]
        assert framings.list_pictures_between(asked, 0, end) == has_come
    drawn = SceneRenderer(
        brief_of(Script("Test", "en", (asked,)), look="scenes"),
        Script("Test", "en", (asked,)),
        SHAPE,
    )
    first, *_ = drawn.find_cast(0).stages
    named = {sprite.name for sprite in first if sprite}
    assert "ship" in named and "bicycle" not in named
    assert any(each.kind == PICTURES and each.main == 1 for each in framings.list_framings(asked))


def test_a_picture_belongs_to_the_clause_that_asks_for_it():
    text = (
        "The fire station asks for cake, and the bakery bakes bread at night. "
        "On Sunday everybody comes by bicycle."
    )
    written = text.split()
    firsts = clauses.find_first_words(("bicycle", "fire-engine", "bread"), written, "en")
    assert firsts == (written.index("On"), 0, written.index("and"))
    assert clauses.find_first_words(("bicycle",), ["One", "clause."], "en") == (0,)


def test_a_picture_is_not_shown_beside_a_clause_that_has_nothing_to_do_with_it():
    """One finger on the rim had the candle beside it whose light the lamp has in the evening."""
    finger = "If you want to, one finger on the rim is enough"
    evening = "It ends the evening in the warm light of a candle."
    sentences = (evening, "You do not have to touch it.", f"{finger}.")

    def apart(*texts: str, picture: str = "candle", topic: str = "Light like the day") -> tuple:
        return clauses.find_apart((picture,), texts, texts[-1].rstrip("."), topic, "en")

    assert apart(*sentences) == ("candle",)
    assert apart(evening, f"{finger}.") == ()  # the next sentence may go on about it
    assert apart(*sentences, topic="A candle that travels") == ()
    assert apart(*sentences[:2], "The flame burns on.") == ()
    cake = ("A cake for everybody.", "It keeps for five days.", "Serves 8 in an hour.")
    assert apart(*cake, picture="birthday-cake", topic="Upside-down cake") == ()

    scene = replace(prose(" ".join(sentences), "Light", finger, "candle"), apart=("candle",))
    *earlier, last = framings.list_framings(scene)
    assert last.kind == CLAUSE and framings.list_pictures_of(scene, last) == []
    assert any("candle" in framings.list_pictures_of(scene, each) for each in earlier)
    alone = replace(prose(f"{finger}.", "Light", finger, "candle"), apart=("candle",))
    [only] = framings.list_framings(alone)
    assert framings.list_pictures_of(alone, only) == ["candle"]


def changes_of(
    scene: int, renderer: SceneRenderer, timeline: Timeline, motion: Motion
) -> tuple[list[int], list[int], int]:
    """The frames in which something begins to move or to be shown in a scene, those in which what
    is shown says something else, and its end; apart from captions, presenter and ground.
    """
    reader = storyboard._SceneReader(scene, renderer.script, timeline, (), RATE, motion, [])
    movement = reader.cast_by(renderer.list_casts(), len(reader.frames))
    start = reader.frames.start
    says = {start, *reader.begins, *(reader.starts[word] for word in reader.entering)}
    moved = {start + change for change in movement.changes} if movement else set()
    return sorted(says | moved), sorted(says), reader.frames.stop


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", brief_sheet.BRIEFS)
def test_every_scene_changes_every_four_seconds_and_its_words_every_eight(
    name,
):
    renderer, _, timeline = programme(name)
    motion = Motion(renderer.look.transition_seconds, is_composed=True)
    for number, scene in enumerate(renderer.script.scenes):
        changes, says, end = changes_of(number, renderer, timeline, motion)
        unchanged = max(after - before for before, after in pairwise((*changes, end)))
        same = max(after - before for before, after in pairwise((*says, end)))
        assert unchanged <= LONGEST and same <= SAME, (number, scene.layout, changes, says)


def test_a_long_sentence_is_framed_anew_and_no_two_framings_alike_follow_each_other():
    framed = framings.list_framings(prose(phrase="Why it matters"))
    assert [each.kind for each in framed][:2] == [HEADING, TYPE] and FIGURE in [
        each.kind for each in framed
    ]
    assert len(framed) >= 4
    shown = [(each.kind, each.text, each.main) for each in framed]
    assert all(one != other for one, other in pairwise(shown))


def test_a_scene_with_pictures_and_a_clause_shows_both_and_the_pictures_alone():
    framed = framings.list_framings(
        prose(
            LONG,
            "Why it matters",
            "the library is open on Sundays",
            "books",
            "teacup-without-handle",
        )
    )
    kinds = [each.kind for each in framed]
    assert kinds[0] == PICTURES and CLAUSE in kinds and TYPE in kinds
    assert [each.main for each in framed if each.kind == PICTURES] == [0, 1]


@pytest.mark.parametrize("pictures", ((), ("books",), ("books", "ship", "sun")))
@pytest.mark.parametrize(
    "phrase", ("", "Why it matters", "Nobody has to wait", "a text that nobody says")
)
def test_framings_begin_with_the_first_word_and_go_on_in_order(phrase, pictures):
    scene = prose(LONG, "Why it matters", phrase, *pictures)
    framed = framings.list_framings(scene)
    firsts = [each.first for each in framed]
    assert firsts[0] == 0 and firsts == sorted(set(firsts))
    for each, following in pairwise((*framed, replace(framed[-1], first=len(scene.words)))):
        assert not each.words or each.first <= each.words.start < each.words.stop <= following.first
        # of these words, some three seconds
        assert each.words or following.first - each.first <= 16


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            (
                "The people who live in the streets behind the dyke can sleep with their windows "
                "open again in every summer night."
            ),
            [
                "The people who live in the streets behind the dyke",
                "can sleep with their windows open again in every summer night.",
            ],
        ),
        (
            (
                "From the first of March the city library is open on Sundays from ten to six, "
                "with a reading room for children."
            ),
            [
                "From the first of March the city library",
                "is open on Sundays from ten to six, with a reading room for children.",
            ],
        ),
        (
            (
                "Die Menschen in den Straßen hinter dem Deich können bei offenem Fenster "
                "schlafen, weil die Schiffe still sind."
            ),
            [
                "Die Menschen in den Straßen hinter dem Deich",
                "können bei offenem Fenster schlafen, weil die Schiffe still sind.",
            ],
        ),
    ],
)
def test_a_long_sentence_ends_its_parts_before_a_phrase(text, parts):
    assert [each.text for each in framings.list_framings(prose(text))] == parts


@each_of(
    ("text", "parts"),
    [
        (
            "tidewatch tells you when the tide will be high enough to leave the harbour at once.",
            (
                "tidewatch tells you when the tide",
                "will be high enough to leave the harbour at once.",
            ),
        ),
        (
            "In the poorest quarter of the four towns, a household has £31 a week for everything "
            "that is neither food nor rent.",
            (
                "In the poorest quarter of the four towns,",
                "a household has £31 a week for everything that is neither food nor rent.",
            ),
        ),
        (
            "Die Miete steigt ab Januar in den Häusern der Genossenschaft für zwei Zimmer um 25 "
            "Euro pro Monat, weil die Heizung erneuert worden ist.",
            (
                "Die Miete steigt ab Januar in den Häusern der Genossenschaft",
                "für zwei Zimmer um 25 Euro pro Monat,",
                "weil die Heizung erneuert worden ist.",
            ),
        ),
        (
            "La cuota para las familias que viven en el barrio desde hace años es ahora de 20 € al "
            "mes y se paga por adelantado.",
            (
                "La cuota para las familias que viven en el barrio",
                "desde hace años es ahora de 20 € al mes y se paga por adelantado.",
            ),
        ),
        (
            "Les habitants qui ont perdu leur carte pendant les travaux de la gare peuvent en "
            "demander une nouvelle à la mairie.",
            (
                "Les habitants qui ont perdu leur carte pendant les travaux de la gare",
                "peuvent en demander une nouvelle à la mairie.",
            ),
        ),
        (
            "In the first month, people brought 900 objects, and most of them were things that "
            "they did not want to throw away themselves.",
            (
                "In the first month, people brought 900 objects, and most of them",
                "were things that they did not want to throw away themselves.",
            ),
        ),
        (
            "Wer eine Wohnung übernommen hat, muss beim Auszug in der Regel nicht streichen, es "
            "sei denn, der Vermieter hat dafür einen angemessenen Ausgleich gezahlt.",
            (
                "Wer eine Wohnung übernommen hat,",
                "muss beim Auszug in der Regel nicht streichen,",
                "es sei denn, der Vermieter hat dafür einen angemessenen Ausgleich gezahlt.",
            ),
        ),
    ],
)
def test_no_part_ends_with_a_word_that_belongs_to_the_next_one(text, parts):
    """An auxiliary verb was torn from its verb, and a price from what it is for."""
    assert tuple(each.text for each in framings.list_framings(prose(text, ""))) == parts


@each_of(
    "parts",
    [
        # a verb from its object, soon after a comma
        (
            "I guardiani vivevano sull'isola con mogli e figli,",
            "coltivavano un piccolo orto e ricevevano provviste soltanto ogni due settimane.",
        ),
        (
            "Support received 1,900 tickets and our two largest customers",
            "paused their imports of customer records until the following evening.",
        ),
        # a word from the bare noun that says how or where
        (
            "A cooperativa vende aos sábados queijos,",
            "azeite e compotas feitas em casa na praça da igreja",
            "desde há mais de vinte anos.",
        ),
        # an adjective from its noun
        (
            "Die Stadt baut im nächsten Jahr auf dem Gelände des alten Güterbahnhofs",
            "eine Schule mit Turnhalle und Bibliothek.",
        ),
        # two people from each other
        (
            "Liebe Eltern, in der Woche vor Pfingsten fährt die Klasse 7b",
            "mit Frau Yilmaz und Herrn Brandt in die Jugendherberge am Burgtor.",
        ),
        # an article from the clause before a comma, all of whose words are small
        (
            "Wat dan nog over is,",
            "haalt de voedselbank de volgende ochtend op met de bakfiets.",
        ),
        (
            "Le temps que les équipes réparent la conduite,",
            "la mairie distribue chaque matin des bouteilles aux habitants de la rue.",
        ),
        (
            "La cooperativa reparte cada viernes verduras,",
            "huevos y pan hecho a mano entre las familias del barrio.",
        ),
        (
            "Nie ma lektora ani muzyki w tle, jest za to szum morza,",
            "skrzypienie lin i rozmowy prowadzone przy herbacie.",
        ),
    ],
)
def test_a_part_ends_at_the_strongest_boundary_near_its_middle(parts):
    framed = framings.list_framings(prose(" ".join(parts), ""))
    assert tuple(each.text for each in framed) == parts


@each_of(
    ("text", "phrase", "shown"),
    [
        (
            "Fold it flat, and it fits between two books. Open it, and it lights a whole desk for "
            "12 hours without a cable.",
            "it lights a whole desk for 12 hours",
            "Open it, and it lights a whole desk for 12 hours without a cable.",
        ),
        (
            "If you buy something in the European Union, you may send it back within 14 days, "
            "without giving a reason. The period begins later.",
            "14 days",
            "you may send it back within 14 days, without giving a reason.",
        ),
        (
            "The ship will carry 120 cars and 600 passengers, and she will cross the fjord without "
            "a drop of diesel.",
            "she will cross the fjord without a drop of diesel",
            "and she will cross the fjord without a drop of diesel.",
        ),
        (
            "La luz del sol contiene todos los colores. Cuando entra, choca con el aire.",
            "todos los colores",
            "La luz del sol contiene todos los colores.",
        ),
        (
            "Der Mieter kündigt immer mit einer Frist von drei Monaten (§ 573c BGB). Er schreibt.",
            "Der Mieter kündigt immer mit einer Frist von drei Monaten",
            "Der Mieter kündigt immer mit einer Frist von drei Monaten (§ 573c BGB).",
        ),
        (
            "Stone is weak in tension, and that is why a stone beam cracks from below.",
            "Stone is weak in tension",
            "Stone is weak in tension",
        ),
    ],
)
def test_a_clause_is_shown_with_the_words_that_belong_to_it(text, phrase, shown):
    """They were left on parts of their own, such as "you may send it back within" and
    "(§ 573c BGB)."; what a comma parts from a clause still is a part of its own."""
    framed = framings.list_framings(prose(text, "", phrase))
    (clause,) = (each for each in framed if each.kind == CLAUSE)
    assert clause.text == shown
    others = [each for each in framed if each.kind == TYPE]
    assert not any(each.text.endswith((" and", " within", " contiene")) for each in others)


@pytest.mark.slow
@pytest.mark.parametrize("name", brief_sheet.BRIEFS)
def test_no_part_of_a_brief_is_a_fragment(name):
    for scene in from_brief.write_script(brief_sheet.read(name, look="scenes")).scenes:
        for framing in framings.list_framings(scene):
            said = [scene.words[word].strip(" .,;:!?…") for word in framing.words]
            assert (
                framing.kind != TYPE
                or sum(len(word) > 3 for word in said) > 1
                or len("".join(said)) > 8
            ), framing


def test_a_scene_that_shows_all_of_its_text_enters_it_word_by_word():
    scene = prose()
    assert {each.kind for each in framings.list_framings(scene)} == {TYPE}
    assert framings.find_words_in_type(scene) == frozenset(range(len(scene.words)))


def test_a_clause_has_a_capital_only_where_it_begins():
    """What stands before it had one, too: "By Ana and Li; it is called Quiet Weave"."""
    text = (
        "We borrowed the name of the merge algorithm from a paper by Ana Kovač and Li Wei; it is "
        "called Quiet Weave."
    )
    for phrase, expected in (("it is called Quiet Weave", False), ("We borrowed the name", True)):
        scene = prose(text, "", phrase)
        [clause] = [each for each in framings.list_framings(scene) if each.kind == CLAUSE]
        assert framings.begins_anew(scene, clause) is expected, clause.text
    own = prose("It is so. They say, nobody has to wait.", "", "nobody has to wait")
    [clause] = [each for each in framings.list_framings(own) if each.kind == CLAUSE]
    assert framings.begins_anew(own, clause)


def test_a_phrase_is_found_by_its_letters_and_only_as_whole_words():
    scene = prose("They said: “No diesel, ever!” Nobody diesels.")
    assert framings.find_words_that_say(scene, "no diesel ever") == range(2, 5)
    assert framings.find_words_that_say(scene, "diesel ever") == range(3, 5)
    assert (
        framings.find_words_that_say(scene, "body diesels")
        == range(0)
        == framings.find_words_that_say(scene, "")
        == framings.find_words_that_say(scene, "no die")
    )


def figures(text: str) -> list[str]:
    """Return the figures that are shown while ``text`` is said."""
    long = (
        f"Words of some length come first and go on for quite a while before it, and then {text}."
    )
    framed = framings.list_framings(prose(long, "Words", "Words"))
    return [each.text for each in framed if each.kind == FIGURE]


def test_a_figure_has_its_unit_and_is_no_year_and_no_single_digit():
    assert figures("it takes 90 seconds to be done") == ["90\u00a0seconds"]
    assert figures("71\u00a0% of it is done") == ["71\u00a0%"]
    assert figures("71 % of it is done") == ["71\u00a0%"]
    assert figures("in 2028 all of it is done") == []
    assert figures("3 lemons are to be cut") == []
    assert figures("2,300 animals in 14 rivers were seen") == ["2,300\u00a0animals"]
    assert figures("1,200 new members came") == ["1,200"]
    assert figures("£14.50/h\u00a0· 4 nights a week") == ["£14.50/h"]
    assert figures("nach § 543 Abs. 2 Nr. 12 kann") == []
    assert figures("at No. 120 in the street") == []
    assert figures("9h às 17h, na praça") == []
    assert figures("في 80 مقعدًا في القاعة") == ["80\u00a0مقعدًا"]
    assert figures("over 1.4 million people use it every year") == ["1.4\u00a0million"]
    assert figures("rund 3,4 Millionen Euro kostet es") == ["3,4\u00a0Millionen\u00a0Euro"]


def test_of_several_figures_the_one_that_weighs_most_is_shown():
    """The first one was, which stood beside a better one, or was what others are a share of."""
    assert figures("the first is £1,240, the one we trust is £1,580") == []
    assert figures("it takes 14 volunteers in 30 streets") == []
    assert figures("2,300 animals in 14 rivers were seen") == ["2,300\u00a0animals"]
    assert figures("640 loans cost us £80 in all") == ["£80"]
    assert figures("coffee is £1.80, a bed £34 and a ride £1.30") == []
    assert figures("it is one fault in 53 loans") == []
    assert figures("so it is: of 602 households, 71\u00a0% own one") == ["71\u00a0%"]


@pytest.mark.parametrize(("amount", "shown"), [("€300", []), ("300 kg", ["bus"])])
def test_no_price_is_shown_beside_the_picture_of_another_sentence(amount, shown):
    """A bus does not cost what a glass of wine does in the sentence after it."""
    phrase = "The bus leaves from the old station at the park"
    text = f"{phrase}. A box of wine for all the bars is {amount} or more in every year from now."
    scene = replace(prose(text, "", phrase, "bus"), pictured=(1,))
    (figure,) = (each for each in framings.list_framings(scene) if each.kind == FIGURE)
    assert framings.list_pictures_of(scene, figure) == shown


def test_a_share_beside_two_amounts_is_shown_if_it_compares_them():
    """Else each of the amounts is needed, and the share was shown although it weighs least."""
    assert figures("we have £18,400 of the £26,000 or 71\u00a0% by now") == ["71\u00a0%"]
    assert figures("it is 16\u00a0% less, £1.63 where £1.94 was before") == ["16\u00a0%"]
    assert figures("adults pay £12 and members £10 and 15\u00a0% is for the poor") == []
    assert figures("15\u00a0% is for the poor, adults pay £12 and members £10") == []
    assert figures("15\u00a0% is for the poor and adults pay £12") == ["15\u00a0%"]
    assert figures("it costs £12,000 or £90 a piece and 15\u00a0% is for the poor") == ["£12,000"]


def test_a_price_is_shown_with_what_it_is_for():
    assert figures("it costs £31 a week for all of it") == ["£31\u00a0a\u00a0week"]
    assert figures("es kostet 0,50\u00a0€ je m² für alle") == ["0,50\u00a0€\u00a0je\u00a0m²"]
    assert figures("it costs £3 a kg for all of it") == ["£3\u00a0a\u00a0kg"]
    assert figures("es kostet 12\u00a0€ pro Tag für alle") == ["12\u00a0€\u00a0pro\u00a0Tag"]


def test_one_end_of_a_range_is_no_figure():
    """ "10 am" of "10 am to 5 pm", and "20 h" of "8 a 20 h", say something else."""
    for text in (
        "open from 10 am to 5 pm on all days",
        "open 10\u00a0am\u00a0–\u00a05\u00a0pm on all days",
        "gratuito, de 8 a 20 h de lunes",
        "it fell from $2.31 to $1.94 this year",
    ):
        assert figures(text) == [], text


def test_a_small_number_without_what_it_counts_is_no_figure():
    """The day of a date, and the votes of a decision."""
    assert figures("يوم السبت 17 أكتوبر 2026 الساعة") == []
    assert figures("11 in favour, 2 against, 1 abstention") == []
    assert figures("if you book before 31 January, you get a cap") == []
    assert figures("am 24. Dezember und am 31 Dezember haben") == []
    assert figures("on March 12 boats came") == []


def test_a_number_in_a_box_is_no_figure():
    """It is where a point begins: it filled the frame while "Nobody looks" was said."""
    assert figures("3\ufe0f\u20e3 Nobody looks at your time.") == []


def test_a_heading_that_was_said_before_does_not_hide_what_is_said():
    """Its scene begins with its own words, or with its pictures."""
    said = prose("Actions The gate is mended.", "Actions", "Actions")
    later = prose("Next meeting: 3 March in the hut.", "Actions", "Actions")
    assert [each.kind for each in framings.list_framings(said)] == [HEADING]
    assert [(each.kind, each.text) for each in framings.list_framings(later)] == [
        (TYPE, "Next meeting: 3 March in the hut.")
    ]
    shown = replace(later, illustration="gear")
    assert [each.kind for each in framings.list_framings(shown)] == [PICTURES]
    reviewed = replace(later, key_phrase="Come to the hut")
    assert [each.text for each in framings.list_framings(reviewed)] == ["Come to the hut"]


def test_a_part_ends_at_a_comma_rather_than_before_a_preposition_and_not_within_a_date():
    def parts(text: str) -> list[str]:
        return [each.text for each in framings.list_framings(prose(text))]

    assert parts(
        "The barbel has come back to the middle course by itself, the salmon with help: "
        "since 2015, school classes have released young fish."
    )[0].endswith("by itself,")
    date = parts(
        "The road is closed to all traffic from Monday, 7 December, 10 pm, until Wednesday, "
        "9 December, 5 am, while the water main under the north pavement is replaced."
    )
    assert any("9 December, 5 am" in part for part in date)
    phone = parts(
        "Pida cita: 900\u00a0123\u00a0456 (gratuito, de 8 a 20 h) o escriba al centro de salud."
    )
    assert not any(part.count("(") > part.count(")") for part in phone)


@each_of(
    ("text", "together"),
    [
        (
            "Fragen beantwortet das Sekretariat montags bis freitags von 7.30 bis 12 Uhr unter "
            "0431 555 0188.",
            "montags bis freitags von 7.30 bis 12 Uhr",
        ),
        (
            "Before the two summers of the great drought between 1931 and 1958, the salt was "
            "carried down to the harbour on the backs of mules.",
            "1931 and 1958",
        ),
        (
            "Orgeln i Kvarnbyns kyrka byggdes 1787 av Olof Schwan och har inte låtit som den ska "
            "sedan taket började läcka över de största piporna.",
            "Olof Schwan",
        ),
        (
            "Sabato 14 marzo alle otto in punto apriamo le porte del nuovo Caffè Lanterna a tutti "
            "quanti, e il primo espresso lo offriamo noi.",
            "Caffè Lanterna",
        ),
        (
            "Den Abschnitt geben Sie bitte bis spätestens Donnerstag, den 12 Februar, "
            "unterschrieben in der Klasse Ihres Kindes wieder ab.",
            "Donnerstag, den 12 Februar",
        ),
    ],
)
def test_no_part_ends_within_a_name_a_range_or_a_date(text, together):
    parts = [each.text for each in framings.list_framings(prose(text, ""))]
    assert any(together in part for part in parts), parts


def test_no_part_ends_between_a_price_and_what_it_is_for():
    said = prose(
        "Die Modernisierungsmieterhöhung beträgt höchstens 0,50\u00a0€ je m² und beginnt am "
        "1. Oktober."
    )
    parts = [each.text for each in framings.list_framings(said)]
    assert any("0,50\u00a0€ je m²" in part for part in parts), parts


def test_small_words_that_are_many_are_no_fragment():
    """They were joined with the noun before their comma, which was torn from its adjective."""
    said = "They hang the shelf with a borrowed hammer, or they do not hang it at all."
    assert [each.text for each in framings.list_framings(prose(said))] == [
        "They hang the shelf with a borrowed hammer,",
        "or they do not hang it at all.",
    ]


def test_an_address_in_large_type_has_no_scheme():
    (framed,) = framings.list_framings(prose("https://jobs.example/lisbon/"))
    assert framed.text == "jobs.example/lisbon"


def test_no_part_ends_with_an_abbreviation_or_a_dash():
    parts = framings.list_framings(
        prose("Bei wiederholten Verstößen kann der Vermieter nach § 543 Abs. 2 Nr. 2 BGB kündigen.")
    )
    assert not any(each.text.endswith("Nr.") for each in parts)
    dated = framings.list_framings(
        prose("COPENHAGEN, 12 March 2026 – The harbour district today opened a floating library.")
    )
    assert not any(each.text.endswith("–") for each in dated)


def test_quotation_alert_and_explanation_of_a_figure_enter_as_they_are_said():
    words = ("The", "effect", "71\xa0%", "less", "CO₂", "a", "year")
    number = Scene(
        "number",
        "The effect",
        (),
        words,
        words,
        "",
        (1, 6),
        Visual("number", text="71\u00a0%", note="less CO₂ a year"),
    )
    assert framings.find_words_of_one_text(number) == range(3, 7) and framings.find_words_of_figure(
        number
    ) == range(2, 3)
    quote = Scene(
        "quote",
        "",
        (),
        words,
        words,
        "",
        (6,),
        Visual("quote", text="71\u00a0% less CO₂ a year", note="The effect"),
    )
    assert framings.find_words_of_one_text(quote) == range(2, 7) and framings.find_words_of_figure(
        quote
    ) == range(0)


def test_no_caption_repeats_what_enters_in_large_type_and_none_is_half_in_it():
    scene = prose(LONG, "Why it matters", "the library is open on Sundays", "books")
    script = Script("Test", "en", (scene,))
    in_type = [framings.find_words_in_type(scene)]
    cues = captions.split_cues(script, evenly(script), 42, 2, in_type=in_type)
    shown = {word for cue in cues for word in range(cue.first_word, cue.last_word + 1)}
    assert shown == set(range(len(scene.words))) - in_type[0] and in_type[0]
    whole = captions.split_cues(script, evenly(script), 42, 2)
    assert {word for cue in whole for word in range(cue.first_word, cue.last_word + 1)} == set(
        range(len(scene.words))
    )


def test_no_caption_stays_while_its_scene_is_framed_anew():
    """It held the end of what one framing shows and the beginning of the next: a figure had been
    said, and stood there still when the next sentence began."""
    scene = prose(
        "We mend what others throw away and we are proud of it. The workshop is in the mill "
        "street and repairs more than 4,000 bicycles a year, from racers to tricycles.",
        "",
        "We mend what others throw away and we are proud of it",
        "bicycle",
        "books",
    )
    script, cuts = Script("Test", "en", (scene,)), framings.find_words_at_cuts(scene)
    in_type = framings.find_words_without_captions(scene)

    def crossed(**more) -> set[int]:
        cues = captions.split_cues(script, evenly(script), 46, 2, in_type=[in_type], **more)
        return {cut for cut in cuts for cue in cues if cue.first_word < cut <= cue.last_word}

    assert crossed() == {19} and not crossed(cuts=[cuts])
    # a caption too short to be noticed is joined with the next one all the same
    hurried = prose("Go. The library is open on Sundays.", "", "open on Sundays")
    brief = captions.split_cues(
        Script("Test", "en", (hurried,)),
        evenly(Script("Test", "en", (hurried,))),
        46,
        2,
        cuts=[frozenset({1})],
    )
    assert len(brief) == 1


@pytest.mark.parametrize("language", ("en", "ar"))
def test_each_word_in_large_type_has_its_place(language):
    scene = prose(LONG, "Why it matters", "the library is open on Sundays", "books")
    script = Script("Test", language, (scene,))
    drawn = SceneRenderer(
        replace(brief_sheet.read("launch", look="scenes"), language=language), script, SHAPE
    )
    for stage, framing in enumerate(framings.list_framings(scene)):
        entering = drawn.list_entering_words(0, stage)
        assert {each.word for each in entering} == set(framing.words)


def test_a_scene_with_small_print_is_set_in_type_throughout():
    """Where one framing had captions and another none, the latter left their place bare below the
    small print, which stays where it is."""
    text = (
        "Costs The new boiler needs about 35\u00a0% less gas than the old one, which is 410 euros "
        "a year in a flat of four rooms. The rent goes up from the first of October."
    )
    for phrase, pictures in (("Costs", ()), ("The rent goes up", ("house", "fire"))):
        scene = replace(prose(text, "Costs", phrase, *pictures), small_print="See § 555c.")
        framed = framings.list_framings(scene)
        assert {each.kind for each in framed} <= {HEADING, CLAUSE, TYPE}, framed
        assert all(framings.is_without_captions(scene, each) for each in framed)
        assert not any(each.text.startswith("Costs ") for each in framed)
        assert [each.first for each in framed] == sorted({each.first for each in framed})
        other = replace(scene, small_print="")
        free = {framings.is_without_captions(other, each) for each in framings.list_framings(other)}
        assert free == {True, False}
