"""Written words and how they are spoken: figures, signs, abbreviations and addresses,
language by language.
"""

import itertools
import re

import pytest
from support.sampling import sampled
from support.tables import each_of

from svc.base.text.languages import LANGUAGES
from svc.media.model import Presenter
from svc.media.speech import narration
from svc.media.text.tokens import join_words, tokenize_text
from svc.media.voice import SpokenPassage
from tests.support.sentences_of_languages import SENTENCES_OF

SAID = {
    "en": [
        ("1,234.5 tonnes", "one thousand two hundred and thirty-four point five tonnes."),
        ("In 1999 and 2026", "In nineteen ninety-nine and twenty twenty-six."),
        ("$5.50, £1 and €1,000", "five dollars fifty, one pound and one thousand euros."),
        ("$1.2 billion", "one point two billion dollars."),
        ("$2B and $3tn", "two billion dollars and three trillion dollars."),
        ("From $12/mo, or $1/GB", "From twelve dollars per month, or one dollar per gigabyte."),
        ("$5/user/month, 3€/kg.", "five dollars per user per month, three euros per kilogram."),
        ("a 5 km walk at 3 km/h", "a five kilometer walk at three kilometers per hour."),
        ("at 9:05, 14:30 and 3 pm", "at nine oh five, fourteen thirty and three p m."),
        ("the 21st, on 3 May", "the twenty-first, on the third of May."),
        ("May 3, 2026", "May third, twenty twenty-six."),
        ("January, 12", "January, twelve."),
        ("May: 3", "May: three."),
        ("on 2026-05-03", "on May third twenty twenty-six."),
        ("on 5/3/2026", "on May third twenty twenty-six."),
        ("from 5–10% to −3 °C", "from five to ten percent to minus three degrees Celsius."),
        ("No. 5 vs. the U.S.", "number five versus the U S."),
        ("Write to joe@example.org now", "Write to joe at example dot org now."),
        ("See example.com/a?b, please", "See example dot com, please."),
        (
            "Call +1 555 123 4567",
            "Call plus one, five five five, one two three, four five six seven.",
        ),
        ("version 1.2.3", "version one dot two dot three."),
        (
            "#1 in C# and F#, issue #42.",
            "number one in C sharp and F sharp, issue number forty-two.",
        ),
        ("The est. cost, est. 1990", "The estimated cost, established nineteen ninety."),
        ("est. 500 boats", "estimated five hundred boats."),
        ("10^6 m", "ten to the power of six m."),
        ("He is 5'10\" tall", "He is five foot ten tall."),
        ("A Boeing 747-400", "A Boeing seven hundred and forty-seven four hundred."),
        ("pages 120-140", "pages one hundred and twenty to one hundred and forty."),
        (
            "Call 911 or dial 112, 911 people",
            "Call nine one one or dial one one two, nine hundred and eleven people.",
        ),
        ("2 tsp and 1 tbsp", "two teaspoons and one tablespoon."),
        ("agent 007", "agent zero zero seven."),
        (
            "the 1990s, '90s, 1800s and 2000s",
            "the nineteen nineties, 'nineties, eighteen hundreds and two thousands.",
        ),
        ("At 9:00 a.m. we ate, at 9:30 p.m., too", "at nine a m we ate, at nine thirty p m, too."),
        (
            "1/2 cup, 1 1/2 cups, 2½ cups, 3/4",
            "one half cup, one and a half cups, two and a half cups, three quarters.",
        ),
        ("open 24/7, 4/5 stars", "open twenty-four seven, four out of five stars."),
        (
            "(555) 123-4567 or 555-0123",
            (
                "five five five, one two three, four five six seven or five five five, zero one "
                "two three."
            ),
        ),
        ("+1 (555) 123-4567", "plus one, five five five, one two three, four five six seven."),
        (
            "error 404, status 404, HTTP 500",
            "error four oh four, status four oh four, HTTP five hundred.",
        ),
        ("the 404 houses", "the four hundred and four houses."),
        ("+20%, −5, +3", "plus twenty percent, minus five, plus three."),
        (
            "Art. 4, No. 1, pp. 12 and Jan. 5",
            "article four, number one, pages twelve and January fifth.",
        ),
        ("on 5 Sept. at noon", "on the fifth of September at noon."),
        ("√2 ∉ ℚ", "square root of two is not in Q."),
        ("x ≥ 5, 3×4, ~5, >3", "x at least five, three times four, about five, more than three."),
        ("Home → Settings ✓ ✗", "home to Settings yes no."),
        (
            "http://127.0.0.1:5000/users/42",
            "one hundred and twenty-seven dot zero dot zero dot one.",
        ),
        ("https://www.example.com/a/b?c=d", "example dot com."),
        (
            "call obj.method() in main.py, set max_size",
            "call obj dot method in main dot py, set max size.",
        ),
        ('@app.get("/users/<int:user_id>")', "app dot get users int user id."),
        ("Москва, 北京 and π", "Moskva, Beijing and pi."),
    ],
    "en-GB": [("on 5/3/2026, 2 km", "on the fifth of March twenty twenty-six, two kilometres.")],
    "de": [
        (
            "1.234,5 oder 1 234",
            (
                "eintausendzweihundertvierunddreißig Komma fünf oder "
                "eintausendzweihundertvierunddreißig."
            ),
        ),
        (
            "0,30 €/kWh oder 12 €/Monat",
            "dreißig Cent pro Kilowattstunde oder zwölf Euro pro Monat.",
        ),
        (
            "5 Std. im 19. Jh. waren #1",
            "fünf Stunden im neunzehnten Jahrhundert waren Nummer eins.",
        ),
        ("Am 3. Mai 1999", "Am dritten Mai neunzehnhundertneunundneunzig."),
        ("Es waren 3. Mehr nicht", "Es waren drei. Mehr nicht."),
        ("um 14:30 Uhr, um 1 Uhr", "um vierzehn Uhr dreißig, um ein Uhr."),
        ("5,50 € und 3,5 %", "fünf Euro fünfzig und drei Komma fünf Prozent."),
        ("z.B. 1 km, ca. 20 °C", "zum Beispiel ein Kilometer, circa zwanzig Grad Celsius."),
        ("info@example.de", "info ät example Punkt de."),
        ("die 1990er, die 90er", "die neunzehnhundertneunziger, die neunziger."),
        (
            "im 19. Jahrhundert, z. B. Abs. 1",
            "im neunzehnten Jahrhundert, zum Beispiel Absatz eins.",
        ),
        ("+20 % ✓", "plus zwanzig Prozent ja."),
    ],
    "fr": [
        (
            "1 234 567,5",
            "un million deux cent trente-quatre mille cinq cent soixante-sept virgule cinq.",
        ),
        ("le 1er mars à 14h30", "le premier mars à quatorze heures trente."),
        ("10 % de 25 €", "dix pour cent de vingt-cinq euros."),
        ("€5 millions et $2 milliards", "cinq millions d’euros et deux milliards de dollars."),
        ("le 01/03/2026", "le premier mars deux mille vingt-six."),
    ],
    "es": [
        ("1.234,5 km", "mil doscientos treinta y cuatro coma cinco kilómetros."),
        ("1 km por $5", "un kilómetro por cinco dólares."),
        ("el 3 de mayo, 25 %", "el tres de mayo, veinticinco por ciento."),
        ("el Sr. García, p.ej. hoy", "el señor García, por ejemplo hoy."),
        ("en EE. UU. y 1/2", "en Estados Unidos y medio."),
    ],
    "es-419": [("1,234.5", "mil doscientos treinta y cuatro punto cinco.")],
    "it": [
        ("12,5 kg il 1 maggio", "dodici virgola cinque chilogrammi il primo maggio."),
        ("3 €, ecc.", "tre euro, eccetera."),
    ],
    "pt": [("às 14:30, 1.000 km", "às catorze e trinta, mil quilómetros.")],
    "pt-BR": [("R$ 5,90 e 2,5 %", "cinco reais e noventa e dois vírgula cinco por cento.")],
    "nl": [
        ("14:30 uur, € 5,50", "veertien uur dertig, vijf euro vijftig."),
        ("bijv. 3%", "bijvoorbeeld drie procent."),
    ],
    "sv": [("1 000 kr, 2,5 km", "ettusen kronor, två komma fem kilometer.")],
    "da": [("den 3. maj, 5 %", "den tredje maj, fem procent.")],
    "pl": [
        ("5 km i 2 km", "pięć kilometrów i dwa kilometry."),
        ("21.03.2026", "dwudziestego pierwszego marca dwa tysiące dwudziestego szóstego roku."),
    ],
    "cs": [("1 500,5 m", "tisíc pět set celých pět metru.")],
    "ru": [
        ("1 км, 2 км, 5 км", "один километр, два километра, пять километров."),
        ("21 марта 2026 года", "двадцать первого марта две тысячи двадцать шестого года."),
        ("5 млн", "пять миллионов."),
        ("25 %", "двадцать пять процентов."),
    ],
    "uk": [("2,5 км", "два кома п'ять кілометра.")],
    "tr": [("%5 değil, 5% ve 3,5 km", "yüzde beş değil, yüzde beş ve üç virgül beş kilometre.")],
    "fi": [("5 km, 2,5 %", "viisi kilometriä, kaksi pilkku viisi prosenttia.")],
    "ar": [
        ("٢٥ كم", "خمسة و عشرون كيلومترًا."),
        ("12:30، 3.5%؛ 25؟", "الثانية عشرة والنصف، ثلاثة فاصلة خمسة بالمائة؛ خمسة و عشرون؟"),
    ],
    "fa": [("۱۲٫۵", "دوازده ممیز پنج.")],
    "hi": [("5 km और 3%", "5 किलोमीटर और 3 प्रतिशत.")],
    "el": [("3,5 %", "3 κόμμα 5 τοις εκατό.")],
    "vi": [("9:05, 3 km", "chín giờ năm phút, ba kilômét.")],
    "sw": [("5 km", "kilomita 5.")],
}


