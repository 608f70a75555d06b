"""A prose scene shows a few of its own words, which say no more and no less than the sentence that they are from."""

import random
import re

import pytest

from svc.media.script.from_brief import write_script
from svc.media.script.grammar.negations import is_negation
from svc.media.script.key_phrases import FEWEST, MOST
from tests.media.generated import WORDS


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


def test_a_time_alone_is_no_key_phrase_unless_the_brief_emphasises_it(phrases):
    text = "It was to be there in {}, and so we had to go and get it for you all by the end."
    assert phrases(text.format("two weeks"))[0] != "two weeks"
    assert phrases(text.format("**two weeks**"))[0] == "two weeks"


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


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The mayor, who was accused of fraud, was cleared of all charges."),
        ("en", "The plan would have doubled rents, so the council rejected it."),
        ("en", "It is a myth that lightning never strikes the same place twice."),
        ("en", "Critics claim that the new bridge is unsafe for pedestrians and cyclists."),
        ("en", "Sales rose by 10 % in spring but fell by 30 % in autumn."),
        ("en", "Only members of the club and their guests may use the swimming pool."),
        ("en", "If the alarm rings, leave the building by the stairs."),
        ("en", "Unless you object in writing, we will renew your contract."),
        ("de", "Angeblich hat der Bürgermeister das Geld der Gemeinde in den Bau seines Hauses gesteckt."),
        ("de", "Wenn der Feueralarm im Gebäude ertönt, verlassen Sie es über die Treppen."),
        ("fr", "Selon un mythe répandu, les éclairs frappent seulement les arbres les plus hauts du village."),
        ("es", "El supuesto fraude del alcalde costó doce millones de euros a los vecinos de la ciudad."),
        ("ru", "Якобы городской совет построит новую библиотеку в историческом центре города."),
    ],
)
def test_no_part_of_what_is_supposed_claimed_or_contrasted_stands_for_it(phrases, language, text):
    assert phrases(text, language=language) == [""]


def test_a_short_sentence_with_a_condition_is_shown_whole(phrases):
    assert phrases("Stop using the charger if it gets hot.") == ["Stop using the charger if it gets hot"]


@pytest.mark.parametrize(
    "text",
    [
        "The express train between Rennes and Brest was late on every day of the week before last.",
        "The new drug failed to reduce the number of heart attacks among the patients of the hospital.",
        "It was isn't funny of them, i.e. rather sad news for all of the people who had come to it.",
        "The case was decided under 2019 EWHC 123 (Ch) by the court, to the relief of the shareholders.",
        "The old railway bridge, which was built by prisoners, is where the two rivers of it meet.",
    ],
)
def test_a_phrase_is_no_fragment(phrases, text):
    (phrase,) = phrases(text)
    words = phrase.casefold().split()
    assert "between" not in words or "brest" in words
    assert not phrase.endswith(("failed", "to reduce", "which", "who")) and not phrase.startswith(("i.e", "isn't", "built"))
    assert "EWHC" not in phrase


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("In the Netherlands one of four journeys is made by bicycle.", "^four journeys"),
        ("A solar module costs 90 % less than it did fifteen years ago.", "fifteen$"),
        ("A lemon drizzle cake takes an hour and keeps for four days.", "takes$"),
        ("In 1884 Thomas Stevens left San Francisco on one of them.", "^1884 Thomas"),
        ("The period begins on the day on which you receive the goods.", "^receive the goods"),
        ("Zurich, 14 March 2026.", "^14 March 2026$"),
        ("Susan B. Anthony said in 1896 that the bicycle had done more than anything else.", "that the bicycle$"),
    ],
)
def test_a_phrase_is_not_torn_from_what_it_belongs_to(phrases, text, never):
    (phrase,) = phrases(text)
    assert not re.search(never, phrase)


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


def test_a_phrase_that_holds_what_is_emphasised_may_end_with_its_sentence(phrases):
    text = "A solar module costs **90 %** less than it did fifteen years ago."
    assert phrases(text)[0] == "90\u00a0% less than it did fifteen years ago"


def test_a_reason_and_a_part_of_a_year_are_not_torn(phrases):
    assert (
        phrases("The library is closed on Monday because the heating is being repaired.")[0] == "the heating is being repaired"
    )
    assert phrases("It was so in the first half of 2025.")[0] != "half of 2025"


def test_who_says_it_is_no_key_phrase(phrases):
    text = "Night trains will run again between Zurich and Barcelona from December, the Swiss railways said on Friday."
    chosen = phrases(text)[0]
    assert "railways" not in chosen and "Friday" not in chosen
    assert chosen != "Barcelona from December"  # one half of "between … and …"


def test_a_verb_that_begins_something_ends_no_phrase(phrases):
    assert phrases("The period begins on the day on which you receive the goods.")[0] != "The period begins"


def test_what_the_brief_emphasises_is_shown_also_of_a_sentence_that_supposes(phrases):
    assert (
        phrases("If you buy it on the internet you may send it back within **fourteen whole days**.")[0]
        == "fourteen whole days"
    )


def test_the_title_is_not_said_once_more_unless_the_brief_emphasises_it(make_brief):
    def shown(text: str) -> str:
        title = "The library is closed on Monday"
        return write_script(make_brief(title=title, topic=title, metadata_md=text)).scenes[1].key_phrase

    reason = "because the heating is being repaired."
    assert shown(f"The library is closed on Monday {reason}") == "the heating is being repaired"
    assert shown(f"**The library is closed on Monday** {reason}") == "The library is closed on Monday"
    assert shown("The library is closed on Monday.") == ""
