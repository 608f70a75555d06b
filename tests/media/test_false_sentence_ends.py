"""A full stop after an abbreviation ends no sentence, in any script;
what is no longer so is no key phrase.
"""

import pytest
from support.sampling import sampled
from support.tables import each_of

from svc.media.script.from_brief import write_script
from svc.media.text.grammar.negations import is_of_the_past
from svc.media.text.tokens import tokenize_text

INSIDE = [  # one sentence each
    ("en", "Sr. García met Sr. Director Lee"),
    ("en", "we saw Sr. García on Av. Corrientes"),
    ("en", "at 5 p.m. Monday we meet"),
    ("en", "from 9 a.m. Tuesday to 5 p.m. June 3"),
    ("en", "Jones, Sr. Director of sales"),
    ("en", "Sra. López and Dra. Ruiz came"),
    ("en", "we thank Jos. Harker and Wm. Lee"),
    ("en", "Quay Ltd, company no. SC 448 210 and VAT no. GB123"),
    ("de", "des Plans Nr. 117 „Am Hafen“, 2. Änderung in Bonn"),
    ("de", "Bebauungsplan Nr. 12, 2. Änderung und Ergänzung"),
    ("de", "von Joh. Gg. Reuter und Friedr. Wilh. Beck"),
    ("fr", "dessiné par Théod. Marchand et Guill. Roux"),
    ("es", "lo levantó Fco. Ruiz con Ant. Sanz"),
    ("it", "costruito da Giov. Batt. Serra"),
    ("pt", "o mestre Joaq. Leal com Ant. Reis"),
    ("et", "Jos. Harker ja Wm. Lee"),
    ("de", "Lic. Ana wohnt in der Av. Paulista"),
    ("fr", "le Pr. Noir et l'Ing. Blanc, av. Foch"),
    ("fr", "le Dr. Roux, av. Foch 5"),
    ("es", "la Srta. Ana y el Lic. Paz, de la Av. Sol"),
    ("it", "viene l'Avv. Neri con dell'Ing. Sala"),
    ("pt", "a Sra. Dra. Lima na Av. Paulista"),
    ("pl", "prof. Nowak i inż. Wójcik, ul. Długa 5"),
    ("pl", "zapisy u p. Marka Nowaka"),
    ("nl", "Dhr. Jansen en Mevr. Vries"),
    ("ar", "قال د. أحمد إن أ. سارة ستأتي"),
    ("ar", "يعمل م. خالد مع أ.د. محمود"),
    ("ar", "العنوان ص. ب. 123 الرياض"),
    ("fa", "ما با د. احمدی حرف زدیم"),
    ("ur", "ڈا. احمد اور م. خان آئے"),
    ("hi", "डॉ. शर्मा और प्रो. गुप्ता आए"),
    ("hi", "ए. पी. जे. अब्दुल कलाम से श्री. वर्मा मिले"),
    ("hi", "कु. रीता और पं. राव आए"),
    ("he", "פגשנו את גב. לוי ואת ב. כהן"),
    ("ko", "오늘 Dr. Kim 님이 왔다"),
    ("th", "วันนี้ Dr. Kim มา"),
]


@each_of("language, text", INSIDE)
@each_of("form", ["{}", "({})", "“{}”", "{} – {}", "{}."])
def test_an_abbreviation_ends_no_sentence(language, text, form):
    said = tokenize_text(form.format(text, text), language)
    assert [token.written for token in said[:-1] if token.ends] == []
    assert said[-1].ends


def test_a_given_name_in_short_ends_a_sentence_before_the_next_one():
    said = tokenize_text("The house was built by Wm. The garden is older.", "en")
    assert [token.written for token in said if token.ends] == ["Wm.", "older."]
    assert [token.spoken for token in tokenize_text("Wm. Lee", "en")] == ["Wm", "Lee."]


@each_of(
    ("language", "text", "end"),
    [
        ("en", "We said no. SC Freiburg won.", "no."),
        ("de", "Es gilt Absatz 1, 2. Das steht fest.", "2."),
    ],
)
def test_a_number_that_names_nothing_after_it_ends_a_sentence(language, text, end):
    assert next(token.written for token in tokenize_text(text, language) if token.ends) == end


@pytest.mark.parametrize(
    "notes",
    sampled(
        ["{}.", "# {}", "- {}\n- Two", "> {}", "**{}**", "| A | B |\n|---|---|\n| x | {} |"], 3
    ),
)
@pytest.mark.parametrize(
    "language, text",
    [("es", "El Sr. García llega"), ("ar", "قال د. أحمد نعم"), ("hi", "डॉ. शर्मा आए")],
)
def test_so_it_is_wherever_it_stands(make_brief, notes, language, text):
    script = write_script(make_brief(metadata_md=notes.format(text), language=language))
    ends = [scene.words[index] for scene in script.scenes for index in scene.sentence_ends]
    assert not {"Sr.", "د.", "डॉ."} & set(ends)