@each_of(
    ("language", "written", "said"),
    [(language, *pair) for language, pairs in SAID.items() for pair in pairs],
)
def test_what_is_written_is_said_as_a_speaker_says_it(language, written, said):
    assert (
        " ".join(token.spoken for token in tokenize_text(written, language))
        == said[:1].upper() + said[1:]
    )


@each_of(
    ("language", "written"),
    [(language, written) for language, pairs in SAID.items() for written, _ in pairs],
)
def test_the_captions_keep_what_was_written(language, written):
    assert (
        join_words(token.written for token in tokenize_text(written, language)).replace(
            "\u00a0", " "
        )
        == written
    )


@pytest.mark.parametrize("language", sampled(sorted(LANGUAGES), 3))
def test_no_figure_is_too_much_for_a_language(language):
    """Nothing is raised, and each written word has a spoken one,
    even without support by num2words or CLDR.
    """
    text = (
        "0 1 1. 21. 3,5 3.5 1.234 1,234 12:00 0:00 24:00 23:59 2026-02-30 2026-02-28 31.12.1999 "
        "1st 2º 3ª 1e 1:a 5km 5 % 5‰ -7 °C +3 1–2 1990-1999 $5 5$ € 5 5 € $5 million 3,50 € £0.99 "
        "¥100 5 m² 1/2 1.2.3.4 99999999999999999999 007 ٣٫٥ १२ №5 #3 C4 a@b.co x.com 5 kWh 1 h 1h "
        "12h30 5pm ½ ² 1.000.000,00 1'000 +49 30 123"
    )
    result = tokenize_text(text, language)
    assert all(token.written.strip() and token.spoken.strip() for token in result)
    assert re.sub(r"\s", "", "".join(token.written for token in result)) == re.sub(r"\s", "", text)


