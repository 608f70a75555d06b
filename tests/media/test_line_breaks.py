"""Lines of text: even, without a word torn off, and with addresses broken where they can
still be read.
"""

from dataclasses import replace

import pytest
from support.tables import each_of

from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import GLUE, Typeface
from svc.media.text import bonds, line_breaks, tokens
from svc.media.text.bonds import Bond

TITLE = Typeface(150, 800, 1.1)


def lines(block) -> list[str]:
    return [" ".join(line) for line in block.lines]


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("Our first year in five countries", 1200, ["Our first year", "in five countries"]),
        ("Figures as of 31 December 2025", 1400, ["Figures as of", "31 December 2025"]),
        ("Telephone, one hour", 1200, ["Telephone,", "one hour"]),
        ("Harbour & Sons", 900, ["Harbour &", "Sons"]),
        ("It carried 6.3 million people", 1400, ["It carried", "6.3 million people"]),
        ("Stand: 1. Oktober", 900, ["Stand:", "1. Oktober"]),
        ("Saturn is 1.3\u00a0billion km away", 1400, ["Saturn is", "1.3\u00a0billion km away"]),
        (
            "In favour: 15. Against: 2. Abstained: 1.",
            1200,
            ["In favour: 15.", "Against: 2.", "Abstained: 1."],
        ),
    ],
)
def test_lines_are_even_and_end_before_what_belongs_together(text, width, expected):
    assert lines(typesetting.fit_text(text, width, 750, TITLE, 150, balanced=True)) == expected


@pytest.mark.parametrize(
    ("text", "width"),
    [("Students and charities pay half", 900), ("Ten things to pack for a hut", 620)],
)
def test_no_short_word_of_a_title_is_alone_where_smaller_type_avoids_it(text, width):
    usual = typesetting.fit_text(text, width, 750, TITLE, 80, balanced=True)
    block = typesetting.fit_display(text, width, 750, TITLE, 80)
    assert len(block.lines) < len(usual.lines) and all(
        len(line) > 1 or len(line[0]) > 4 for line in block.lines
    )
    assert 0.7 * usual.face.size < block.face.size < usual.face.size
    assert block.width <= width and " ".join(lines(block)) == text


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("Figures as of 31 December 2025", 1200, ["Figures as of", "31 December 2025"]),
        ("Cities did not love the machine", 850, ["Cities did", "not love", "the machine"]),
    ],
)
def test_no_line_of_a_title_ends_after_a_figure_or_an_article_where_smaller_type_avoids_it(
    text, width, expected
):
    block = typesetting.fit_display(text, width, 750, TITLE, 60)
    assert lines(block) == expected and TITLE.size * 0.72 <= block.face.size < TITLE.size


def test_where_no_size_is_without_a_torn_line_the_least_torn_one_is_taken():
    """The largest was, in which "who" stood alone besides."""
    text = "Thank you to the 340 volunteers who pulled out 61 tonnes of rubbish,"
    block = typesetting.fit_display(text, 864, 1100, TITLE, 60)
    assert typesetting.is_torn(block) and "who pulled" in lines(block)


def test_a_title_without_such_a_word_keeps_its_size():
    text = "Sun and wind made more electricity than coal"
    assert typesetting.fit_display(text, 900, 750, TITLE, 80) == typesetting.fit_text(
        text, 900, 750, TITLE, 80, balanced=True
    )


def test_scripts_without_spaces_and_words_wider_than_a_line_lose_nothing():
    for text in (
        "日本語のテキスト、東京タワー",
        "Donaudampfschifffahrtsgesellschaft am Kai",
        "",
        "a",
    ):
        block = typesetting.fit_display(text, 500, 750, TITLE, 60)
        written = "".join(word.removeprefix(GLUE) for line in block.lines for word in line).replace(
            "-", ""
        )
        assert written == text.replace(" ", "") and block.width <= 500


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("https://kettle.example/one", ("https://", "kettle", ".example/", "one")),
        ("hello@kestrel.example", ("hello@", "kestrel", ".example")),
        ("www.example.com", ("www", ".example", ".com")),
        (
            "a.example/list?id=4&lang=en#top",
            ("a", ".example/", "list", "?id=4", "&lang=en", "#top"),
        ),
        ("17時まで）です。", ("17", "時", "ま", "で）", "です。")),
        ("開きました", ("開", "き", "ました")),
        ("https://example.com/", ("https://", "example", ".com/")),
    ],
)
def test_addresses_break_after_slashes_and_before_points(address, parts):
    assert line_breaks.split_at_breaks(address, "en", syllables=True) == parts


