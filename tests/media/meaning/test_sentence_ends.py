"""Where sentences end, on committed sentences in forty languages,
and that the work grows with the text alone.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.sampling import sampled

from svc.media.text import sentence_ends
from svc.media.text.tokens import join_words, tokenize_text

FOLDER = Path(__file__).parent
# before the kind of a line that is still wrong: it becomes none silently, and none is added
KNOWN_WRONG = "?"
MOST_AT_ONCE = 1000  # characters
UNSPACED = ("ja", "zh")


def lines(name: str) -> Iterator[tuple[str, str, list[str]]]:
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, kind, text = line.split("\t")
            yield language, kind, text.split(" | ")


def split(text: str, language: str) -> list[str]:
    """Return the sentences of a text without spaces: where they end is what counts."""
    result, words = [], []
    for token in tokenize_text(text, language):
        words.append(token.written)
        if token.ends:
            result.append(squeezed(join_words(words)))
            words = []
    return result


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", ["sentences.tsv", "sentences_unseen.tsv"])
def test_sentences_end_where_they_should(name: str) -> None:
    wrong = {
        (language, " ".join(sentences))
        for language, kind, sentences in lines(name)
        if split(("" if language in UNSPACED else " ").join(sentences), language)
        != [squeezed(each) for each in sentences]
    }
    known = {
        (language, " ".join(sentences))
        for language, kind, sentences in lines(name)
        if kind.startswith(KNOWN_WRONG)
    }
    assert wrong == known


def test_the_sets_are_large_and_most_of_them_is_right() -> None:
    listed = [line for name in ("sentences.tsv", "sentences_unseen.tsv") for line in lines(name)]
    assert len(listed) > 500
    assert len({language for language, _, _ in listed}) > 40
    assert sum(kind.startswith(KNOWN_WRONG) for _, kind, _ in listed) < 0.03 * len(listed)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("sv", "Vi kan göra det. Sedan går vi."),
        ("de", "Ich helfe dir. Dann gehen wir."),
        ("en", "Bring a pen. We have paper."),
    ],
)
def test_a_word_that_is_a_title_elsewhere_ends_a_sentence(language: str, text: str) -> None:
    assert len(split(text, language)) == 2


def test_a_long_quotation_has_ends_of_its_own_and_a_short_one_has_none() -> None:
    short = "He said: “We are done. We can go.” Then he left."
    long = f"He said: “{' '.join(['We are quite done with all of it.'] * 6)}” Then he left."
    assert len(split(short, "en")) == 2
    assert 3 <= len(split(long, "en")) <= 5


def test_a_number_that_begins_an_item_is_parted_from_its_text_by_a_comma() -> None:
    spoken = [token.spoken for token in tokenize_text("1. Open the box. 2. Take it out.", "en")]
    assert spoken == ["One,", "Open", "the", "box.", "Two,", "Take", "it", "out."]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        (
            "1. Mannschaft gewann. 2. Mannschaft verlor.",
            "Erste Mannschaft gewann. Zweite Mannschaft verlor.",
        ),
        ("1. Mai ist frei.", "Erster Mai ist frei."),
        ("1. Öffnen. 2. Mischen.", "Eins, Öffnen. Zwei, Mischen."),
    ],
)
def test_a_german_ordinal_at_the_beginning_is_no_item_of_a_list(text: str, spoken: str) -> None:
    assert " ".join(token.spoken for token in tokenize_text(text, "de")) == spoken


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("It costs x². tunnel.", "It costs x². Tunnel."),
        ("Tea & more. river and H2O. bridge.", "Tea & more. River and H two O. Bridge."),
        ("Take approx. ten. then v1.2. then go.", "Take approximately ten. Then v1.2. Then go."),
        ("1. open it. 2. close it.", "One, open it. Two, close it."),
    ],
)
def test_a_full_stop_before_a_small_letter_is_heard(text: str, spoken: str) -> None:
    said = [token.spoken for token in tokenize_text(text, "en")]
    assert " ".join(said) == spoken


@pytest.mark.parametrize(
    "text", ["« Tu viens ? » dit-elle. « Non ! » répondit-il.", "Elle part. — Non ! dit-il."]
)
def test_marks_that_open_stand_with_the_word_after_them(text: str) -> None:
    written = [token.written for token in tokenize_text(text, "fr")]
    assert not [word for word in written if word.endswith(("«", "—"))]


@pytest.mark.parametrize(
    "piece",
    sampled(
        ["1. ", "a. ", "“a ", "(a. ", "— a. ", "... ", '" ', "x.", "U.S. ", "''", "`a. ", "है. "], 3
    ),
)
@pytest.mark.parametrize("language", ["en", "hi", "de"])
def test_the_library_gets_no_more_of_a_text_at_once_than_it_reads_fast(
    piece: str, language: str, monkeypatch
) -> None:
    """Counted in the characters that it is given: some of its patterns take their square."""
    given: list[int] = []
    ask = sentence_ends._find_ends

    def count(text: str, base: str, keeps: bool) -> frozenset[int]:
        given.append(len(text))
        return ask(text, base, keeps)

    monkeypatch.setattr(sentence_ends, "_find_ends", count)
    sentence_ends.propose_ends.cache_clear()
    words = tuple((piece * 1500).split())
    sentence_ends.propose_ends(words, language)
    assert sum(given) <= 2 * (len(piece) + 1) * 1500 + 10
    assert all(size <= MOST_AT_ONCE for size in given)


def test_a_language_without_a_library_has_the_rules_alone() -> None:
    assert sentence_ends.propose_ends(("Se.", "On."), "fi") is None
    assert (
        sentence_ends.propose_ends(("It", "is.", "He", "is."), "en-GB")
        == ((False, True, False, True),) * 2
    )


def test_a_text_without_a_mark_asks_no_library(monkeypatch) -> None:
    monkeypatch.setattr(sentence_ends, "_find_ends", lambda *_: sys.exit("asked"))
    sentence_ends.propose_ends.cache_clear()
    assert sentence_ends.propose_ends(("a", "heading"), "en") == ((False, True), (False, True))
