"""A text as a voice gets it, for whoever asks before there is a script:
the rules of the trigger.
"""

from collections.abc import Sequence

from svc.media.model import Pronunciation
from svc.media.text.pronunciation import lexicon
from svc.media.text.tokens import join_words, tokenize_text


def read(text: str, language: str, entries: Sequence[tuple[str, str]] = ()) -> str:
    """Return ``text`` in the words that are spoken: figures and abbreviations as they are read, and
    the words of a lexicon.

    ``language``: BCP 47; ``entries``: written and spoken.
    """
    listed = tokenize_text(text, language)
    said: Sequence[str] = [token.spoken for token in listed]
    if entries:
        words = [token.written for token in listed]
        said = lexicon.replace_words(
            words, said, tuple(Pronunciation(*entry) for entry in entries), language
        )
    return join_words(said)
