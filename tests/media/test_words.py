"""Where sentences end, what another script sounds like, and that no word is lost between the brief
and the captions.
"""

import sys
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sampling import sampled
from support.tables import each_of

from svc.base.text.languages import LANGUAGES
from svc.media import fonts
from svc.media.text import signs
from svc.media.text.tokens import (
    GLUE,
    LONGEST_WORD,
    STRESS,
    UNSTRESS,
    clean,
    join_words,
    make_drawable,
    measure_display_length,
    tokenize_text,
)

WHOLE = {  # texts of a single sentence, however many dots it has
    "en": [
        "See Art. 4 of it.", "This is No. 1 here.", "On Jan. 5 we met.", "Read pp. 12 to 15.",
        "Ask Dr. Smith today.", "Use tea, e.g. Assam.", "The U.S. Army came.",
        "We met Mr. J. R. R. Tolkien.", "It is approx. five.", "Compare A vs. B.",
        "It costs max. $20 here.", "Wait min. 5 minutes.", "See paras. 14 and 15.",
        "In Smith v. Jones it was so.", "At 9:00 a.m. we ate.", "Fig. 3 and Sec. IV show it.",
        "Acme Inc. sells it.", "St. Mary has a Ph. D. student.",
    ],
    "de": [
        "Im 19. Jahrhundert war es so.", "Nach Abs. 1 gilt es.", "Das ist z. B. Tee.",
        "Frau Dr. Ott kommt.", "Am 5. Jan. 2026 ist es.", "Siehe Art. 4 und S. 12 dort.",
        "Es gilt i. d. R. Recht.", "Der 2. Weltkrieg begann.", "Er lebte 50 n. Chr. in Rom.",
        "Die 2. Mannschaft gewann.", "Sie stieg mit 2. Mannschaft und 3. Liga auf.",
    ],
    "fr": ["Voir art. 4 ici.", "M. Dupont arrive.", "En 50 av. J.-C. il vint.",
           "Mme. Curie et p. 5 ici.", "Le 5 janv. 2026.", "Payez max. 20 euros ici."],
    "es": ["En EE. UU. La ley vale.", "El Sr. García viene.", "Ver pág. 5 aquí.", "El art. 4 vale.",
           "Son p. ej. Uvas.", "En el s. XXI es así.", "Son máx. 20 y mín. 5 euros."],
    "it": ["Il Sig. Rossi viene.", "Vedi art. 4 qui.", "Il dott. Bianchi legge p. 5 qui."],
    "pt": ["O Sr. Silva vem.", "Veja art. 4 aqui.", "A Dra. Costa lê p. 5 aqui."],
    "nl": ["Zie art. 4 hier.", "Dhr. Jansen komt.", "Dat is bijv. Thee."],
    "sv": ["Det är t. ex. Te.", "Se s. 12 och kap. 3 där."],
    "da": ["Det er f.eks. Te.", "Den 3. maj kommer.", "Se s. 12 der."],
    "nb": ["Det er f.eks. Te.", "Se kap. 3 der."],
    "fi": ["Se on esim. Tee.", "Katso s. 12 sieltä."],
    "pl": ["To art. 5 ust. 3 tak.", "To np. Herbata.", "W 5 r. p. n. e. tak było."],
    "cs": ["Viz čl. 5 tam.", "Je to např. Praha.", "Ing. Novák jde."],
    "sk": ["Pozri čl. 5 tam.", "Je to napr. Nitra."],
    "ru": ["См. ст. 5 там.", "Это т. е. Москва.", "Рис. 3 и табл. 4 там.",
           "Живёт в г. Москва давно."],
    "uk": ["Див. ст. 5 там.", "Проф. Шевченко тут."],
    "bg": ["Виж чл. 5 там.", "Проф. Иванов е тук."],
    "hr": ["Vidi čl. 5 tamo.", "To je npr. Zagreb."],
    "sl": ["Glej čl. 5 tam.", "To je npr. Ljubljana."],
    "el": ["Δες σελ. 5 εκεί.", "Είναι π.χ. Αθήνα."],
    "tr": ["Bkz. s. 5 orada.", "Dr. Yılmaz geldi."], "hu": ["Ez pl. Tea."],
    "ro": ["Vezi art. 4 acolo.", "Dl. Popescu vine."],
    "ca": ["Vegeu art. 4 aquí.", "El Sr. Puig ve."],
    "id": ["Lihat hlm. 5 di sana."],
}  # fmt: skip
ENDING = {  # the same marks where a sentence does end
    "en": [
        "No. I do not.|2",
        "It is in Art. Four rules.|2",
        "Acme Inc. It works.|2",
        "We met at 5 p.m. Then we left.|2",
        "It is ok. Go.|2",
        "Use the max. Then stop.|2",
    ],
    "de": ["Es waren 3. Mehr nicht.|2", "Tee, Milch usw. Das war es.|2"],
    "es": ["No sé el núm. Da igual.|2"],
}


