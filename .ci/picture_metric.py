"""``python .ci/picture_metric.py FOLDER``: learn how likely pictures are for scenes.

.ci/picture_odds.py calls it. It reads FOLDER/scenes.npz and writes for each encoder
FOLDER/learnt_ENCODER.npz, what was learnt from the scenes that are not held out. What there is
already stays, so that one that was ended goes on.

Learnt are a metric (svc/media/pictures/learnt.py) and weights of the encoder's network, from those
that it comes with (svc/media/meaning/tuned_encoder.py and tuned_second_encoder.py).
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

import picture_first
import picture_second

from svc.media.meaning import encoder, second_encoder
from svc.media.pictures import learnt, themes

# over all scenes; scenes in one step, and sorted by length
ROUNDS, TOGETHER, SORTED = 3, 128, 4096
# by the name of what is learnt of a metric; the networks have paces of their own
PACES = {"text": 0.0003, "title": 0.0003, "pictures": 0.0006, "bias": 0.01, "names": 0.01}
PACES |= {"none_of_text": 0.025, "none_of_title": 0.025, "weights": 0.025}
WARMING, LAST = 100, 0.05  # steps, and the share of the pace at the end
# what keeps what is learnt small
SHRINKING = {"text": 0.001, "title": 0.001, "pictures": 0.0003, "names": 0.0003}
NETWORKS = {
    learnt.TUNED: (picture_first, encoder.SIZE),
    learnt.SECOND: (picture_second, second_encoder.SIZE),
}
Values = dict[str, Any]


class Learner:
    """Scenes, and what is learnt from some of them by one encoder."""

    def __init__(self, stored: dict[str, NDArray], name: str) -> None:
        module, self._size = NETWORKS[name]
        self._stored, self._paces = stored, PACES | module.PACES
        texts = list(dict.fromkeys([*stored["texts"], *stored["titles"]]))
        number = {text: at for at, text in enumerate(texts)}
        self._texts, self._titles = (
            np.array([number[text] for text in stored[kind]]) for kind in ("texts", "titles")
        )
        self._keys, self._owners = (jnp.asarray(each) for each in learnt.list_keys(self._size)[:2])
        self._count = len(themes.load_themes().pictures) + 1
        self.network = module.Network(texts)

    def pick(self, numbers: NDArray) -> Values:
        """Return what is known of some scenes."""
        known: Values = {
            name: self._stored[name][numbers].astype(np.float32)
            for name in ("named", "called", "right")
        }
        known["text"] = self.network.embed(self._texts[numbers])
        known["title"] = self.network.embed(self._titles[numbers])
        return known

    def deal(self, numbers: NDArray, drawn: np.random.Generator) -> Iterator[Values]:
        """Yield the scenes of each step, which have texts of like length."""
        order = drawn.permutation(numbers)
        lengths = self.network.lengths[self._texts]
        steps = []
        for some in np.array_split(order, max(1, len(order) // SORTED)):
            near = some[np.argsort(lengths[some], kind="stable")]
            whole = len(near) - len(near) % TOGETHER
            steps += [near[at : at + TOGETHER] for at in range(0, whole, TOGETHER)]
        for at in drawn.permutation(len(steps)):
            yield self.pick(steps[at])

    def find_loss(self, values: Values, known: Values, key: Any) -> Any:
        """Return the cross entropy of the right pictures, and what keeps matrices small."""
        metric = values["metric"]
        text, title = self.network.encode_scenes(
            values["network"], known["text"], known["title"], key
        )
        likely = jax.nn.log_softmax(self._find_steepness(metric, text, title, known), 1)
        right = jnp.where(known["right"] > 0, likely, -1e9)
        loss = -jax.scipy.special.logsumexp(right, 1).mean()
        large = sum(share / 2 * (metric[name] ** 2).sum() for name, share in SHRINKING.items())
        return loss + large

    def _find_steepness(self, metric: Values, text: Any, title: Any, known: Values) -> Any:
        moved = learnt.TEXT * text + learnt.TITLE * title
        moved += text @ metric["text"] + title @ metric["title"]
        query = metric["weights"][2] * moved
        products = query @ self._keys.T
        best = jax.ops.segment_max(
            products.T, self._owners, num_segments=self._count, indices_are_sorted=True
        ).T
        best += query @ metric["pictures"].T
        named = (metric["weights"][0] + metric["names"]) * known["named"]
        named += metric["weights"][1] * known["called"]
        none = text @ metric["none_of_text"] + title @ metric["none_of_title"]
        return best / learnt.SHARPNESS + metric["bias"] + jnp.c_[named, none]

    def learn(self, numbers: NDArray) -> Values:
        """Return what is learnt from scenes by Adam's steps down the slope of the loss."""
        drawn, key = np.random.default_rng(0), jax.random.key(0)
        metric = vars(learnt.start_metric(self._size))
        values: Values = {
            "metric": {name: jnp.asarray(value) for name, value in metric.items()},
            "network": self.network.start(),
        }
        count = ROUNDS * (len(numbers) // TOGETHER)
        names = {
            "metric": {name: name for name in values["metric"]},
            "network": {name: self.network.name_pace(name) for name in values["network"]},
        }
        taker = optax.multi_transform(
            {
                name: optax.adam(
                    optax.warmup_cosine_decay_schedule(0, pace, WARMING, count, pace * LAST),
                    b2=0.99,
                )
                for name, pace in self._paces.items()
            },
            names,
        )
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
        scenes = dict(stored)
    for name in NETWORKS:
        path = folder / f"learnt_{name}.npz"
        if path.exists():
            continue
        print(f"encoder {name}", flush=True)
        learner = Learner(scenes, name)
        values = learner.learn(np.flatnonzero(~scenes["is_held"]))
        found = {f"metric_{key}": np.asarray(each) for key, each in values["metric"].items()}
        weights = {key: np.asarray(each) for key, each in values["network"].items()}
        found |= {f"network_{key}": each for key, each in learner.network.pack(weights).items()}
        np.savez(path, **found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