def test_initials_abbreviations_and_days_stay_with_what_follows_them():
    """As in the cells of a table, where a column is often one word wide."""
    for text, bound in (
        ("M. Oduya", "M.~Oduya"),
        ("Order it (B. Winter)", "Order it (B.~Winter)"),
        ("§ 558 Abs. 1 BGB", "§~558 Abs.~1 BGB"),
        ("am 1. Oktober", "am 1.~Oktober"),
        ("No. 4 of it.", "No.~4 of it."),
        ("It is done. Then 2 more", "It is done. Then 2 more"),
        ("In favour: 15. Against: 2.", "In favour:~15. Against:~2."),
        ("Next: 7 April", "Next: 7 April"),
        ("Saturn through the 40 cm telescope", "Saturn through the 40~cm telescope"),
        ("up to 1.3~billion km, or 12 h", "up to 1.3~billion~km, or 12~h"),
        ("from 12 € (or £3 a kg)", "from 12~€ (or £3 a kg)"),
    ):
        assert bonds.bind(text.replace("~", "\u00a0")) == bound.replace("~", "\u00a0")


def test_a_dash_ends_a_line_and_begins_none():
    text, begun = "Hoja parroquial de la parroquia — domingo 14 de junio", []
    for width in range(1300, 2200, 100):
        block = typesetting.fit_text(text, width, 900, TITLE, 150, balanced=True)
        begun += [width for line in block.lines[1:] if line[0] == "—"]
    assert begun == []


@each_of(
    ("language", "text", "size", "width", "expected"),
    [
        (
            "de",
            "Sommerkonzert im Park – St. Pauli, Hamburg",
            110,
            1275,
            ["Sommerkonzert im Park –", "St. Pauli, Hamburg"],
        ),
        (
            "nl",
            "Trein Amsterdam – Den Haag elke dag",
            150,
            1275,
            ["Trein Amsterdam –", "Den Haag elke dag"],
        ),
        (
            "de",
            "Leitung des Museums – Anna Maria Berg",
            110,
            1175,
            ["Leitung des Museums –", "Anna Maria Berg"],
        ),
        ("de", "Offen im Sommer 9 – 17 Uhr", 150, 900, ["Offen im Sommer", "9 – 17 Uhr"]),
    ],
)
def test_a_dash_and_a_name_after_it_each_stay_where_they_belong(
    language, text, size, width, expected
):
    """In somewhat smaller type, or on one line more."""
    face = Typeface(size, 800, 1.1, language=language)
    assert lines(typesetting.fit_display(text, width, 900, face, 40)) == expected


def test_a_line_begins_with_a_dash_rather_than_within_a_name_after_it():
    words = ["Abendkonzert", "–", "Dr.", "Lin"]
    assert line_breaks.count_torn_lines((words[:1], words[1:]), "de") == 1
    widths, gaps = [len(word) for word in words], [0] + [1] * (len(words) - 1)
    lines = line_breaks.balance_lines(words, widths, gaps, 13, 2, "de")
    assert lines[1] == ("–", "Dr.", "Lin")