@each_of(
    ("language", "text"), [(language, text) for language, texts in WHOLE.items() for text in texts]
)
def test_the_dot_of_an_abbreviation_ends_no_sentence(language, text):
    result = tokenize_text(text, language)
    assert [token.written for token in result if token.ends] == [result[-1].written]
    assert not [token.spoken for token in result[:-1] if token.spoken.endswith((".", "!", "?"))]


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in ENDING.items() for text in texts]
)
def test_a_sentence_still_ends(language, text):
    text, _, count = text.partition("|")
    assert sum(token.ends for token in tokenize_text(text, language)) == int(count)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ru", "pl"])
def test_a_sentence_that_begins_with_a_number_is_heard_as_one(language):
    """Before a small letter, the voice would not hear the full stop."""
    result = tokenize_text("OK. 5 km. 3. 20 %", language)
    starts = [
        token.spoken
        for before, token in zip([None, *result], result, strict=False)
        if before is None or before.ends
    ]
    assert len(starts) >= 3 and not [start for start in starts if start[0].islower()]


def test_an_item_that_begins_with_a_small_letter_begins_a_sentence():
    assert tokenize_text("milk and tea", "en")[0].spoken == "Milk"


@each_of("language", sorted(LANGUAGES))
@each_of("word", ["مرحبا", "Москва", "北京", "Ελλάδα", "नमस्ते", "שלום", "こんにちは", "ქართული"])
def test_a_word_of_another_script_is_spoken_in_letters_that_the_voice_has(language, word):
    (token,) = tokenize_text(word, language)
    assert token.written == word
    script = {"Cyrl": "CYRILLIC", "Grek": "GREEK", "Arab": "ARABIC", "Deva": "DEVANAGARI"}.get(
        LANGUAGES[language].script, "LATIN"
    )
    scripts = {unicodedata.name(letter).split()[0] for letter in token.spoken if letter.isalpha()}
    assert scripts <= {script, "LATIN"}


@each_of("language", sorted(LANGUAGES))
def test_an_arrow_is_shown_and_is_a_word_or_a_pause(language):
    listed = tokenize_text("Alfa → Beta", language)
    assert "→" in " ".join(token.written for token in listed)
    said = " ".join(token.spoken for token in listed)
    assert "→" not in said and (len(said.split()) > 2 or "," in said)


@each_of("language", sorted(LANGUAGES))
def test_signs_are_shown_and_spoken_by_name(language):
    for sign in "✓✗≥≤≠×÷±√":
        (token,) = tokenize_text(sign, language)
        assert token.written == sign and token.spoken[0].isalpha() and sign not in token.spoken
    assert signs.name_sign("✓", language) != signs.name_sign("✗", language)


def test_emoji_stay_in_captions_and_out_of_speech():
    result = tokenize_text("Join us 🎉 at the 🏠 on Saturday ❤️", "en")
    assert (
        join_words(token.written for token in result).replace("\u00a0", " ")
        == "Join us 🎉 at the 🏠 on Saturday ❤️"
    )
    assert " ".join(token.spoken for token in result) == "Join us at the on Saturday."


def test_what_no_font_can_draw_is_drawn_as_a_picture_or_in_latin_or_left_out(monkeypatch):
    monkeypatch.setattr(
        fonts,
        "find_undrawable_characters",
        lambda text: "".join(letter for letter in text if letter in "🎉北京☌"),
    )
    # as the files have it
    assert clean("Global launch: 北京, ☌🎉 now") == "Global launch: 北京, 🎉 now"
    assert make_drawable("Global launch: 北京, ☌🎉 now") == "Global launch: Beijing, 🎉 now"
    assert make_drawable("us\u00a0🎉") == "us\u00a0🎉"
    assert make_drawable("us\u00a0☌") == "us"


def test_a_long_word_gets_no_space():
    word = "Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnung"
    result = tokenize_text(f"Die {word} gilt.", "de")
    assert join_words(token.written for token in result) == f"Die {word} gilt."
    assert all(measure_display_length(token.written) <= LONGEST_WORD for token in result)