@pytest.mark.parametrize(
    ("language", "text", "written", "spoken"),
    [
        ("ar", "الجسد ، أو العجز", "الجسد، أو العجز", "الجسد، أو العجز."),
        ("it", "strutture dati , poi", "strutture dati, poi", "Strutture dati, poi."),
        ("hi", "यह है । फिर", "यह है। फिर", "यह है। फिर."),
        ("fr", "Oui ; non", "Oui\u00a0; non", "Oui; non."),
        ("en", "Run ls . first", "Run ls\u00a0. first", "Run ls. first."),
    ],
)
def test_a_comma_that_stands_apart_closes_up(language, text, written, spoken):
    """And is a pause. French has a space before other marks, and a dot may be a folder."""
    tokens = tokenize_text(text, language)
    assert join_words(token.written for token in tokens) == written
    assert join_words(token.spoken for token in tokens) == spoken


def test_a_dot_that_stands_apart_before_a_small_letter_ends_no_sentence():
    for text in ("Folosiți grep . * pentru a examina fișiere", "Run ls . first"):
        ends = [token.ends for token in tokenize_text(text, "ro")]
        assert ends == [False] * (len(ends) - 1) + [True]


def test_an_enumerations_end_ends_the_sentence_before_a_capital_letter():
    ends = [
        token.written
        for token in tokenize_text("Tea, milk, etc. That is all, etc. and so on.", "en")
        if token.ends
    ]
    assert ends == ["etc.", "on."]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "In 1999, some 1,234 people paid $5.50 at 9:05 for 12.5 kg of it."),
        ("de", "Am 3. Mai 1999 zahlten 1.234 Leute um 14:30 Uhr 5,50 € dafür."),
        ("fr", "Le 1er mars, 10 % des 1 234 clients ont payé 25 € chacun."),
        ("es", "El 3 de mayo, 1.234 personas pagaron 5,50 € por 12,5 kg."),
        ("ru", "21 марта 2026 года 25 % людей прошли 5 км за 2,5 ч."),
        ("pl", "W 2026 roku 25 % ludzi przeszło 5 km w 2 h."),
    ],
)
def test_each_written_word_has_the_time_of_all_that_is_spoken_for_it(language, text):
    """The time of a figure depends on how it is spoken, not on how it is written."""
    result = tokenize_text(text, language)
    ((_, times),) = narration.speak(
        [SpokenPassage(tuple(token.spoken for token in result))], language, Presenter("Ada")
    )
    assert all(start < end for start, end in times)
    assert all(one[1] <= other[0] + 1e-9 for one, other in itertools.pairwise(times))
    paces = [
        len(token.spoken) / (end - start) for token, (start, end) in zip(result, times, strict=True)
    ]
    figures = [
        pace
        for token, pace in zip(result, paces, strict=True)
        if any(map(str.isdigit, token.written))
    ]
    assert all(8 < pace < 40 for pace in figures)


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        (
            "de",
            "die Kraftfahrzeug-Haftpflichtversicherung,",
            ["Die", "Kraftfahrzeug", "Haftpflichtversicherung."],
        ),
        ("de", "Donaudampfschifffahrtsgesellschaft", ["Donaudampfschiff", "fahrtsgesellschaft."]),
        (
            "fr",
            "Anticonstitutionnellement-gouvernemental",
            ["Anticonstitutionnellement", "gouvernemental."],
        ),
        (
            "en",
            "sd_bus_message_get_auto_something_else",
            ["Sd bus message get auto", "something else."],
        ),
    ],
)
def test_a_long_word_is_spoken_in_the_pieces_that_are_shown(language, text, said):
    assert [token.spoken for token in tokenize_text(text, language)] == said


@pytest.mark.parametrize("language", sorted(SENTENCES_OF))
def test_words_of_ordinary_sentences_are_spoken_as_they_are_written(language):
    for sentence in SENTENCES_OF[language]:
        for token in tokenize_text(sentence, language):
            if token.written.strip(".,;:!?¿¡").isalpha():
                assert (
                    token.spoken.strip(".,;:!?¿¡").casefold()
                    == token.written.strip(".,;:!?¿¡").casefold()
                )


@pytest.mark.parametrize(
    ("language", "number"), [("es", "(983 55 01 27)"), ("fr", "(01 42 68 53 00)")]
)
def test_a_telephone_number_in_brackets_is_one_word(language, number):
    written = [token.written for token in tokenize_text(f"Info {number} 9", language)]
    assert written[1] == number.replace(" ", "\u00a0")
