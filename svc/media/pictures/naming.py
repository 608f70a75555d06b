"""What a text names: pictures by their own words, and people; and the text without either,
so that only the rest speaks.
"""

from collections.abc import Iterable
from functools import cache
from itertools import groupby, pairwise
from operator import itemgetter

import regex

from svc.media.artwork import collection
from svc.media.languages import Everywhere, Pictures, merge_words, read_words
from svc.media.pictures import themes
from svc.media.pictures.forms import UNSPACED, Form, find_word_forms, is_in_text

GAP_MARK = "…"  # in the place of what was taken out
_LONGEST = 4  # words of a name that is looked for
_TELLING = 4  # letters of a small word that shows that a heading does not have capitals throughout
_CAPITAL = r"\p{Lu}[\p{L}\p{M}'’\-]*"
AROUND = '.,;:!?()"“”„«»¿¡'
_ENDS = regex.compile(r"[.!?:…][\"”»)]?$")
_CAPITALISED = regex.compile(_CAPITAL)
_NAME_AFTER = regex.compile(r"\p{Lu}\p{Ll}")
_SIGN_BETWEEN = regex.compile(r"[.,;:!?]$")


@cache
def _list_names(picture: str, code: str) -> tuple[tuple[str, ...], ...]:
    """Return the label and the keywords of a picture, as stems;
    in a language without spaces, as written.
    """
    label, *keywords = collection.read_picture_words(code).get(picture) or ("",)
    unlike = read_words(code, Pictures).no_names
    texts = (label, *(word for word in keywords if word.casefold() not in unlike))
    return tuple(
        (text.casefold(),) if code in UNSPACED else _list_stems(find_word_forms(text, code))
        for text in filter(None, texts)
    )


def _list_stems(words: Iterable[Form]) -> tuple[str, ...]:
    return tuple(form.stem or form.word for form in words)


def find_words(picture: str, text: str, code: str) -> set[str]:
    """Return the words of ``text`` that name ``picture``, in the language ``code`` (ISO 639-1)
    or in English.
    """
    said: set[str] = set()
    for one in dict.fromkeys((code, "en")):
        if one in UNSPACED:
            folded = text.casefold()
            said.update(name for (name,) in _list_names(picture, one) if is_in_text(name, folded))
            continue
        words = find_word_forms(text, one)
        stems = _list_stems(words)
        present = frozenset(stems)  # few names begin in a text, which may be long
        for name in (each for each in _list_names(picture, one) if each and each[0] in present):
            for at in range(len(stems) - len(name) + 1):
                if stems[at : at + len(name)] == name:
                    said.update(form.word for form in words[at : at + len(name)])
    return said


def has_label(picture: str, text: str, code: str) -> bool:
    """Return whether ``text`` has the label of ``picture``, in the language ``code`` (ISO 639-1) or
    in English."""
    for one in dict.fromkeys((code, "en")):
        label = next(iter(_list_names(picture, one)), ())
        if one in UNSPACED:
            if label and is_in_text(label[0], text.casefold()):
                return True
            continue
        stems = _list_stems(find_word_forms(text, one))
        starts = range(len(stems) - len(label) + 1 if label else 0)
        if any(stems[at : at + len(label)] == label for at in starts):
            return True
    return False


def find_named_pictures(text: str, code: str) -> dict[str, float]:
    """Return the pictures that ``text`` names, in the language ``code`` (ISO 639-1) or in English,
    and how clearly.

    1 for a name that only one picture has, a half for a name of two, and so on.
    """
    clear: dict[str, float] = {}
    for one in dict.fromkeys((code, "en")):
        known = _index_by_name(one)
        if one in UNSPACED:
            folded = text.casefold()
            said = {name for name in known if is_in_text(name[0], folded)}
        else:
            stems = _list_stems(find_word_forms(text, one))
            parts = {
                stems[at : at + length]
                for length in range(1, _LONGEST + 1)
                for at in range(len(stems) - length + 1)
            }
            said = parts & known.keys()
        for name in said:
            for picture in known[name]:
                clear[picture] = max(clear.get(picture, 0.0), 1 / len(known[name]))
    return clear


@cache
def _index_by_name(code: str) -> dict[tuple[str, ...], set[str]]:
    """Return the pictures that have each name, as stems."""
    pictures: dict[tuple[str, ...], set[str]] = {}
    for picture in themes.read_phrases():
        for name in filter(None, _list_names(picture, code)):
            pictures.setdefault(name, set()).add(picture)
    return pictures