def test_a_very_long_address_stays_whole_and_is_one_word():
    address = "https://kestrel.example/" + "x" * 3000
    [token] = tokenize_text(address, "en")
    assert token.written == address and token.spoken == "Kestrel dot example."


@pytest.mark.parametrize(
    "marks", ["\u0301", "\u0489", "\u0301\u0316\u0489", "\u0e34", "\u20dd\ufe20"]
)
def test_marks_of_every_kind_are_few_on_a_letter(marks):
    shown = clean("Z" + marks * 500 + "algo")
    assert shown[0] in "ZŹ" and shown.endswith("algo") and len(shown) <= 11
    [token] = tokenize_text("Z" + marks * 500 + "algo", "en")
    assert (
        len(token.written) <= len(shown)
        and token.written.endswith("algo")
        and "algo" in token.spoken
    )


LETTERS = st.characters(exclude_categories=("C",), exclude_characters=STRESS + UNSTRESS + GLUE)
PIECES = (
    "Art. No. U.S. z. B. 1/2 1990s 9:00 a.m. (555) 123-4567 +20% −5 24/7 √2 ✓ ✗ → 🎉 👩‍🔬 "
    "https://a.example/b?c=d a@b.co `x_y()` Москва مرحبا 北京 3. 19. Jahrhundert $5 € 5 km % etc. "
    "Dr. — … ¿Qué? «Oui» 12:30 ½ 1'000 ٣٫٥"
)
WORDS = st.one_of(st.text(LETTERS, max_size=40), st.sampled_from(PIECES.split(" ")))


@settings(max_examples=50)
@given(st.lists(WORDS, max_size=30), st.sampled_from(sorted(LANGUAGES)))
def test_written_and_spoken_words_are_one_for_one_and_nothing_visible_is_lost(words, language):
    text = " ".join(words)
    result = tokenize_text(text, language)
    assert all(token.written.strip() and token.spoken.strip() for token in result)
    assert all(measure_display_length(token.written) <= LONGEST_WORD + 20 for token in result)
    assert result == [] or result[-1].ends
    if result:
        shown = Counter(join_words(token.written for token in result))
        expected = Counter(
            character for character in unicodedata.normalize("NFC", text) if character.isalnum()
        )
        assert not expected - shown


@settings(max_examples=50)
@given(st.lists(WORDS, max_size=10), st.sampled_from(sorted(LANGUAGES)))
def test_words_are_a_function_of_the_text_alone_and_stress_changes_no_word(words, language):
    text = " ".join(words)
    plain = [(token.written, token.spoken, token.ends) for token in tokenize_text(text, language)]
    assert plain == [
        (token.written, token.spoken, token.ends)
        for token in tokenize_text(f"{STRESS}{text}{UNSTRESS}", language)
    ]


@pytest.mark.parametrize(
    "piece",
    sampled(
        [
            "a",
            "1",
            "a.",
            "1 ",
            "z. B. ",
            "1/2 ",
            "(",
            "é\u0301",
            "北",
            "x_",
            "√",
            "🎉",
            "a-",
            "1-",
            "http://a.b/",
        ],
        2,
    ),
)
def test_the_work_grows_with_the_text_and_no_faster(piece, monkeypatch):
    """Counted in the steps of normalising: no clock is asked."""

    def steps(count: int) -> int:
        calls = 0

        def count_call(frame, event, argument):
            nonlocal calls
            calls += event == "call"

        sys.setprofile(count_call)
        try:
            tokenize_text(piece * count, "en")
        finally:
            sys.setprofile(None)
        return calls

    steps(1)  # fills the caches
    few, many = steps(100), steps(800)
    assert many <= few * 8 * 1.3 + 1000


def test_patterns_do_not_backtrack_without_end():
    hostile = ["1", "1.", "1-", "a.a", "@", "a@", "(", "0 ", "+1 ", "(0", "a_", "a.b"]
    for piece in hostile:
        assert tokenize_text(piece * 1000 + "!", "de") is not None


@pytest.mark.parametrize("language", ["en", "de", "ja"])
@pytest.mark.parametrize("unit", ["kg", "%", "€"])
def test_the_digits_of_an_endless_figure_are_read(language, unit):
    spoken = " ".join(
        token.spoken for token in tokenize_text(f"12345678901234567890123 {unit}", language)
    )
    digits = " ".join(
        token.spoken for token in tokenize_text("12345678901234567890123", language)
    ).rstrip(".。")
    assert spoken.startswith(digits)
