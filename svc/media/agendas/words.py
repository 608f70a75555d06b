"""The words by which the heading of a list says that it is an agenda."""

from svc.media.languages import Agendas, read_words

_MARKS = " .,:;!?…،؛۔।¿¡\u00a0"


def is_surely_agenda(heading: str, language: str) -> bool | None:
    """Return whether a list under ``heading`` is surely an agenda,
    or only one if its points have times; None: neither.
    """
    name, known = normalise_text(heading), read_words(language, Agendas)
    if name in known.sure:
        return True
    return False if name in known.perhaps else None


def normalise_text(text: str) -> str:
    """Return what is compared of a heading or a point."""
    return text.replace("'", "’").strip(_MARKS).casefold()
