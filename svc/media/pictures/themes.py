"""What each picture may stand for, and the tones of texts, with their vectors."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svc.media.artwork import collection

_FOLDER = Path(__file__).parent
_VECTORS = _FOLDER / "themes.npz"  # written by .ci/themes.py: 2,700 texts take an encoder seconds
_SECOND = _VECTORS.with_name("themes_second.npz")  # by the same program
_STEPS = 127  # of a number that is stored in eight bits

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Themes:
    """The pictures, and vectors of length 1 from the middle of ordinary texts: of phrases, labels,
    sombre and empty texts.

    ``owners``: the picture of each phrase, as an index into ``pictures``. ``neutral``: those that a
    sombre scene may have.
    """

    pictures: tuple[str, ...]
    owners: NDArray[np.intp]
    phrases: Vectors
    labels: Vectors  # one for each picture
    sombre: Vectors
    nothing: Vectors
    middle: Vectors
    neutral: frozenset[str]


@dataclass(frozen=True)
class SecondThemes:
    """Vectors of the second encoder, as those of :class:`Themes`."""

    phrases: Vectors
    labels: Vectors
    nothing: Vectors
    middle: Vectors


def read_phrases() -> dict[str, tuple[str, ...]]:
    """Return the phrases of each picture."""
    rows = [row.split("; ") for row in _read_rows("themes.txt")]
    return {name: tuple(phrases) for name, *phrases in rows}


def read_tones(kind: str) -> tuple[str, ...]:
    """Return the texts of ``tones.txt`` of one kind: ``sombre``, ``nothing``, ``idiom``,
    or the names that are ``neutral``.
    """
    rows = (row.partition("; ") for row in _read_rows("tones.txt"))
    return tuple(text for key, _, text in rows if key == kind)


def build_vectors(
    ordinary: Sequence[str], encode: Callable[[Sequence[str]], Vectors]
) -> dict[str, NDArray]:
    """Return what ``themes.npz`` contains.

    ``ordinary``: texts whose middle is taken for that of all.
    """
    rows = _build_rows(encode)
    stored: dict[str, NDArray] = {key: value.astype(np.float16) for key, value in rows.items()}
    return stored | {"middle": encode(ordinary).mean(0), "digest": np.array(digest(ordinary))}


def build_second_vectors(
    ordinary: Sequence[str], encode: Callable[[Sequence[str]], Vectors]
) -> dict[str, NDArray]:
    """Return what ``themes_second.npz`` contains: each number in eight bits, as its rows have
    length 1 only when they are loaded."""
    rows = _build_rows(encode)
    stored: dict[str, NDArray] = {
        key: np.rint(_STEPS * rows[key] / np.abs(rows[key]).max(1, keepdims=True)).astype(np.int8)
        for key in ("phrases", "labels", "nothing")
    }
    return stored | {"middle": encode(ordinary).mean(0), "digest": np.array(digest(ordinary))}


def _build_rows(encode: Callable[[Sequence[str]], Vectors]) -> dict[str, Vectors]:
    pictures, english = read_phrases(), collection.read_picture_words("en")
    phrases = encode([phrase for listed in pictures.values() for phrase in listed])
    labels = encode([_read_label(english.get(name, [name.replace("-", " ")])) for name in pictures])
    rows = {
        "phrases": phrases - phrases.mean(0),
        "labels": labels - labels.mean(0),
        "sombre": encode(read_tones("sombre")) - phrases.mean(0),
        "nothing": encode(read_tones("nothing") + read_tones("idiom")) - phrases.mean(0),
    }
    return {key: normalise_rows(value) for key, value in rows.items()}


def digest(ordinary: Sequence[str]) -> str:
    """Return a digest of all texts that the vectors are made of."""
    words = collection.read_picture_words("en")
    texts = [repr((name, phrases, words.get(name))) for name, phrases in read_phrases().items()]
    texts += [*read_tones("sombre"), *read_tones("nothing"), *read_tones("idiom"), *ordinary]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


@cache
def load_themes() -> Themes:
    """Return the themes of this package."""
    pictures = read_phrases()
    with np.load(_VECTORS) as stored:
        vectors = {key: stored[key].astype(np.float32) for key in stored.files if key != "digest"}
    owners = np.array([number for number, phrases in enumerate(pictures.values()) for _ in phrases])
    return Themes(tuple(pictures), owners, neutral=frozenset(read_tones("neutral")), **vectors)


@cache
def load_second() -> SecondThemes:
    """Return the vectors of the second encoder."""
    with np.load(_SECOND) as stored:
        rows = {key: stored[key].astype(np.float32) for key in stored.files if key != "digest"}
    middle = rows.pop("middle")
    return SecondThemes(
        middle=middle, **{key: normalise_rows(value) for key, value in rows.items()}
    )


def normalise_rows(rows: Vectors) -> Vectors:
    """Return ``rows`` with length 1 each."""
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def _read_label(texts: Sequence[str]) -> str:
    label, *keywords = texts
    return f"{label}: {', '.join(keywords)}" if keywords else label


def _read_rows(file: str) -> list[str]:
    return [
        row
        for row in (_FOLDER / file).read_text("utf-8").splitlines()
        if row and not row.startswith("#")
    ]