@each_of(
    ("language", "text"),
    [
        ("es", "El gato | de la biblioteca"),
        ("fr", "Les chats | de la bibliothèque"),
        ("it", "La festa | della biblioteca"),
        ("pt", "Os gatos | da biblioteca"),
        ("ca", "El gat | de les veïnes"),
        ("nl", "De kat van | de buren komt"),
        ("cs", "Kočka | v knihovně spí"),
        ("es", "El gato | de 1848 llegó"),  # beside a figure, which its preposition stays with
        ("pt", "Os gatos, | os da biblioteca"),  # beside the end of a clause
        ("en", "The end, | of which nobody"),
    ],
)
def test_a_line_ends_rather_before_an_article_or_of(language, text):
    first, last = text.split(" | ")
    words = [*first.split(), *last.split()]
    widths, gaps = [len(word) for word in words], [0] + [1] * (len(words) - 1)
    found = line_breaks.balance_lines(words, widths, gaps, 20, 2, language)
    assert [" ".join(line) for line in found] == [first, last]


@each_of(
    ("language", "text", "width"),
    [
        ("es", "El gato de la biblioteca no se muda.", 864),
        ("fr", "Les clés de la salle de la mairie sont au bureau", 864),
        ("it", "La visita della torre con la guida", 620),
        ("pt", "A festa da escola e dos pais", 620),
    ],
)
def test_no_line_in_large_type_ends_with_an_article_where_smaller_type_avoids_it(
    language, text, width
):
    face = replace(TITLE, size=150, language=language)
    block = typesetting.fit_display(text, width, 900, face, 60)
    ends = [line[-1] for line in block.lines[:-1]]
    assert not any(line_breaks.leads_to_next(word, language) for word in ends), block.lines
    assert block.face.size >= 0.72 * face.size


@each_of(
    ("text", "width", "expected"),
    [
        ("Harbour & Sons", 579, ["Harbour & Sons"]),
        ("Brömmelkamp & Söhne", 640, ["Brömmelkamp &", "Söhne"]),
        ("Huber + Partner", 700, ["Huber + Partner"]),
    ],
)
def test_no_line_begins_with_the_sign_of_a_firm_where_smaller_type_avoids_it(text, width, expected):
    """As at the end of a film, beside the code to scan."""
    face = replace(TITLE, size=124)
    block = typesetting.fit_display(text, width, 412, face, 68)
    assert lines(block) == expected and block.face.size >= 0.6 * face.size


@each_of(
    ("text", "lines"),
    [
        ("About Norhaven Ferries", ("About", "Norhaven Ferries")),
        (
            "Kopfläuse sind kein Zeichen mangelnder Sauberkeit.",
            ("Kopfläuse sind", "kein Zeichen", "mangelnder", "Sauberkeit."),
        ),
        # each of these words is as wide as the frame, or nearly
        ("Ein Attest brauchen wir nur,", ("Ein Attest", "brauchen", "wir nur,")),
    ],
)
def test_large_type_is_no_stack_of_single_words_where_smaller_type_has_fewer_lines(text, lines):
    names = frozenset((("Norhaven", "Ferries"),))
    face = Typeface(150, 700, 1.1, family="Rubik", language="en", names=names)
    block = typesetting.fit_display(text, 820, 900, face, 60)
    assert tuple(map(" ".join, block.lines)) == lines


@pytest.mark.parametrize("width", (760, 820, 864, 900, 972))
def test_no_line_of_slavic_type_ends_with_a_word_of_one_letter_that_smaller_type_keeps(width):
    face = Typeface(114, 700, 1.1, family="Rubik", language="pl")
    text = "wyłącznie w autoryzowanych serwisach wymienionych na końcu tej karty."
    lines = typesetting.fit_display(text, width, 900, face, 60).lines
    assert not any(line[-1] == "w" for line in lines), lines


