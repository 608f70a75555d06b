"""The index of a language: for a word or phrase, the pictures that it may mean and how surely."""

from collections import Counter
from dataclasses import dataclass
from functools import cache

import babel

from svc.media.pictures import collection, topics
from svc.media.pictures.forms import UNSPACED, stem, words

LONGEST_PHRASE = 4  # words
_NAME, _COUNTRY = 1.0, 0.75  # the weight of a picture's name, or of this program's words for it, and of a country's name
_KEYWORD = 0.3  # of a keyword that only one picture has: two of them are needed
_SHORTEST = 3  # letters of a name that counts, in languages with spaces
_SHORTEST_UNKNOWN = 5  # … in those without a list of ambiguous names: short words mean many things

Phrase = tuple[str, ...]
Weights = dict[str, float]  # by the picture's name, 0.0 to 1.0


@dataclass(frozen=True)
class Index:
    """For each phrase the pictures with their weights: as written, by stems, and the names of countries; the words that alone
    name none; and the phrases with a country's name that mean no country."""

    exact: dict[Phrase, Weights]
    stems: dict[Phrase, Weights]
    countries: dict[Phrase, Weights]
    ambiguous: frozenset[str] = frozenset()
    elsewhere: frozenset[Phrase] = frozenset()


@cache
def of(code: str) -> Index:
    """Return the index of the language ``code`` (ISO 639-1); an empty one for a language without words."""
    exact = _exact(code)
    stems: dict[Phrase, Weights] = {}
    for phrase, weights in exact.items() if code not in UNSPACED else ():
        stemmed = tuple(stem(word, code) for word in phrase)
        if all(stemmed):
            merged = stems.setdefault(stemmed, {})
            for name, weight in weights.items():
                merged[name] = max(weight, merged.get(name, 0.0))
    elsewhere = frozenset(_phrase(name, code) for name in topics.elsewhere(code))
    return Index(exact, stems, _countries(code), topics.ambiguous(code), elsewhere)


def _exact(code: str) -> dict[Phrase, Weights]:
    """Return the weights of keywords, above them those of names, above them those of this program's own words."""
    keywords = {name: {_phrase(text, code) for text in texts[1:]} for name, texts in collection.words(code).items()}
    carriers = Counter(phrase for phrases in keywords.values() for phrase in phrases)
    index: dict[Phrase, Weights] = {}
    for name, phrases in keywords.items():
        for phrase in phrases:
            if phrase and len(phrase) <= LONGEST_PHRASE:
                index.setdefault(phrase, {})[name] = _KEYWORD / carriers[phrase] ** 0.5
    stop = topics.ambiguous(code)
    for name, (label, *_) in collection.words(code).items():
        phrase = _phrase(label, code)
        if set(phrase) <= stop:
            index.pop(phrase, None)
        elif code in UNSPACED or len("".join(phrase)) >= (_SHORTEST if stop else _SHORTEST_UNKNOWN):
            index[phrase] = {name: _NAME}
    for text, name in topics.words(code).items():
        index[_phrase(text, code)] = {name: _NAME}
    return index


def _phrase(text: str, code: str) -> Phrase:
    return (text.casefold(),) if code in UNSPACED else tuple(words(text))


def _countries(code: str) -> dict[Phrase, Weights]:
    """Return the names of countries, of which there is a flag."""
    try:
        names = babel.Locale.parse(code).territories
    except (ValueError, babel.UnknownLocaleError):
        return {}
    return {
        _phrase(country, code): {f"flag:{region.lower()}": _COUNTRY}
        for region, country in names.items()
        if region.isalpha() and collection.has(f"flag:{region.lower()}") and country.casefold() not in topics.ambiguous(code)
    }
