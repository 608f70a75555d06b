"""``python .ci/picture_odds.py FOLDER``: write how likely pictures are for scenes, as it was learnt
(svc/media/pictures/metric.npz and, of the encoder's network, svc/media/meaning/tuned.npz), and the
weights of what tells whether a picture is right (odds.json).

They are learnt on all scenes of tests/media/meaning/pictures_*.txt. The weights are fitted with a
likelihood that was learnt from scenes of other topics, as it is for those of a stranger. All of it
for both encoders together, and for the tuned one alone, where the second is not available.

Needs .ci/pictures.txt. FOLDER has what was learnt so far: a run that was ended goes on from there.

Prints, of each file and each language, how many pictures would be shown at several bars if each
topic were judged by what was learnt from the others, and how many of those nobody had noted: about
half of these would do.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from svc.media.meaning import encoder, second_encoder, tuned_encoder  # noqa: E402
from svc.media.pictures import learnt, meaning, naming, themes  # noqa: E402
from tests.media.meaning import test_pictures_judged  # noqa: E402

FOLDER = ROOT / "tests" / "media" / "meaning"
WRITTEN = [path.stem.removeprefix("pictures_") for path in FOLDER.glob("pictures_written*.txt")]
NAMED = ("tuning", *sorted(WRITTEN), "held_out")
# whose right pictures are noted in plain words
NOTED = ("fresh_tuning", "fresh_held_out", "judged", "judged_2", "judged_3", "judged_4")
NOTED += ("judged_5", "judged_6")
TARGET = ROOT / "svc" / "media" / "pictures" / "odds.json"
METRIC = TARGET.with_name("metric.npz")
TUNED = ROOT / "svc" / "media" / "meaning" / "tuned.npz"
METRICS = Path(__file__).with_name("picture_metric.py")
PARTS = 3  # of the topics: what tells in one is learnt from the others
ALL = "all"
PROCESSES = 3  # one for each part
ENCODERS = (learnt.TUNED, learnt.SECOND)
TOGETHER = 128  # rows in one step
# of the networks: how many, their hidden units, rounds over all rows, and steps
NETWORKS, UNITS, FITTING, PACE_OF_FITTING, DECAY = 6, 24, 24, 0.003, 0.001
ANY = -99.0  # a floor that every score is above
AT_ONCE = 256  # texts that are encoded together
RANKED = 500  # scenes that are ranked together
BARS = (1.5, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.2, 3.4, 3.6, 4.0)


Rows = list[tuple[int, meaning.Candidate]]  # pictures of scenes, by number


@dataclass(frozen=True)
class Scene:
    """A scene with the pictures that it may have; ``file``: in which it is written."""

    said: meaning.Said
    right: frozenset[str]
    file: str


def scenes() -> Iterator[Scene]:
    """Yield the scenes in languages that the encoder knows."""
    for file in NAMED:
        language = topic = heading = ""
        for line in (FOLDER / f"pictures_{file}.txt").read_text("utf-8").splitlines():
            if line.startswith("## "):
                language, topic, heading = (part.strip() for part in line[3:].split("|"))
            elif line and not line.startswith("#"):
                fitting, text = line.split(" | ", 1)
                right = frozenset(each.rstrip("*") for each in fitting.split(", ")) - {"-"}
                yield Scene(meaning.Said((text,), heading, topic, language), right, file)
    pictures = themes.read_phrases()
    for file in NOTED:
        for scene in test_pictures_judged.scenes(f"pictures_{file}"):
            right = frozenset(
                name for name in pictures if scene.has_noted(name) and not scene.is_wrong(name)
            )
            yield Scene(scene.said, right, file)


def fit(signs: NDArray, is_right: NDArray, names: tuple[str, ...]) -> learnt.Odds:
    """Return the network that tells right pictures by their signs: the mean of several, each
    fitted by Adam's steps from another start, as one of them alone is unsteady."""
    middle, deviation = signs.mean(0), signs.std(0) + 1e-6
    rows = np.clip((signs - middle) / deviation, -learnt.FARTHEST, learnt.FARTHEST)
    networks = [_fit_network(rows, is_right, seed) for seed in range(NETWORKS)]
    hidden, shift, out, constant, direct = zip(*networks, strict=True)
    return learnt.Odds(
        signs=names,
        middle=middle,
        deviation=deviation,
        direct=np.mean(direct, 0),
        hidden=np.hstack(hidden),
        shift=np.concatenate(shift),
        out=np.concatenate(out) / NETWORKS,
        constant=float(np.mean(constant)),
    )


