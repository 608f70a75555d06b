"""What belongs together stays on one line wherever the line can hold it."""

from dataclasses import replace
from itertools import accumulate, pairwise

from media.test_captions import spoken
from support.tables import each_of

from svc.media.captions import captions
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import GLUE, Typeface
from svc.media.text import bonds

NARROW = 864  # pixels: the content of a portrait frame


@each_of(
    ("language", "text"),
    [
        ("de", "ab dem 30.~April beim Hausmeister"),
        ("de", "im Haus Lindenstraße~17 wird die Heizung erneuert"),
        ("de", "in der Hauptstr.~5a geliefert"),
        ("de", "Herr~Yıldız und Frau~Dr.~Brömmelkamp~&~Söhne"),
        ("de", "nach §~555d Abs.~2 BGB, S.~12"),
        ("de", "von 7~bis~15~Uhr, auf Seite~12, im Mai 2026"),
        ("de", "vom 4.~bis~8.~Mai kamen 340 Leute"),
        ("de", "im 1.~und 2.~Obergeschoss, 8–12~Uhr"),
        ("de", "Kapitel~3 kostet rund 2~Millionen~€"),
        ("en", "the night of 12~August, or August~12, by Dr.~Lin"),
        ("en", "Room~5, and on May~3rd; you may 3 times"),
        ("en", "Dublin has 42 people and Saturn is 1.3~billion~km away"),
        ("en", "from 9:00~to~17:30 at 6~p.m. sharp"),
        ("en", "A cake for £3 a kg, or 12 of them"),
        ("en", "In London 5 people met J.~R.~Silva"),
        ("en-GB", "the 1st~September, and 1~September"),
        ("es", "domingo 14~de~junio, a las 9:00"),
        ("es", "la Sra.~Lima paga 18.400~€ de los 26.000~€"),
        ("fr", "le 1er~septembre, chez Mme.~Dupont"),
        ("nl", "vóór 1~september in de Assendorperstraat~12 of om 9~uur"),
        ("pt", "no dia~7~de~setembro"),
        ("ru", "до 9~мая весит 5~кг"),
        ("hi", "रविवार 16~नवंबर सुबह 9~बजे"),
        ("ar", "يوم 16~نوفمبر"),
        ("hu", "november~24 reggel"),
        ("fi", "1.~toukokuuta"),
        ("tr", "29~Ekim günü"),
        ("vi", "ngày 5 tháng 9"),
        ("", "40~cm by J.~Winter, §~5"),
    ],
)
def test_what_belongs_together_is_known_in_every_language(language, text):
    assert bonds.bind(text.replace("~", " "), language) == text.replace("~", "\u00a0")


def tears(block) -> list[str]:
    """Return the words that belong to the first one of the next line."""
    words = tuple(word for line in block.lines for word in line)
    bound = bonds.find_bonds(words, block.face.language)
    ends = list(accumulate(len(line) for line in block.lines))[:-1]
    return [words[end - 1] for end in ends if bound[end - 1]]


@each_of(
    ("language", "text"),
    [
        ("de", "Elektrische Heizlüfter können Sie ab dem 30. April beim Hausmeister ausleihen."),
        ("de", "Vom 4. bis 8. Mai wird im Haus Lindenstraße 17 die Heizungsanlage erneuert"),
        ("de", "Die Modernisierungsmieterhöhung beginnt am 1. Oktober nach § 559 BGB"),
        ("de", "Herr Yıldız nimmt die Wohnungsübergabeprotokolle am 3. September entgegen"),
        (
            "es",
            "La recogida es el martes 14 de junio, de 17 a 19 h, en los salones de la Sra. Lima",
        ),
        ("en", "Saturn is 1.3 billion km away on the night of 12 August"),
        ("nl", "De fietsenmakersopleiding begint op 1 september in de Assendorperstraat 12"),
        ("en", "Harbour & Sons of 12 Baker Street"),
    ],
)
def test_no_line_of_any_width_or_size_tears_what_it_can_hold(language, text):
    """A day kept with its month meets a narrow column, and a word that is wider than it."""
    for width in range(360, 2 * NARROW, 72):
        for size in (60, 104, 150):
            for balanced, hyphenated in ((False, False), (True, False), (True, True)):
                face = Typeface(size, 800, 1.1, language=language)
                block = typesetting.fit_text(text, width, 2000, face, 40, balanced, hyphenated)
                torn = [word for word in tears(block) if can_hold(word, block, width)]
                assert torn == [], (width, size, block.lines)
                assert block.width <= width


def can_hold(word: str, block, width: int) -> bool:
    """Return whether a line holds ``word`` and all that belongs to it, before and after."""
    words = tuple(word for line in block.lines for word in line)
    bound = bonds.find_bonds(words, block.face.language)
    starts = [0, *(at for at in range(1, len(words)) if not bound[at - 1]), len(words)]
    groups = [words[first:stop] for first, stop in pairwise(starts)]
    return all(
        typesetting.measure_line(group, block.face) <= width for group in groups if word in group
    )


def test_a_group_wider_than_its_line_is_torn_where_it_must_be():
    """Neither smaller type nor an empty line comes of it."""
    face = Typeface(150, 800, 1.1, language="en")
    block = typesetting.fit_text("Harbour & Sons", 900, 750, face, 150, balanced=True)
    assert block.lines == (("Harbour",), ("&", "Sons"))


def test_a_long_word_is_in_two_even_parts_and_what_follows_stays_whole():
    face = Typeface(120, 800, 1.1, language="de")
    text = "Die Modernisierungsmieterhöhung beträgt höchstens 0,50 € je m²"
    block = typesetting.fit_display(text, NARROW, 900, face, 40, hyphenated=True)
    words = [word for line in block.lines for word in line]
    parts = [word for word in words if word.endswith("-") or word.startswith(GLUE)]
    assert parts == ["Modernisierungs-", f"{GLUE}mieterhöhung"]
    assert tears(block) == [] and block.face.size >= 0.6 * face.size


def test_captions_tear_no_bond():
    """Lines and cues end elsewhere, although a figure between two words costs them nothing."""
    text = (
        "Elektrische Heizlüfter können Sie ab dem 30. April im Haus Lindenstraße 17 bei "
        "Herrn Yıldız ausleihen und am 8. Mai von 7 bis 15 Uhr für 2 € abgeben."
    )
    words = text.split()
    bound = bonds.find_bonds(tuple(words), "de")
    script, timeline = spoken(words, (len(words) - 1,))
    script = replace(script, language="de")
    for length in (26, 32, 42):
        for lines in (1, 2):
            cues = captions.split_cues(script, timeline, line_length=length, lines=lines)
            ends = [line[-1] for cue in cues for line in cue.lines]
            assert [words[end] for end in ends if bound[end]] == [], (length, lines)
