"""The file of a production that has the sentences of its captions as a model translated them."""

from dataclasses import dataclass
from pathlib import Path

from svc.media import records

FILE = "translations.json"


@dataclass(frozen=True)
class Translation:
    """The captions in one language.

    ``scenes``: for each scene, its sentences. ``language``: BCP 47.
    """

    language: str
    model: str  # that translated it
    scenes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Translations:
    languages: tuple[Translation, ...]


def read_translations(folder: Path) -> tuple[Translation, ...]:
    """Return the translated captions of a production; empty if it has none.

    ValueError: the file is malformed.
    """
    path = folder / FILE
    return records.load_record(Translations, path).languages if path.exists() else ()