@pytest.mark.parametrize(
    "language, text, ends",
    [
        ("en", "It closes at 5 p.m. We go home.", ["p.m.", "home."]),
        ("en", "We saw Davis Sr. The show was good.", ["Sr.", "good."]),
        ("en", "He is Sammy Davis Sr. Tickets cost little.", ["Sr.", "little."]),
        ("cs", "Je to v SR. Další je jinde.", ["SR.", "jinde."]),
        ("ar", "هذه الخطة ب. ثم نبدأ.", ["ب.", "نبدأ."]),
        ("ar", "حدث ذلك عام 2020 م. ثم انتهى.", ["م.", "انتهى."]),
        ("hi", "वह यहाँ है. फिर वह गया.", ["है.", "गया."]),
        ("hi", "वह आई. फिर गई.", ["आई.", "गई."]),
        ("sv", "Det är han van vid av. Nu går vi.", ["av.", "vi."]),
        ("en", "It took 2 hr. Then it was over.", ["hr.", "over."]),
    ],
)
def test_what_ends_a_sentence_still_does(language, text, ends):
    found = [
        token.written.split("\u00a0")[-1] for token in tokenize_text(text, language) if token.ends
    ]
    assert found == ends


@pytest.mark.parametrize(
    "language, text, said",
    [
        ("hi", "डॉ. शर्मा", "डॉक्टर शर्मा."),
        ("hi", "500 रु. दें", "500 रुपये दें."),
        ("ar", "قال د. أحمد", "قال دكتور أحمد."),
        ("fr", "av. Foch", "Avenue Foch."),
        ("it", "l'Avv. Neri", "L'avvocato Neri."),
        ("es", "Sr. García", "Señor García."),
    ],
)
def test_an_abbreviation_is_said_in_full_or_without_its_dot(language, text, said):
    spoken = " ".join(token.spoken for token in tokenize_text(text, language))
    assert spoken.replace("पाँच सौ", "500") == said


PAST = [
    ("en", "We used to charge 5 euros; now it is free."),
    ("en", "You used to pay 5 euros a day, and now you pay nothing at all."),
    ("en", "Formerly 5 euros a month, it is free for all today."),
    ("en", "It was previously 5 euros a month for everybody here."),
    ("de", "Früher kostete der Eintritt 5 Euro; heute ist er frei für alle Besucher."),
    ("de", "Der Eintritt kostete bisher 5 Euro und ist ab heute für alle Besucher frei."),
    ("fr", "Autrefois l'entrée coûtait 5 euros ; aujourd'hui elle est gratuite."),
    ("es", "Antes la entrada costaba 5 euros; hoy entra gratis todo el mundo."),
    ("it", "Precedentemente il biglietto costava 5 euro; oggi è gratuito per tutti."),
    ("pt", "Antigamente a entrada custava 5 euros; hoje é gratuita para todos."),
    ("nl", "Vroeger kostte de toegang 5 euro; nu is hij gratis voor iedereen."),
    ("pl", "Dawniej wstęp kosztował 5 euro; teraz jest bezpłatny dla wszystkich."),
    ("ru", "Раньше вход стоил 5 евро; теперь он бесплатный для всех."),
    ("tr", "Eskiden giriş 5 euro idi; şimdi herkes için ücretsiz oluyor."),
    ("ar", "سابقا كان الدخول 5 يورو؛ واليوم هو مجاني للجميع دائما."),
    ("hi", "पहले प्रवेश 5 यूरो था; अब यह सबके लिए मुफ़्त है।"),
]


@pytest.mark.parametrize("language, text", sampled(PAST, 6))
def test_what_was_so_once_is_no_key_phrase_alone(make_brief, language, text):
    script = write_script(make_brief(metadata_md=text, language=language))
    [phrase] = [scene.key_phrase for scene in script.scenes[1:-1]]
    assert phrase.replace("\u00a0", " ") in ("", text.rstrip(".।"))


@pytest.mark.parametrize(
    "text",
    ["Coffee is used to make cakes", "It was used to carry coal", "She got used to the rain"],
)
def test_what_is_used_to_do_something_is_of_today(text):
    assert not is_of_the_past(text.split(), "en")


@pytest.mark.parametrize(
    "notes, phrase",
    [
        ("Open **9 a.m. to 5 p.m.** every day.", "9\u00a0a.m. to 5\u00a0p.m."),
        ("**e.g. tea** is fine for all of us.", "e.g. tea"),
        ("We meet *Sr. García* at noon in town.", "Sr. García"),
        ("Ask **Dr. Ruiz, M.D.**, about it today.", "Dr. Ruiz, M.D."),
        ("Write to **Smith & Sons Ltd.** before Friday.", "Smith & Sons Ltd."),
        ("It opens **at 5 p.m.**", "at 5\u00a0p.m."),
        (
            "We visit **St. Mary's, the U.S. Army hospital** today.",
            "St. Mary's, the U.S. Army hospital",
        ),
        (
            "Nobody here ever told us **the whole truth.** So it goes on.",
            "Nobody here ever told us the whole truth",
        ),
    ],
)
def test_emphasis_is_shown_with_the_abbreviations_and_commas_in_it(make_brief, notes, phrase):
    script = write_script(make_brief(metadata_md=notes))
    assert script.scenes[1].key_phrase == phrase


def test_emphasis_still_keeps_the_not_of_its_sentence(make_brief):
    script = write_script(make_brief(metadata_md="It is not **Dr. Smith, M.D.**, who pays."))
    assert "not" in script.scenes[1].key_phrase or not script.scenes[1].key_phrase
