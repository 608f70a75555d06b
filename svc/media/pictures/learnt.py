"""How likely each picture is for a scene, and whether the likeliest is right: as it was learnt from
scenes whose right pictures are known (.ci/picture_odds.py).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svc.media.meaning import encoder, second_encoder
from svc.media.pictures import themes

_METRIC = Path(__file__).parent / "metric.npz"  # written by .ci/picture_odds.py
_ODDS = _METRIC.with_name("odds.json")  # written by .ci/picture_odds.py
FARTHEST = 4.0  # deviations of a sign from its middle that count
SHARPNESS = 0.07  # of the nearness: what a difference of it means
TEXT, TITLE = 0.9, 0.45  # the shares of text and title in what is compared with the phrases
LEAST_LIKELY = 1e-6

Vectors = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Metric:
    """What is added to the products of vectors: learnt from scenes.

    ``text``, ``title``: matrices that move the vectors of text and title; ``pictures``: a vector of
    each picture, and last of none, beside those of its phrases; ``bias``: of each; ``names``: how
    much more, or less, a name in the text says for each picture than for others;
    ``none_of_text``, ``none_of_title``: the direction of texts that no picture goes with;
    ``weights``: of a name in the text, of one in the title, and of the product.
    """

    text: Vectors
    title: Vectors
    pictures: Vectors
    bias: Vectors
    names: Vectors
    none_of_text: Vectors
    none_of_title: Vectors
    weights: Vectors


Metrics = Mapping[str, Metric]  # by the encoder whose vectors are compared
TUNED, SECOND = "tuned", "second"  # encoders


def start_metric(size: int = encoder.SIZE) -> Metric:
    """Return what nothing has been learnt by, for vectors of ``size`` numbers."""
    count = len(themes.load_themes().pictures) + 1
    square, row = np.zeros((size, size), np.float32), np.zeros(size, np.float32)
    pictures, bias = np.zeros((count, size), np.float32), np.zeros(count, np.float32)
    weights = np.array([0.0, 0.0, 1.0], np.float32)
    return Metric(square, square, pictures, bias, bias[:-1], row, row, weights)


def load_metrics() -> Metrics:
    """Return the metrics of this package: that of the second encoder if it is available."""
    names = (TUNED, SECOND) if second_encoder.is_available() else (TUNED,)
    return {name: _load_metric(name) for name in names}


@cache
def _load_metric(name: str) -> Metric:
    with np.load(_METRIC) as stored:
        return Metric(
            **{
                field.name: stored[f"{name}_{field.name}"].astype(np.float32)
                for field in fields(Metric)
            }
        )


def find_likelihoods(
    metric: Metric, text: Vectors, title: Vectors, named: Vectors, called: Vectors
) -> Vectors:
    """Return for each row of ``text`` and ``title``, vectors without names, how likely each picture
    is, and last how likely none is.

    ``named``, ``called``: how clearly text and title name each picture.
    """
    steep = find_steepness(metric, text, title, named, called)
    likely = np.exp(steep - steep.max(1, keepdims=True))
    return likely / likely.sum(1, keepdims=True)


def combine_likelihoods(likely: Sequence[Vectors]) -> Vectors:
    """Return how likely each picture is by all encoders together: the geometric mean, of rows that
    add up to one. What one of them excludes is not likely."""
    if len(likely) == 1:
        return likely[0]
    mean = np.exp(np.mean([np.log(each + LEAST_LIKELY) for each in likely], 0))
    return np.asarray(mean / mean.sum(1, keepdims=True), np.float32)


def find_steepness(
    metric: Metric, text: Vectors, title: Vectors, named: Vectors, called: Vectors
) -> Vectors:
    """Return the logarithm of how likely each picture is, and last none, but for a constant."""
    moved = TEXT * text + TITLE * title + text @ metric.text + title @ metric.title
    query = metric.weights[2] * moved
    keys, _, starts = list_keys(text.shape[1])
    best = np.maximum.reduceat(query @ keys.T, starts, axis=1) + query @ metric.pictures.T
    steep: Vectors = np.asarray(best / SHARPNESS + metric.bias, np.float32)
    steep[:, :-1] += (metric.weights[0] + metric.names) * named + metric.weights[1] * called
    steep[:, -1] += text @ metric.none_of_text + title @ metric.none_of_title
    return steep


@cache
def list_keys(size: int) -> tuple[Vectors, NDArray[np.intp], NDArray[np.intp]]:
    """Return phrases and labels by picture, and last the empty texts; the picture of each; and
    where those of each picture begin.

    As vectors of the encoder whose vectors have ``size`` numbers.
    """
    first = themes.load_themes()
    known = first if size == encoder.SIZE else themes.load_second()
    count = len(first.pictures)
    keys = np.vstack([known.phrases, known.labels, known.nothing])
    owners = np.concatenate([first.owners, np.arange(count), np.full(len(known.nothing), count)])
    order = np.argsort(owners, kind="stable")
    return keys[order], owners[order], np.flatnonzero(np.diff(owners[order], prepend=-1))


@dataclass(frozen=True, eq=False)
class Odds:
    """A network that tells from its signs whether a picture is right.

    ``signs``: their names; ``middle``, ``deviation``: of each; ``direct``: the weight of each;
    ``hidden``, ``shift``, ``out``: of what tells together; ``constant``: what is added.
    """

    signs: tuple[str, ...]
    middle: NDArray
    deviation: NDArray
    direct: NDArray
    hidden: NDArray
    shift: NDArray
    out: NDArray
    constant: float

    def find(self, signs: NDArray) -> NDArray:
        """Return the log odds of each row of ``signs``."""
        rows = np.clip((signs - self.middle) / self.deviation, -FARTHEST, FARTHEST)
        together = np.tanh(rows @ self.hidden + self.shift) @ self.out
        return rows @ self.direct + together + self.constant


@cache
def load_odds(encoders: int) -> Odds:
    """Return the network of this package for pictures that one or two ``encoders`` compared."""
    stored = json.loads(_ODDS.read_text("utf-8"))[SECOND if encoders > 1 else TUNED]
    signs, constant = tuple(stored.pop("signs")), stored.pop("constant")
    arrays = {name: np.array(values) for name, values in stored.items()}
    return Odds(signs=signs, constant=constant, **arrays)
