"""Of a long sentence whose clauses are too long to be shown, a beginning is that says what the
sentence says."""

from support.tables import each_of

from svc.media.text.grammar.clauses import find_cores

SENTENCES = [
    (
        "en",
        "The county council has approved a ten-year plan to repair more than four hundred bridges"
        "| on minor roads, which engineers had described in a report published last autumn as"
        " being in a worse condition than at any time since records began.",
    ),
    (
        "de",
        "Die Werft in Norden baut die neue Fähre für die Inseln,| die im Sommer 2028 zum ersten"
        " Mal fahren soll und mit ihren Batterien fast zwei Stunden lang ohne Diesel auskommt.",
    ),
    (
        "fr",
        "Le conseil municipal a voté jeudi soir la construction d'une nouvelle école| dans le"
        " quartier de la gare, où le nombre d'enfants a presque doublé en dix ans.",
    ),
    (
        "es",
        "El ayuntamiento ha aprobado un plan para plantar doce mil árboles en las calles del"
        " centro| antes de 2030, con el que espera bajar hasta dos grados la temperatura.",
    ),
]
NONE = [  # what would say something else without the rest, or is no whole clause
    ("en", "If the tenant has not paid the rent within fourteen days of the date on which it fell"),
    ("en", "Scientists said on Tuesday that they had found no evidence of otters in the river"),
    ("en", "The firm will pay back the whole price of all tickets in May if no ship sails then"),
    ("en", "The old mill used to grind corn for six villages until the river was moved in 1911"),
    ("en", "The council has never approved a plan for the old bridges in the north, although two"),
    ("de", "Der Stadtrat hat nach einer langen Sitzung beschlossen, die Brücke nicht zu sperren"),
    (
        "fr",
        "Le maire a promis lundi soir à tous les habitants du quartier dans une lettre que rien",
    ),
    ("es", "El dueño ha dicho a los vecinos de la plaza en una carta que no venderá la casa"),
]


@each_of(("language", "sentence"), SENTENCES)
def test_a_long_sentence_has_a_beginning_that_stands_for_it(language, sentence):
    written = sentence.replace("|", "").split()
    first, end = next(iter(find_cores(written, language, 96)))
    assert " ".join(written[first : end + 1]) == sentence.partition("|")[0]


@each_of(("language", "sentence"), NONE)
def test_no_beginning_leaves_out_a_not_a_condition_or_what_is_said(language, sentence):
    written = f"{sentence} and so forth.".split()
    for first, end in find_cores(written, language, 96):
        kept = " ".join(written[first : end + 1])
        assert "never approved" in kept, kept
