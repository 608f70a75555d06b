"""The first encoder with other weights in its network: they were learnt from scenes and the
pictures that are right for them (.ci/picture_odds.py), so that it sees what matters for pictures.

It shares the first encoder's tokens and their vectors, which are nearly all of its size.
"""

import copy
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svc.media.meaning import encoder
from svc.media.meaning.encoder import Vectors

SIZE = encoder.SIZE
# What is added to the weights of the first encoder, written by .ci/picture_odds.py.
_ADDED = Path(__file__).parent / "tuned.npz"
_STEPS = 127  # of a number that is stored in eight bits
_MATRICES = ("proj_W", "proj_b", "ln_g_all", "ln_b_all", "ln_g", "ln_b", "cnn_W", "cnn_b")
_LAST = ("d0", "d1", "d2", "d3", "p1", "p3")
_OF_WINDOWS = ("w1", "b1", "w2", "b2")  # of each width of the windows


def encode_texts(texts: Sequence[str]) -> Vectors:
    """Return the vectors of ``texts``, as :func:`encoder.encode_texts` does."""
    return encoder.encode_with(_network(), texts)


def list_weights(network: Any) -> dict[str, NDArray[np.float32]]:
    """Return the weights of an encoder's network that are learnt, by name."""
    weights = {name: getattr(network, name) for name in _MATRICES + _LAST}
    for name in _OF_WINDOWS:
        weights |= {f"{name}.{at}": each for at, each in enumerate(getattr(network, name))}
    return weights


def pack_added(weights: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """Return what ``tuned.npz`` contains: how far ``weights`` are from those of the first encoder,
    each number in eight bits."""
    stored = {}
    for name, first in list_weights(encoder.load_network()).items():
        added = weights[name] - first
        step = max(float(np.abs(added).max()), 1e-9) / _STEPS
        stored[name] = np.rint(added / step).astype(np.int8)
        stored[f"step of {name}"] = np.float32(step)
    return stored


def build_network(stored: Mapping[str, NDArray]) -> Any:
    """Return the network of the first encoder with what ``stored`` adds to its weights."""
    network = copy.copy(encoder.load_network())
    for name in _OF_WINDOWS:
        setattr(network, name, list(getattr(network, name)))
    for name, first in list_weights(network).items():
        weight = first + stored[name].astype(np.float32) * stored[f"step of {name}"]
        attribute, _, at = name.partition(".")
        if at:
            getattr(network, attribute)[int(at)] = weight
        else:
            setattr(network, attribute, weight)
    return network


@cache
def _network() -> Any:
    with np.load(_ADDED) as stored:
        return build_network(stored)