def test_no_line_of_large_type_is_a_tiny_word_where_smaller_type_avoids_it():
    """The size of fewest torn lines had "en" alone: in 6 minuten / en / 12 seconden."""
    face = Typeface(156, 700, 1.1, family="Rubik", language="nl")
    block = typesetting.fit_display("in 6 minuten en 12 seconden,", 804, 1128, face, 42)
    assert len(block.lines) == 2 and block.face.size > 0.6 * face.size


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Tidemark 4.2 is out", ["Tidemark 4.2", "is out"]),
        (
            "en",
            "We shipped Tidemark 4.2.0 this morning",
            ["We shipped", "Tidemark 4.2.0", "this morning"],
        ),
        ("sv", "Kvarnen byggdes 1787 av mjölnaren", ["Kvarnen", "byggdes 1787", "av mjölnaren"]),
        ("de", "Zwischen 10 und 13 Uhr", ["Zwischen 10", "und 13 Uhr"]),
        ("pl", "Seans 27 lutego 2026 w piątek", ["Seans", "27 lutego 2026", "w piątek"]),
        ("fr", "Formule 17,50 € / les trois 21 €", ["Formule 17,50 € /", "les trois 21 €"]),
        ("en", "No. 17 – Table saw", ["No. 17 –", "Table saw"]),
        ("it", "Lunga sei metri sotto", ["Lunga", "sei metri sotto"]),
        ("en", "She brought three quotes for us", ["She brought", "three quotes", "for us"]),
    ],
)
def test_a_version_a_year_and_a_dash_end_a_line(language, text, expected):
    face = replace(TITLE, language=language)
    assert lines(typesetting.fit_display(text, 1250, 750, face, 150)) == expected


def test_an_address_of_mail_is_broken_in_smaller_type_and_after_its_sign_alone():
    """It was three lines: "obras@ / cm-alcobaca / .example"."""
    text = "Informações: 262 555 300, obras@cm-alcobaca.example"
    for width in (850, 1000, 1200):
        block = typesetting.fit_text(text, width, 900, TITLE, 40)
        shown = [line.replace(GLUE, "") for line in lines(block)]
        assert any(
            "@cm-alcobaca.example" in line or "cm-alcobaca.example" in line for line in shown
        )


def test_a_figure_stays_with_its_counter_in_a_script_without_spaces():
    pieces = ("答案是", f"{GLUE}16289", f"{GLUE}元，", f"{GLUE}而不是")
    assert [int(bond) for bond in bonds.find_bonds(pieces, "zh")] == [
        Bond.NONE,
        Bond.TIGHT,
        Bond.NONE,
        Bond.NONE,
    ]


@each_of(
    ("language", "text"),
    [
        ("fr", "Pas de CB | en dessous de 10 €."),
        ("en", "The key is kept | behind the bar all evening"),
        ("de", "Der Eingang liegt | gegenüber dem alten Bahnhof"),
        ("pl", "Kino gra w starej sali | przy rynku miasta"),
        ("nl", "Een geldig bewijs | (paspoort, ID-kaart of rijbewijs)"),
    ],
)
def test_a_line_ends_rather_before_a_preposition_and_brackets(language, text):
    words = text.replace(" |", "").split()
    widths, gaps = [len(word) for word in words], [0] + [1] * (len(words) - 1)
    lines_ = line_breaks.balance_lines(words, widths, gaps, 60, 2, language)
    assert " | ".join(map(" ".join, lines_)) == text


@each_of(
    ("language", "text"),
    [
        ("en", "Why our bakery | switched to | heat pumps"),
        ("de", "Unsere Bäckerei | heizt mit | Ofenwärme"),
        ("es", "Nuestro horno | cambió a la | energía solar"),
    ],
)
def test_no_line_between_others_has_one_narrow_word(language, text):
    """An end before a preposition cost so much less that "switched" stood alone."""
    words = text.replace(" |", "").split()
    widths, gaps = [len(word) for word in words], [0] + [1] * (len(words) - 1)
    longest = max(map(len, text.split(" | ")))
    lines_ = line_breaks.balance_lines(words, widths, gaps, longest, 3, language)
    assert " | ".join(map(" ".join, lines_)) == text


@each_of(
    ("language", "text", "whole"),
    [
        ("it", "dentro ci sono molti alberi alti", "ci sono"),
        ("fr", "dehors il y a toujours des cygnes blancs", "il y a"),
        ("fr", "ce matin on ferme toutes les portes", "on ferme"),
        ("es", "mañana se abre la nueva puerta", "se abre"),
        ("pt", "amanhã só se abrem os portões novos", "se abrem"),
        ("ca", "ara mateix hi ha tretze graus justos", "hi ha"),
        ("ro", "afară se vede bine tot muntele", "se vede"),
    ],
)
def test_an_unstressed_word_before_a_verb_is_on_its_line(language, text, whole):
    words = text.split()
    gaps = [0.0, *[1.0] * (len(words) - 1)]
    lines = line_breaks.balance_lines(words, [*map(len, words)], gaps, 20, 3, language)
    assert any(whole in " ".join(line) for line in lines), lines


