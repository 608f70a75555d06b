"""Before a number with letters, the abbreviation for "number" is said in full and ends nothing."""

from support.tables import each_of

from svc.media.text.tokens import tokenize_text

IN_FULL = [
    ("en", "company no. SC 448", "number SC"),
    ("en", "Company No. SC 448", "number SC"),
    ("en", "policy no. AB-12/3", "number AB"),
    ("en", "see fig. S-1", "figure S-1"),
    ("fr", "société n° SC 448", "numéro SC"),
    ("fr", "police n° AB-1234", "numéro AB"),
    ("fr", "l’art. R. 421-1", "l’article R quatre"),
    ("fr", "article L. 123-4", "article L cent"),
    ("fr", "les articles R. 421-1", "articles R quatre"),
    ("de", "Handelsregister Nr. HRB 1234", "Nummer HRB"),
    ("de", "die Vertragsnr. AB-12", "Vertragsnummer AB"),
    ("es", "registro nº B-123", "número B-123"),
    ("es", "expediente núm. EXP-12", "número EXP"),
    ("pt", "registo n.º B-123", "número B-123"),
    ("it", "registro n. B-123", "numero B-123"),
    ("it", "pratica num. RM-12", "numero RM"),
    ("nl", "polis nr. AB-12", "nummer AB"),
    ("nl", "KvK-nr. NL 123", "KvK-nr NL"),
    ("sv", "polis nr. AB-12", "nummer AB"),
    ("sv", "org.nr SE 12", "organisationsnummer SE"),
    ("da", "CVR-nr. DK 123", "CVR-nr DK"),
    ("nb", "sak nr. AB-12", "nummer AB"),
    ("fi", "sopimus nro AB-12", "numero AB"),
    ("pl", "sprawa nr. AB 12", "numer AB"),
    ("cs", "smlouva č. AB-12", "číslo AB"),
    ("cs", "č. j. MV-123", "číslo jednací MV"),
    ("sk", "zmluva č. AB 12", "číslo AB"),
    ("sl", "pogodba št. AB-12", "številka AB"),
    ("hr", "ugovor br. AB-12", "broj AB"),
    ("ro", "dosarul nr. AB-12", "numărul AB"),
    ("ca", "registre núm. B-123", "número B"),
    ("tr", "dosya no. AB-12", "numara AB"),
    ("el", "αριθ. ΑΒ 12", "αριθμός ΑΒ"),
    ("ru", "договор № АБ-12", "номер АБ"),
    ("uk", "договір № АБ 12", "номер АБ"),
    ("bg", "договор № АБ-12", "номер АБ"),
    ("mk", "договор № АБ 12", "број АБ"),
    ("lt", "sutartis Nr. LT 12", "numeris LT"),
    ("lv", "līgums Nr. AB-12", "numurs AB"),
    ("et", "leping nr. AB-12", "number AB"),
    ("id", "no. AB-12", "nomor AB"),
    ("ms", "no. AB-12", "nombor AB"),
]


@each_of(("language", "written", "said"), IN_FULL)
def test_the_word_for_number_is_said_in_full_before_letters(language, written, said):
    tokens = tokenize_text(written, language)
    assert [token.written for token in tokens if token.ends] == [tokens[-1].written]
    assert said.casefold() in " ".join(token.spoken for token in tokens).casefold()


@each_of(
    ("language", "written"),
    [
        ("en", "Is it free? No. B-52 is a plane."),
        ("es", "¿Es gratis? No. B-52 es un avión."),
        ("fr", "On lit le chapitre V. 12 personnes viennent."),
        ("en", "See room B. 12 people came."),
    ],
)
def test_an_answer_and_a_letter_at_the_end_still_end_their_sentence(language, written):
    tokens = tokenize_text(written, language)
    assert sum(token.ends for token in tokens) == written.count(". ") + written.count("? ") + 1
