"""Where a sentence is parted that is too long to be shown at once."""

from support.tables import each_of

from svc.media.text.grammar.phrase_ends import cost_of_end

FREE = 1.0  # what an end costs at most that tears nothing


@each_of(
    ("text", "may_end"),
    [
        ("los alumnos de 3º | y 4º de Primaria", False),
        ("open from 9 | and 17 hours", False),
        ("it leaves from platform 9 | and 30 people wait", True),
        ("Avisam-se os senhores que, | devido às obras,", False),
        ("It is closed, | as it rains", True),
        ("请 \u2060联系 \u2060王老师： \u2060138 | 0000 1234", False),
        ("call us on 138, | 40 people wait", True),
        ("seans jest 27 lutego | 2026 o godz. 19:00", False),
        ("on March 17, | 2026 we meet", False),
        ("w piątek 27 lutego 2026 | o godz. 19:00", True),
        ("Ihre Rechte gegenüber | dem Verkäufer", False),
        ("de winkel tegenover | het station", False),
        ("the warmth that the ovens give | off and use it", False),
        ("the warmth that the ovens give off | and use it", True),
        ("turn all the lights | off, then lock", False),
        ("Wir schalten das Licht | aus.", False),
        ("Alle rufen heute | an und fragen nach", False),
        ("vi sætter maskinen | i og går", False),
        ("coffee at any hour | with or without sugar", True),
        ("café à toute heure | avec ou sans sucre", True),
        ("the shops | in and around the city", True),
        ("the shops in | and around the city", False),
        ("kino w sali przy | ul. Lipowej 9.", False),
        ("в зале между | двумя домами", False),
        ("offen von 8:00 | bis ca. 14:00 Uhr", False),
        ("open from 8:00 | to about 14:00 today", False),
        ("abierto de 9 | a unas 14 horas", False),
        ("de presentar sin requerimiento | previo es de 1 euro", False),
        ("toplantı saat ondan | sonra başlar", False),
        ("Formule à 17,50 € | / les trois 21 €", False),
        ("Formule à 17,50 € / | les trois 21 €", True),
        ("een bewijs (paspoort, | ID-kaart of rijbewijs) en code", False),
        ("een bewijs (paspoort, ID-kaart of rijbewijs) | + de code", True),
        ("vient de nous | (on a changé la vis du pied), puis", True),
        ("窓口は \u20600120 | \u2060（平日9 \u2060時、 \u2060土日は \u206017時まで）です。", True),
        ("営業時間は（平日9時〜18時、 | 土日は17時まで）です。", False),
    ],
)
def test_no_part_ends_within_a_range_or_after_a_word_that_leads_on(text, may_end):
    before, _, after = text.partition(" | ")
    written, word = (*before.split(), *after.split()), len(before.split()) - 1
    assert (cost_of_end(written, (), word) < FREE) is may_end


def test_a_short_list_in_brackets_costs_more_to_tear_than_the_words_before_it():
    words = [
        "窓口は",
        "\u20600120",
        "\u2060（平日9",
        "\u2060時、",
        "\u2060土日は",
        "\u206017時まで）です。",
    ]
    torn = cost_of_end(words, (), 3)
    assert torn > 1.5 * cost_of_end(words, (), 1)