def find_picture_called(text: str, code: str) -> str:
    """Return the picture whose label is ``text``, or that alone has it as a keyword;
    empty if there is none.
    """
    name = text.strip().casefold()
    return _load_pictures_by_label(code).get(name) or _load_pictures_by_label("en").get(name, "")


@cache
def _load_pictures_by_label(code: str) -> dict[str, str]:
    """Return the picture of each label, and of each keyword that only one picture has."""
    labels: dict[str, str] = {}
    owners: dict[str, set[str]] = {}
    for name, texts in collection.read_picture_words(code).items():
        labels.setdefault(texts[0].casefold(), name)
        for text in texts[1:]:
            owners.setdefault(text.casefold(), set()).add(name)
    return {text: next(iter(names)) for text, names in owners.items() if len(names) == 1} | labels


def remove_words(text: str, words: Iterable[str], code: str) -> str:
    """Return ``text`` without ``words``, in whatever case."""
    for word in sorted(words, key=len, reverse=True):
        within = regex.escape(word)
        whole = (
            within if code in UNSPACED else rf"(?<![\p{{L}}\p{{M}}]){within}(?![\p{{L}}\p{{M}}])"
        )
        text = regex.sub(whole, GAP_MARK, text, flags=regex.IGNORECASE)
    return text


def remove_people(text: str, code: str) -> str:
    """Return ``text`` without names: in scripts with capitals without every capitalised word within
    a sentence, as far as the language keeps capitals for names, and without what follows a title
    such as "Mrs"."""
    if read_words(code, Pictures).person:
        return _compile_person_names(code).sub(GAP_MARK, text)
    words = _compile_person_names("").sub(GAP_MARK, text).split()
    masked = [
        GAP_MARK if is_name else word
        for word, is_name in zip(words, _are_names(words, code), strict=True)
    ]
    return regex.sub(rf"{GAP_MARK}(?:\s*{GAP_MARK})+", GAP_MARK, " ".join(masked))


@cache
def _compile_person_names(code: str) -> regex.Pattern[str]:
    """Return what finds names with their titles; of a language without a pattern of its own, those
    that are known everywhere."""
    if own := read_words(code, Pictures).person:
        return regex.compile(own)
    title = f"(?:{'|'.join(sorted(merge_words(Everywhere).person_titles))})"
    return regex.compile(
        rf"\b{title}\b\.?(?:\s+{title}\b\.?)*(?:\s+(?:{_CAPITAL}|\p{{Lu}}\.))+|"
        rf"\b(?:\p{{Lu}}\.\s*)+{_CAPITAL}"
    )


def find_names(texts: Iterable[str], code: str) -> set[str]:
    """Return the words that have a capital within a sentence or a heading of ``texts``, and are
    nowhere written without; and names of several such words as a whole, also if one of them is: the
    product "Kettle One" is a name where a kettle is named, too.

    What begins a sentence is a name, too, if it is one in the heading: "Three days in Bath" and
    "Bath is small". A heading that has capitals throughout says nothing; nor do languages that do
    not keep capitals for names.
    """
    if read_words(code, Pictures).person:
        return set()
    lines = [text.split() for text in texts]
    plain = {word.strip(AROUND) for words in lines for word in words}
    names, phrases = set[str](), set[str]()
    for words in lines:
        if not any(word.islower() and len(word) >= _TELLING for word in words):
            continue
        marked = zip(words, _are_names(words, code), strict=True)
        for is_name, group in groupby(marked, key=itemgetter(1)):
            if is_name:
                run = [word for word, _ in group]
                names.update(word.strip(AROUND) for word in run)
                phrases.update(_list_pairs(run))
    alone = {name for name in names if name.lower() not in plain}
    return alone | {phrase for phrase in phrases if not alone.issuperset(phrase.split())}


def _list_pairs(words: list[str]) -> Iterable[str]:
    """Yield each two of the words of names that no sign stands between."""
    for word, following in pairwise(words):
        if not _SIGN_BETWEEN.search(word):
            yield f"{word.strip(AROUND)} {following.strip(AROUND)}"


def _are_names(words: list[str], code: str) -> Iterable[bool]:
    """Yield of each word whether its capital makes it a name: not the first of a sentence,
    unless another name follows.
    """
    starts = True
    for at, word in enumerate(words):
        core = word.strip(AROUND)
        after = words[at + 1].strip(AROUND) if at + 1 < len(words) else ""
        is_name = code != "de" and _CAPITALISED.fullmatch(core) and not core.isupper()
        is_pair = _NAME_AFTER.match(after) and not _SIGN_BETWEEN.search(word) and len(core) > 3
        yield bool(is_name and (not starts or is_pair))
        starts = _ENDS.search(word) is not None