def _fit_network(rows: NDArray, is_right: NDArray, seed: int) -> list[NDArray]:
    """Return the weights of one network: hidden, shift, out, constant and direct."""
    drawn = np.random.default_rng(seed)
    count = rows.shape[1]
    values = [
        drawn.normal(0, count**-0.5, (count, UNITS)),
        np.zeros(UNITS),
        drawn.normal(0, 0.3 * UNITS**-0.5, UNITS),
        np.zeros(1),
        np.zeros(count),
    ]
    mean, square = ([np.zeros_like(value) for value in values] for _ in range(2))
    steps, taken = FITTING * -(-len(rows) // TOGETHER), 0
    for _ in range(FITTING):
        order = drawn.permutation(len(rows))
        for start in range(0, len(order), TOGETHER):
            some = rows[order[start : start + TOGETHER]]
            hidden, shift, out, constant, direct = values
            units = np.tanh(some @ hidden + shift)
            likely = 1 / (1 + np.exp(-(units @ out + constant + some @ direct)))
            excess = (likely - is_right[order[start : start + TOGETHER]]) / len(some)
            back = excess[:, None] * out * (1 - units * units)
            slopes = [
                some.T @ back + DECAY * hidden,
                back.sum(0),
                units.T @ excess + DECAY * out,
                np.array([excess.sum()]),
                some.T @ excess + 0.3 * DECAY * direct,
            ]
            taken += 1
            pace = PACE_OF_FITTING * (1 - 0.95 * taken / steps)
            for at, slope in enumerate(slopes):
                mean[at] = 0.9 * mean[at] + 0.1 * slope
                square[at] = 0.99 * square[at] + 0.01 * slope * slope
                step = mean[at] / (1 - 0.9**taken)
                step /= np.sqrt(square[at] / (1 - 0.99**taken) + 1e-8)
                values[at] = values[at] - pace * step
    return values


def encode(name: str, texts: list[str]) -> NDArray:
    """Return the vectors of texts by an encoder."""
    return np.asarray(meaning._ENCODERS[name].encode_texts(texts))


def remember(pool: ProcessPoolExecutor, listed: list[Scene]) -> None:
    """Encode the texts of scenes, so that processes that are started afterwards know them."""
    firsts = [text for scene in listed for text in scene.said.texts()]
    seconds = [text for scene in listed for text in (scene.said.unnamed[0], scene.said.subject)]
    meaning._CACHED = sys.maxsize
    for name, texts in ((meaning._FIRST, firsts), (learnt.SECOND, seconds)):
        wanted = [text for text in dict.fromkeys(texts) if text not in meaning._vectors[name]]
        parts = [wanted[at : at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE)]
        for part, vectors in zip(parts, pool.map(encode, [name] * len(parts), parts), strict=True):
            meaning._vectors[name].update(zip(part, vectors, strict=True))


def store_scenes(listed: list[Scene], parts: NDArray, path: Path) -> None:
    """Store what metrics are learnt from: tokens of texts and titles, their vectors by the second
    encoder, how clearly they name each picture, what is right for each (the pictures, and last
    none), and the part of each scene."""
    pictures = themes.load_themes().pictures
    said = [scene.said for scene in listed]
    texts, titles = [each.unnamed[0] for each in said], [each.subject for each in said]
    stored = {"parts": parts}
    for name, written in (("text", texts), ("title", titles)):
        tokens = [encoder.tokenize(text) for text in written]
        stored[f"{name}_tokens"] = np.concatenate(tokens)
        stored[f"{name}_lengths"] = np.array([len(each) for each in tokens])
        stored[f"second_{name}"] = meaning._centre(written, learnt.SECOND)
    namings = {
        "named": [naming.find_named_pictures(each.whole, each.code) for each in said],
        "called": [
            naming.find_named_pictures(each.subject if each.title else "", each.code)
            for each in said
        ],
    }
    for name, found in namings.items():
        rows = [[clear.get(picture, 0.0) for picture in pictures] for clear in found]
        stored[name] = np.array(rows, np.float16)
    right = np.array([[name in scene.right for name in pictures] for scene in listed], np.int8)
    stored["right"] = np.c_[right, right.sum(1) == 0].astype(np.int8)
    np.savez(path, **stored)


def load_learnt(path: Path) -> tuple[dict[str, learnt.Metric], dict[str, NDArray]]:
    """Return what .ci/picture_metric.py wrote: the metric of each encoder, and what is added to
    the weights of the tuned one's network."""
    with np.load(path) as stored:
        values = dict(stored)
    names = [field.name for field in fields(learnt.Metric)]
    metrics = {
        encoder_: learnt.Metric(**{name: values[f"{encoder_}_{name}"] for name in names})
        for encoder_ in ENCODERS
    }
    weights = {name: values[f"network_{name}"] for name in tuned_encoder.list_weights(network())}
    return metrics, tuned_encoder.pack_added(weights)


def network() -> object:
    """Return the network of the first encoder."""
    return encoder.load_network()


def judge(listed: list[Scene], held: NDArray[np.bool_], path: Path) -> dict[str, Rows]:
    """Return the pictures that may be shown for the scenes that are ``held`` by what was learnt
    from the others, each with its scene's number: by the tuned encoder alone, and by both."""
    metrics, added = load_learnt(path)
    tuned = tuned_encoder.build_network(added)
    tuned_encoder._network = lambda: tuned
    meaning._vectors[learnt.TUNED].clear()
    rows: dict[str, Rows] = {name: [] for name in ENCODERS}
    numbers = np.flatnonzero(held)
    for at in range(0, len(numbers), RANKED):
        some = numbers[at : at + RANKED]
        said = [listed[number].said for number in some]
        for name in ENCODERS:
            chosen = metrics if name == learnt.SECOND else {learnt.TUNED: metrics[learnt.TUNED]}
            ranked = meaning.rank_for_scenes(said, floor=ANY, metrics=chosen)
            rows[name] += [
                (int(number), row)
                for number, result in zip(some, ranked, strict=True)
                for row in meaning.list_eligible(*result)
            ]
    return rows


def print_shown(groups: NDArray, at: NDArray, odds: NDArray, is_right: NDArray) -> None:
    """Print of each group of scenes how many have a picture at each bar, and how many of those
    nobody noted. ``at``: the scene of each row."""
    surest = np.array([*{int(at[row]): row for row in np.argsort(odds)}.values()])
    for name in (*dict.fromkeys(groups), "all"):
        count = len(groups) if name == "all" else int((groups == name).sum())
        rows = surest if name == "all" else surest[groups[at[surest]] == name]
        shown = [
            f"{bar}: {(odds[rows] >= bar).sum() / count:.0%} "
            f"({(is_right[rows[odds[rows] >= bar]] == 0).sum()} not noted)"
            for bar in BARS
        ]
        print(f"{name}, {count} scenes: {', '.join(shown)}")


def tell_apart(
    listed: list[Scene], parts: NDArray, rows: Rows, is_printed: bool
) -> dict[str, object]:
    """Return what ``odds.json`` contains of one network; print what would be shown by it."""
    at = np.array([scene for scene, _ in rows])  # the scene of each row
    names = tuple(name for name in rows[0][1].signs if name != "encoders")
    signs = np.array([[row.signs[name] for name in names] for _, row in rows])
    is_right = np.array([row.picture in listed[scene].right for scene, row in rows], float)
    odds = fit(signs, is_right, names)
    if is_printed:
        held_out = np.zeros(len(rows))
        for part in range(PARTS):
            held = parts[at] == part
            held_out[held] = fit(signs[~held], is_right[~held], names).find(signs[held])
        print_shown(np.array([scene.file for scene in listed]), at, held_out, is_right)
        print_shown(np.array([scene.said.code for scene in listed]), at, held_out, is_right)
    return {
        name: value.round(4).tolist() if isinstance(value, np.ndarray) else value
        for name, value in ((field.name, getattr(odds, field.name)) for field in fields(odds))
    }


def main(folder: Path) -> None:
    if not second_encoder.is_available():
        sys.exit("The second encoder runs on Linux on x86-64 with AVX2 alone: learn there.")
    listed = [scene for scene in scenes() if meaning.knows_language(scene.said.language)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        remember(pool, listed)
    topics = sorted({scene.said.topic for scene in listed})
    np.random.default_rng(0).shuffle(topics)
    part_of = {topic: at % PARTS for at, topic in enumerate(topics)}
    parts = np.array([part_of[scene.said.topic] for scene in listed])
    folder.mkdir(parents=True, exist_ok=True)
    store_scenes(listed, parts, folder / "scenes.npz")
    # in a process of its own, as one that has used JAX must not be forked
    subprocess.run([sys.executable, str(METRICS), str(folder)], check=True)
    metrics, added = load_learnt(folder / f"learnt_{ALL}.npz")
    np.savez_compressed(TUNED, **added)
    np.savez_compressed(
        METRIC,
        **{
            f"{name}_{field.name}": getattr(metric, field.name).astype(np.float16)
            for name, metric in metrics.items()
            for field in fields(metric)
        },
    )
    with ProcessPoolExecutor(PROCESSES) as pool:
        calls = [
            pool.submit(judge, listed, parts == part, folder / f"learnt_{part}.npz")
            for part in range(PARTS)
        ]
        judged = [call.result() for call in calls]
        told = {
            name: pool.submit(
                tell_apart,
                listed,
                parts,
                [row for rows in judged for row in rows[name]],
                name == learnt.SECOND,
            )
            for name in ENCODERS
        }
        TARGET.write_text(
            json.dumps({name: call.result() for name, call in told.items()}) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
