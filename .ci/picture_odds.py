"""``python .ci/picture_odds.py FOLDER``: write how likely pictures are for scenes, as it was learnt
(svc/media/pictures/metric.npz and, of the encoders' networks, svc/media/meaning/tuned.npz and
tuned_second.npz), and the weights of what tells whether a picture is right (odds.json).

Likelihoods are learnt from six of seven topics of tests/media/meaning/pictures_*.txt, but for those
in FRESH; the weights are fitted to what is held out, as those of a stranger are new, too. All of it
for both encoders together, and for the first alone, where the second is not available.

Needs .ci/pictures.txt, and about an hour of two processors. FOLDER has what was learnt so far: a
run that was ended goes on from there.

Prints, of each file and each language that are held out, how many pictures would be shown at
several bars if each part of the topics were judged by weights that are fitted to the others, and
how many of those nobody had noted: about half of these would do.
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

from svc.media.meaning import second_encoder, tuned_encoder, tuned_second_encoder  # noqa: E402
from svc.media.pictures import learnt, meaning, naming, themes  # noqa: E402
from tests.media.meaning import test_pictures_judged  # noqa: E402

FOLDER = ROOT / "tests" / "media" / "meaning"
WRITTEN = [path.stem.removeprefix("pictures_") for path in FOLDER.glob("pictures_written*.txt")]
NAMED = ("tuning", *sorted(WRITTEN), "held_out")
# whose right pictures are noted in plain words
NOTED = ("fresh_tuning", "fresh_held_out", "judged", "judged_2", "judged_3", "judged_4")
NOTED += ("judged_5", "judged_6")
FRESH = ("judged_7", "judged_8", "judged_9", "judged_10")  # the same, all held out
TARGET = ROOT / "svc" / "media" / "pictures" / "odds.json"
METRIC = TARGET.with_name("metric.npz")
CHANGES = {
    learnt.TUNED: ROOT / "svc" / "media" / "meaning" / "tuned.npz",
    learnt.SECOND: ROOT / "svc" / "media" / "meaning" / "tuned_second.npz",
}
METRICS = Path(__file__).with_name("picture_metric.py")
HELD_OUT = 7  # of so many topics, one
PARTS = 3  # of the topics that are held out: what tells in one is fitted to the others
PROCESSES = 2
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
    """A scene with the pictures that it may have; ``may_have_none``: whether it is as well without;
    ``file``: in which it is written."""

    said: meaning.Said
    right: frozenset[str]
    may_have_none: bool
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
                noted = [each.rstrip("*") for each in fitting.split(", ")]
                said = meaning.Said((text,), heading, topic, language)
                yield Scene(said, frozenset(noted) - {"-"}, "-" in noted, file)
    pictures = themes.read_phrases()
    for file in NOTED + FRESH:
        for scene in test_pictures_judged.scenes(f"pictures_{file}"):
            right = frozenset(name for name in pictures if not scene.is_wrong(name))
            yield Scene(scene.said, right, not scene.is_possible or not right, file)


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
    """Encode the texts of scenes by the first encoder, so that processes that are started
    afterwards know them."""
    texts = [text for scene in listed for text in scene.said.texts()]
    meaning._CACHED = sys.maxsize
    wanted = list(dict.fromkeys(texts))
    parts = [wanted[at : at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE)]
    names = [meaning._FIRST] * len(parts)
    for part, vectors in zip(parts, pool.map(encode, names, parts), strict=True):
        meaning._vectors[meaning._FIRST].update(zip(part, vectors, strict=True))


def store_scenes(listed: list[Scene], is_held: NDArray[np.bool_], path: Path) -> None:
    """Store what is learnt from: texts and titles, how clearly they name each picture, what is
    right for each (the pictures, and last none), and which scenes are held out."""
    pictures = themes.load_themes().pictures
    said = [scene.said for scene in listed]
    stored: dict[str, NDArray] = {
        "is_held": is_held,
        "texts": np.array([each.unnamed[0] for each in said]),
        "titles": np.array([each.subject for each in said]),
    }
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
    without = np.array([scene.may_have_none for scene in listed], np.int8)
    stored["right"] = np.c_[right, without]
    np.savez(path, **stored)


def load_learnt(folder: Path) -> tuple[dict[str, learnt.Metric], dict[str, dict[str, NDArray]]]:
    """Return what .ci/picture_metric.py wrote: the metric of each encoder, and what changes the
    weights of its network."""
    metrics, changes = {}, {}
    for name in ENCODERS:
        with np.load(folder / f"learnt_{name}.npz") as stored:
            values = dict(stored)
        metrics[name] = learnt.Metric(
            **{field.name: values[f"metric_{field.name}"] for field in fields(learnt.Metric)}
        )
        changes[name] = {
            key.removeprefix("network_"): value
            for key, value in values.items()
            if key.startswith("network_")
        }
    return metrics, changes


def judge(listed: list[Scene], numbers: NDArray, folder: Path) -> dict[str, Rows]:
    """Return the pictures that may be shown for scenes by what was learnt from others, each with
    its scene's number: by the first encoder alone, and by both."""
    metrics, changes = load_learnt(folder)
    network = tuned_encoder.build_network(changes[learnt.TUNED])
    tuned_encoder._network = lambda: network
    engine = tuned_second_encoder.build_engine(changes[learnt.SECOND])
    tuned_second_encoder._engine = lambda: engine
    rows: dict[str, Rows] = {name: [] for name in ENCODERS}
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


def deal_topics(listed: list[Scene], count: int, seed: int) -> NDArray[np.int_]:
    """Return the number of each scene's part, of ``count`` parts of the topics."""
    topics = sorted({scene.said.topic for scene in listed})
    np.random.default_rng(seed).shuffle(topics)
    part_of = {topic: at % count for at, topic in enumerate(topics)}
    return np.array([part_of[scene.said.topic] for scene in listed])


def main(folder: Path) -> None:
    if not second_encoder.is_available():
        sys.exit("The second encoder runs on Linux on x86-64 with AVX2 alone: learn there.")
    listed = [scene for scene in scenes() if meaning.knows_language(scene.said.language)]
    is_fresh = np.array([scene.file in FRESH for scene in listed])
    is_held = (deal_topics(listed, HELD_OUT, seed=0) == 0) | is_fresh
    folder.mkdir(parents=True, exist_ok=True)
    store_scenes(listed, is_held, folder / "scenes.npz")
    # in a process of its own, as one that has used JAX must not be forked
    subprocess.run([sys.executable, str(METRICS), str(folder)], check=True)
    metrics, changes = load_learnt(folder)
    for name, path in CHANGES.items():
        np.savez_compressed(path, **changes[name])
    np.savez_compressed(
        METRIC,
        **{
            f"{name}_{field.name}": getattr(metric, field.name).astype(np.float16)
            for name, metric in metrics.items()
            for field in fields(metric)
        },
    )
    held = [scene for scene, is_one in zip(listed, is_held, strict=True) if is_one]
    with ProcessPoolExecutor(PROCESSES) as pool:
        remember(pool, held)
    with ProcessPoolExecutor(PROCESSES) as pool:
        numbers = np.array_split(np.arange(len(held)), PROCESSES)
        calls = [pool.submit(judge, held, some, folder) for some in numbers]
        judged = [call.result() for call in calls]
        parts = deal_topics(held, PARTS, seed=1)
        told = {
            name: pool.submit(
                tell_apart,
                held,
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
