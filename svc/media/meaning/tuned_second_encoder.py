"""The second encoder with other scales and biases in its last layers: they were learnt from scenes
and the pictures that are right for them (.ci/picture_odds.py), as those of :mod:`tuned_encoder`.

The engine stores weights in four bits, in blocks of 32 that share a scale. The scales are learnt
and the bits stay (J. Kim et al., "Memory-efficient fine-tuning of compressed large language models
via sub-4-bit integer quantization", 2023), so that the engine computes with what was learnt.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svc.media.meaning import second_encoder
from svc.media.meaning.encoder import Vectors

SIZE = second_encoder.SIZE
# By what the scales change, and what is added to the biases, written by .ci/picture_odds.py.
_CHANGES = Path(__file__).parent / "tuned_second.npz"
_STEPS = 127  # of a number that is stored in eight bits
_BLOCK = np.dtype([("scale", "<f2"), ("bits", "u1", (16,))])  # 32 weights
_FLOAT = np.dtype("<f4")
VOCABULARY = 44  # where it begins in the file: after what the file is, and sizes


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies in the file of a model: blocks of weights, or numbers."""

    offset: int
    size: int  # bytes
    has_blocks: bool

    def view(self, model: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the tensor's blocks or numbers; what is written to them is written to
        ``model``."""
        kind = _BLOCK if self.has_blocks else _FLOAT
        return model[self.offset : self.offset + self.size].view(kind)


def encode_texts(texts: Sequence[str]) -> Vectors:
    """Return the vectors of ``texts``, as :func:`second_encoder.encode_texts` does."""
    return second_encoder.encode_with(_engine(), texts)


def find_tensors(model: NDArray[np.uint8]) -> dict[str, Tensor]:
    """Return the tensors of a model by name, as its engine (e5.c of the package) reads them:
    "l0.q.w" are the weights of the first layer's queries, "l0.q.b" their biases."""
    data = model.data
    at = VOCABULARY
    (pieces,) = struct.unpack_from("<i", data, at)
    at += 20  # with the numbers of four special tokens
    (letters,) = struct.unpack_from("<Q", data, at)
    at += 8 + 4 * (pieces + 1) + 4 * pieces + letters  # where pieces begin, their scores
    (normalised,) = struct.unpack_from("<I", data, at + 4)
    at += 8 + normalised
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = bytes(data[at + 2 : at + 2 + length]).decode("ascii")
        kind, _, offset, size = struct.unpack_from("<BIQQ", data, at + 2 + length)
        tensors[name] = Tensor(offset, size, has_blocks=bool(kind))
        at += 2 + length + 21
    return tensors


def pack_changes(changes: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """Return what ``tuned_second.npz`` contains, each number in eight bits.

    ``changes``: by name of the tensor, the share by which each block's scale grows, or what is
    added to each number.
    """
    stored: dict[str, NDArray[Any]] = {}
    for name, change in changes.items():
        step = max(float(np.abs(change).max()), 1e-9) / _STEPS
        stored[name] = np.rint(change.ravel() / step).astype(np.int8)
        stored[f"step of {name}"] = np.array(step, np.float32)
    return stored


def apply_changes(model: NDArray[np.uint8], stored: Mapping[str, NDArray]) -> None:
    """Change the scales and biases of a model by what :func:`pack_changes` returned."""
    tensors = find_tensors(model)
    for name in stored:
        if name in tensors:
            change = stored[name].astype(np.float32) * stored[f"step of {name}"]
            tensor = tensors[name].view(model)
            if tensors[name].has_blocks:
                tensor["scale"] = tensor["scale"] * (1 + change)
            else:
                tensor += change


def build_engine(stored: Mapping[str, NDArray]) -> Any:
    """Return the second encoder's engine with a model that is changed by ``stored``."""
    # What is not changed stays shared with all processes that read the file.
    model = np.memmap(second_encoder.find_model(), np.uint8, "c")
    apply_changes(model, stored)
    return second_encoder.load_engine(model)


@cache
def _engine() -> Any:
    with np.load(_CHANGES) as stored:
        return build_engine(stored)
