"""The summary and the hashtags of a programme, in the brief's own words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from svc.media.model import CARDS, Scene, Script, VideoBrief
from svc.media.script import weighty_words
from svc.media.text import tokens

MOST_TAGS = 5
_FEWEST_WORDS, _LONGEST = 3, 220  # of a sentence that can stand alone: words, characters
_SHORTEST_TAG, _LONGEST_TAG = 3, 30  # characters
_SENTENCE_ENDS = (".", "!", "?", "…", "।", "؟", "۔", "。", "！", "？")
_MOST_HEADINGS = 4


@dataclass(frozen=True)
class _Sentence:
    text: str
    scene: Scene


def add_summary(brief: VideoBrief, script: Script) -> Script:
    """Return ``script`` with a summary, unless its model wrote one, and with hashtags."""
    return replace(
        script, summary=script.summary or summarise(brief, script), hashtags=choose_hashtags(brief)
    )


def summarise(brief: VideoBrief, script: Script) -> str:
    """Return the first sentence of the programme and the one that has most of its topic and key
    phrases, in their order.

    Without a whole sentence, return its headings; empty if there are none.
    """
    spoken = list(dict.fromkeys(_list_sentences(script)))
    if not spoken:
        return " · ".join(_list_headings(script))
    topic = {
        word.casefold()
        for word in weighty_words.find_weighty_words(
            f"{brief.title} {brief.topic}", script.language
        )
    }
    second = max(
        spoken[1:],
        key=lambda sentence: _score_sentence(sentence, topic, script.language),
        default=None,
    )
    return tokens.join_sentences(sentence.text for sentence in (spoken[0], second) if sentence)


def choose_hashtags(brief: VideoBrief) -> tuple[str, ...]:
    """Return up to five words of the topic as hashtags, without "#"."""
    words = weighty_words.find_weighty_words(
        tokens.clean(brief.topic) or tokens.clean(brief.title), brief.read_in
    )
    tags = ("".join(letter for letter in word if letter not in "-‐‑") for word in words)
    chosen: dict[str, str] = {}
    for tag in filter(_is_tag, tags):
        chosen.setdefault(tag.casefold(), tag)
    return tuple(chosen.values())[:MOST_TAGS]


def _is_tag(word: str) -> bool:
    """Return whether a word may be a hashtag on every platform: letters, marks and digits,
    and at least one letter.
    """
    plain = (
        all(letter.isalnum() or not letter.isascii() for letter in word)
        and word.isprintable()
        and " " not in word
    )
    return (
        plain
        and any(map(str.isalpha, word))
        and _SHORTEST_TAG <= tokens.measure_display_length(word) <= _LONGEST_TAG
    )


def _score_sentence(sentence: _Sentence, topic: set[str], language: str) -> float:
    """Return how much a sentence says of the topic: its words of it, and 1 for its key phrase."""
    words = {word.casefold() for word in weighty_words.find_weighty_words(sentence.text, language)}
    phrase = sentence.scene.key_phrase
    return len(words & topic) + (
        1.0 if phrase and phrase.casefold() in sentence.text.casefold() else 0.0
    )


def _list_sentences(script: Script) -> Iterator[_Sentence]:
    """Yield each whole sentence that is neither a heading nor a list item."""
    for scene in script.scenes:
        if scene.layout in CARDS or not scene.sight.traits.is_summed_up:
            continue
        listed = {
            index
            for point in scene.points
            for index in range(point.first_word, point.last_word + 1)
        }
        first = 0
        for last in scene.sentence_ends:
            said = scene.words[first : last + 1]
            text = tokens.clean(tokens.join_words(said))
            if (
                len(said) >= _FEWEST_WORDS
                and listed.isdisjoint(range(first, last + 1))
                and _is_whole(text)
            ):
                yield _Sentence(text, scene)
            first = last + 1


def _is_whole(text: str) -> bool:
    """Return whether ``text`` is a sentence from its beginning to its full stop,
    and not too long.
    """
    return (
        text.rstrip("\"'”’»)」』）").endswith(_SENTENCE_ENDS)
        and not text[:1].islower()
        and len(text) <= _LONGEST
    )


def _list_headings(script: Script) -> list[str]:
    headings = dict.fromkeys(
        tokens.clean(scene.heading) for scene in script.scenes if scene.layout not in CARDS
    )
    return [heading for heading in headings if heading and heading != script.title][:_MOST_HEADINGS]