@each_of(
    ("word", "parts"),
    [
        ("Hochwasserwarnung", "Hochwasser warnung"),
        ("Datenverarbeitung", "Daten verarbeitung"),
        ("Krankenversicherungsbeitrag", "Kranken versicherungs beitrag"),
        ("Mitgliederversammlung", "Mitglieder versammlung"),
        ("Weiterverarbeitung", "Weiter verarbeitung"),
        ("Normenkontrollantrag", "Normen kontroll antrag"),
        ("Heizkostenabrechnung", "Heizkosten abrechnung"),
        ("Wohnungsübergabeprotokoll", "Wohnungs übergabe protokoll"),
        ("Gleichstellungsbeauftragte", "Gleichstellungs beauftragte"),
        ("Versicherungsvertrag", "Versicherungs vertrag"),
        ("Beantragung", "Beantragung"),
        ("Straßenverkehrsordnung", "Straßen verkehrs ordnung"),
    ],
)
def test_a_german_compound_has_the_joints_that_are_known(word, parts):
    assert line_breaks.split_at_joints(word, "de") == tuple(parts.split())
    syllables = line_breaks.split_at_breaks(word, "de", True)
    assert min(map(len, syllables)) > 1


@each_of(
    ("language", "word", "parts"),
    [
        ("nl", "zorgverzekering", "zorgverzekering"),
        ("nl", "omgevingsvergunning", "omgevings vergunning"),
        ("sv", "bostadsrättsförening", "bostadsrätts förening"),
        ("da", "ejendomsforsikring", "ejendoms forsikring"),
        ("nb", "byggesøknad", "bygge søknad"),
        ("en", "understatement", "understatement"),
    ],
)
def test_compounds_of_other_languages_have_joints_too(language, word, parts):
    """None where a part would have less than five letters."""
    assert line_breaks.split_at_joints(word, language) == tuple(parts.split())


def test_a_long_compound_is_broken_at_a_joint_if_its_parts_fit():
    """ "Normenkon- / trollantrag" stood on two lines."""
    face = Typeface(120, 800, 1.1, language="de")
    text = "Der Normenkontrollantrag kommt"
    block = typesetting.fit_display(text, 864, 900, face, 40, hyphenated=True)
    assert [line.replace(GLUE, "") for line in lines(block)] == [
        "Der Normenkontroll-",
        "antrag kommt",
    ]


@each_of(
    ("language", "word", "parts"),
    [
        ("uk", "неможливо", ("немо", "ж", "ливо")),
        ("ro", "videoclip", ("vide", "o", "clip")),
        ("cs", "milionech", ("mili", "o", "nech")),
        ("bg", "участници", ("учас", "т", "ници")),
        ("de", "Grundstücks", ("Grundstücks",)),
    ],
)
def test_only_compounds_are_not_parted_beside_a_single_letter(language, word, parts):
    assert line_breaks.split_at_breaks(word, language, syllables=True) == parts


@each_of(
    ("language", "text"),
    [
        ("en", "7 pm | at the Blue | Anchor"),
        ("de", "Treffen | um 19 Uhr | in der alten Mühle"),
        ("fr", "19 h 30 | à la salle | des fêtes"),
        ("es", "A las 7 | en el bar | de la plaza"),
    ],
)
def test_no_line_ends_with_a_preposition_behind_a_time_if_another_costs_little(language, text):
    words = [token.written for token in tokens.tokenize_text(text.replace(" |", ""), language)]
    widths, gaps = [len(word) for word in words], [0] + [1] * (len(words) - 1)
    lines = line_breaks.balance_lines(words, widths, gaps, 20, 3, language)
    shown = " | ".join(map(" ".join, lines)).replace("\u00a0", " ")
    assert shown == text
