"""A prose scene shows a few of its own words, which say no more and no less than the sentence that they are from."""

import random

import pytest

from svc.media.script.from_brief import write_script
from svc.media.script.key_phrases import FEWEST, MOST
from svc.media.script.negations import is_negation
from tests.media.test_completeness import WORDS


@pytest.fixture
def phrases(make_brief):
    """Return the key phrases of the scenes of a text."""
    return lambda text, **changes: [
        scene.key_phrase for scene in write_script(make_brief(title="T", topic="T", metadata_md=text, **changes)).scenes[1:-1]
    ]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("It gives the coffee **its bitter flavour** after a long while.", "its bitter flavour"),
        ("In the end the machines were **repaired** by volunteers from the village.", "repaired"),
        ("It is made of what there was, and it costs about 5 million dollars in the first year.", "5 million dollars"),
        ("The pump was moved by 12 km last year, which is what we had wanted for it.", "12\u00a0km"),
        ("Text is here.", "Text is here"),
        ("Yes.", "Yes"),
    ],
)
def test_what_is_emphasised_or_rare_is_shown_and_numbers_keep_their_units(phrases, text, phrase):
    assert phrase in phrases(text)[0]


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("en", "We do not sell the personal data of our customers to advertisers or brokers in any country.", "not"),
        ("en", "The committee hasn't approved the construction of the second railway tunnel under the river.", "hasn't"),
        ("de", "Die Datenschutzbehörde hat den Antrag des Unternehmens auf Videoüberwachung nicht genehmigt.", "nicht"),
        ("fr", "Le conseil municipal ne construira pas la nouvelle bibliothèque dans le centre historique.", "ne"),
        ("es", "El ayuntamiento no construirá la nueva biblioteca en el centro histórico de la ciudad.", "no"),
        ("ru", "Городской совет не построит новую библиотеку в историческом центре города.", "не"),
    ],
)
def test_a_phrase_never_drops_a_not(phrases, language, text, kept):
    (phrase,) = phrases(text, language=language)
    assert phrase == "" or kept in phrase.split()


def test_two_negations_far_apart_give_no_phrase(phrases):
    assert phrases("Nobody who lives in the old village by the northern river would say that it was never flooded.") == [""]


def test_full_text_has_no_key_phrase(phrases):
    assert phrases("Green tea is not roasted.", full_text=True) == [""]


def test_only_prose_has_a_key_phrase(phrases):
    assert phrases("- one thing\n- another thing\n\n> A quotation stands here.") == ["", ""]


@pytest.mark.parametrize("seed", range(40))
def test_a_phrase_is_of_consecutive_words_of_one_sentence(make_brief, seed):
    chance = random.Random(seed)  # noqa: S311 - the same texts each time
    extra = ["not", "the", "of", "12", "5 km", "(then", "again)", "**very", "much**", '"so', 'to"', "and,", "it's"]
    sentences = [" ".join(chance.choices(WORDS + extra, k=chance.randint(1, 18))) + "." for _ in range(6)]
    for scene in write_script(make_brief(metadata_md=" ".join(sentences))).scenes:
        if scene.layout != "prose" or not scene.key_phrase:
            continue
        ends = {0, *(end + 1 for end in scene.sentence_ends)}
        starts = sorted(ends)
        home = [
            scene.words[first:last]
            for first, last in zip(starts, [*starts[1:], len(scene.words)], strict=True)
            if scene.key_phrase in " ".join(scene.words[first:last])
        ]
        assert home, scene.key_phrase
        assert FEWEST <= len(scene.key_phrase.split(" ")) <= MOST or len(scene.words) == 1
        assert any(
            {word for word in map(_bare, sentence) if is_negation(word, "en")} <= set(map(_bare, scene.key_phrase.split(" ")))
            for sentence in home
        )


def _bare(word: str) -> str:
    return word.strip(".,()\"'")
