"""Letters that name one of several, such as Vitamin C or Plan B:
a full stop after them ends the sentence.
"""

from svc.media.languages import Everywhere, Sentences, merge_words, read_words
from svc.media.text.numerals import OPENERS, PAUSES, base_language

_CATALOGUES = frozenset("KD")  # of Mozart's and of Schubert's works: K. 550


def names_letter(word: str) -> bool:
    """Return whether a letter after ``word`` names one of several: ``opción``."""
    return word.lower().strip(OPENERS) in merge_words(Everywhere).letter_names


def ends_sentence(letter: str, before: str, after: str, language: str) -> bool:
    """Return whether the full stop after a capital ``letter`` ends a sentence,
    so that it is no initial of a name.
    """
    following = after.lstrip(OPENERS)[:1]
    if is_sentence_start(after, language):
        return True
    named = names_letter(before)
    if following.isdigit() or (following and following in "$€£¥"):
        return named or (before[:1].islower() and letter not in _CATALOGUES)
    return named and following.isalpha()


def is_book(word: str, language: str) -> bool:
    """Return whether ``word``, with or without a dot, is a book of scripture: ``Luke``, ``Joh.``"""
    name = word.lstrip(OPENERS).removesuffix(".")
    books = read_words(base_language(language), Everywhere).books
    return name[:1].isupper() and name.lower() in books


def may_be_surname(word: str, language: str) -> bool:
    """Return whether ``word`` after a letter with a full stop may be a name;
    False in a language without known starts.
    """
    return (
        word[:1].isupper()
        and bool(read_words(language, Sentences).starts)
        and not is_sentence_start(word, language)
    )


def is_sentence_start(word: str, language: str) -> bool:
    """Return whether ``word`` begins a sentence, and is not a name."""
    return word.strip(f"{OPENERS}{PAUSES}.") in read_words(language, Sentences).starts
