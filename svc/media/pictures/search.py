"""Finding the picture that fits a text best, or none: a wrong picture is worse than no picture."""

from collections.abc import Collection, Iterator

import regex

from svc.media.pictures import index
from svc.media.pictures.forms import UNSPACED, Form, forms, occurs
from svc.media.pictures.index import Index, Phrase, Weights

_FLOOR = 0.55  # of a picture's score; below it, no picture
_LONG = 14  # words; a longer text is about more, and needs more evidence
_HIGHEST_FLOOR = 0.95
_LONGEST = 400  # characters that are read
_LONGEST_POINT = 120
_STEM = 0.85  # the factor for words that share only their stem
_REPEATED = 0.4  # the share of its weight that a repeated phrase adds, twice at most
_SIGNS_PER_WORD = 3  # in languages without spaces
_SAME = {"nb": "no", "nn": "no"}
_IN_A_STATE = regex.compile(  # "Cuba, New York" is a town, as is any name before one of the United States
    r"\p{Lu}[\p{L}.’'-]*, (?:Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii"
    r"|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi"
    r"|Missouri|Montana|Nebraska|Nevada|New (?:Hampshire|Jersey|Mexico|York)|(?:North|South) (?:Carolina|Dakota)|Ohio|Oklahoma"
    r"|Oregon|Pennsylvania|Rhode Island|Tennessee|Texas|Utah|Vermont|(?:West )?Virginia|Washington|Wisconsin|Wyoming)\b"
)


def find(text: str, language: str, exclude: Collection[str] = ()) -> str:
    """Return the name of the picture that fits ``text`` in ``language`` (BCP 47) best; empty if none fits well enough.

    ``exclude``: names that are not to be returned. Among equals, the picture that is named first is returned.
    """
    code, read = _code(language), _IN_A_STATE.sub("", text[:_LONGEST])
    scores: dict[str, float] = {}  # in the order in which the text names them
    for weights, times in _matches(read, code):
        for name, weight in weights.items():
            scores[name] = scores.get(name, 0.0) + weight * (1 + _REPEATED * (min(times, 3) - 1))
    length = len(read) // _SIGNS_PER_WORD if code in UNSPACED else len(read.split())
    floor = min(_HIGHEST_FLOOR, _FLOOR * (1 + max(0, length - _LONG) / 30))
    fitting = [name for name, score in scores.items() if score >= floor and name not in exclude]
    return max(fitting, key=lambda name: round(scores[name], 3), default="")


def icon_for(text: str, language: str, exclude: Collection[str] = ()) -> str:
    """Return the name of the picture that stands beside a list's point; empty if none fits its beginning."""
    return find(text[:_LONGEST_POINT], language, exclude)


def country_at_end(text: str, language: str) -> tuple[str, list[str]]:
    """Return the name of the flag of the country that ``text`` ends with, empty if there is none, and the words before it."""
    code = _code(language)
    written, known = forms(_IN_A_STATE.sub("", text), code), index.of(code)
    words = [form.word for form in written]
    for first in range(max(0, len(words) - index.LONGEST_PHRASE), len(words)):
        if tuple(words[first:]) in known.elsewhere:
            break
        weights = _weights(written[first:], known)
        if flag := next((name for name in weights if name.startswith("flag:")), ""):
            return flag, words[:first]
    return "", words


def _code(language: str) -> str:
    base = language.lower().partition("-")[0]
    return _SAME.get(base, base)


def _matches(text: str, code: str) -> Iterator[tuple[Weights, int]]:
    """Yield the pictures of each phrase of ``text``, in its order, with the number of times that it stands there."""
    known = index.of(code)
    if code in UNSPACED:
        yield from _substrings(text.casefold(), known)
        return
    counts: dict[Phrase, int] = {}
    pictures: dict[Phrase, Weights] = {}
    for phrase, weights in _phrases(forms(text, code), known):
        counts[phrase] = counts.get(phrase, 0) + 1
        pictures[phrase] = weights
    yield from ((weights, counts[phrase]) for phrase, weights in pictures.items())


def _substrings(text: str, known: Index) -> Iterator[tuple[Weights, int]]:
    elsewhere: Iterator[tuple[Phrase, Weights]] = ((phrase, {}) for phrase in known.elsewhere)
    all_known = (*known.exact.items(), *known.countries.items(), *elsewhere)
    present = [(phrase[0], weights) for phrase, weights in all_known if occurs(phrase[0], text)]
    longest = [row for row in present if not any(row[0] != other and row[0] in other for other, _ in present)]
    for phrase, weights in sorted(longest, key=lambda row: text.find(row[0])):
        yield weights, text.count(phrase)


def _phrases(words: list[Form], known: Index) -> Iterator[tuple[Phrase, Weights]]:
    """Yield the known phrases, the longest first at each word; a phrase uses up its words."""
    at = 0
    while at < len(words):
        for length in range(min(index.LONGEST_PHRASE, len(words) - at), 0, -1):
            part = words[at : at + length]
            weights = _weights(part, known)
            if weights or tuple(form.word for form in part) in known.elsewhere:
                yield tuple(form.stem or form.word for form in part), weights
                at += length - 1
                break
        at += 1


def _weights(part: list[Form], known: Index) -> Weights:
    phrase = tuple(form.word for form in part)
    if phrase in known.countries and (part[0].capital or not phrase[0].isascii()):
        return known.countries[phrase]
    if phrase in known.exact:
        return known.exact[phrase]
    if known.ambiguous.issuperset(phrase):
        return {}
    stems = known.stems.get(tuple(form.stem for form in part), {})
    return {name: weight * _STEM for name, weight in stems.items()}
