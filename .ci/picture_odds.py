"""``python .ci/picture_odds.py``: write svc/media/pictures/metric.npz, how likely pictures are for
scenes as it was learnt, and odds.json, the weights of what tells whether a picture is right.

They are learnt on all scenes of tests/media/meaning/pictures_*.txt. The weights are fitted with a
likelihood that was learnt from scenes of other topics, as it is for those of a stranger. All of it
for both encoders together, and for the first alone, where the second is not available.

Prints, of each file and each language, how many pictures would be shown at several bars if each
topic were judged by what was learnt from the others, and how many of those nobody had noted: about
half of these would do.
"""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from svc.media.meaning import encoder, second_encoder  # noqa: E402
from svc.media.pictures import learnt, meaning, naming, themes  # noqa: E402
from tests.media.meaning import test_pictures_judged  # noqa: E402

FOLDER = ROOT / "tests" / "media" / "meaning"
WRITTEN = [path.stem.removeprefix("pictures_") for path in FOLDER.glob("pictures_written*.txt")]
NAMED = ("tuning", *sorted(WRITTEN), "held_out")
# whose right pictures are noted in plain words
NOTED = ("fresh_tuning", "fresh_held_out", "judged", "judged_2", "judged_3", "judged_4")
TARGET = ROOT / "svc" / "media" / "pictures" / "odds.json"
METRIC = TARGET.with_name("metric.npz")
PARTS = 4  # of the topics: what tells in one is learnt from the others
PROCESSES = 5  # one for each part, and one for all
ENCODERS = {learnt.FIRST: encoder, learnt.SECOND: second_encoder}
ROUNDS, TOGETHER = 4, 128  # over all scenes, so many in one step
PACE = {"text": 0.0003, "title": 0.0003, "bias": 0.01}
PACE |= {"none_of_text": 0.025, "none_of_title": 0.025, "weights": 0.025}
SLOWER, SHRINKING = 0.9, 0.001
# of the networks: how many, their hidden units, rounds over all rows, and steps
NETWORKS, UNITS, FITTING, PACE_OF_FITTING, DECAY = 6, 24, 24, 0.003, 0.001
ANY = -99.0  # a floor that every score is above
AT_ONCE = 256  # texts that are encoded together
BARS = (1.5, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.2, 3.4, 3.6, 4.0)


Rows = list[tuple[int, meaning.Candidate]]  # pictures of scenes, by number


@dataclass(frozen=True)
class Scene:
    """A scene with the pictures that it may have; ``file``: in which it is written."""

    said: meaning.Said
    right: frozenset[str]
    file: str


@dataclass(frozen=True)
class Known:
    """What is known of scenes: the vectors of text and title, how clearly they name each picture,
    and what is right for each: the pictures, and last none."""

    text: NDArray
    title: NDArray
    named: NDArray
    called: NDArray
    right: NDArray


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


def learn_metric(known: Known, numbers: NDArray[np.intp]) -> learnt.Metric:
    """Return the metric that makes the right pictures of the scenes ``numbers`` likely, and none
    where there are none: by Adam's steps down the slope of the cross entropy."""
    shuffled = np.random.default_rng(0)
    keys, owners, starts = learnt.list_keys(known.text.shape[1])
    metric = learnt.start_metric(known.text.shape[1])
    values = {field.name: getattr(metric, field.name).copy() for field in fields(metric)}
    mean = {name: np.zeros_like(value) for name, value in values.items()}
    square: dict[str, NDArray | float] = {
        name: 0.0 if value.ndim == 2 else np.zeros_like(value) for name, value in values.items()
    }
    steps = ROUNDS * -(-len(numbers) // TOGETHER)
    taken = 0
    for _ in range(ROUNDS):
        order = shuffled.permutation(numbers)
        for start in range(0, len(order), TOGETHER):
            rows = order[start : start + TOGETHER]
            text, title = known.text[rows], known.title[rows]
            named, called = known.named[rows], known.called[rows]
            metric = learnt.Metric(**values)
            queries = learnt.query_of(metric, text, title)
            products = queries @ keys.T
            best = np.maximum.reduceat(products, starts, axis=1)
            first = np.where(products >= best[:, owners], np.arange(len(owners)), len(owners))
            nearest = np.minimum.reduceat(first, starts, axis=1)
            steep = learnt.find_steepness(metric, products, text, title, named, called)
            likely = np.exp(steep - steep.max(1, keepdims=True))
            likely /= likely.sum(1, keepdims=True)
            wanted = likely * known.right[rows]
            wanted /= wanted.sum(1, keepdims=True) + 1e-9
            excess = (likely - wanted) / len(rows)
            by_key = np.zeros(products.shape, np.float32)
            np.put_along_axis(by_key, nearest, excess / learnt.SHARPNESS, 1)
            pull = by_key @ keys
            moved = pull * values["weights"][2]
            slopes = {
                "text": text.T @ moved + SHRINKING * values["text"],
                "title": title.T @ moved + SHRINKING * values["title"],
                "bias": excess.sum(0),
                "none_of_text": text.T @ excess[:, -1],
                "none_of_title": title.T @ excess[:, -1],
                "weights": np.array(
                    [
                        (excess[:, :-1] * named).sum(),
                        (excess[:, :-1] * called).sum(),
                        (pull * queries).sum() / values["weights"][2],
                    ],
                    np.float32,
                ),
            }
            taken += 1
            pace = 1 - SLOWER * taken / steps
            for name, slope in slopes.items():
                # the entries of a matrix take steps of one size, the others each their own
                size = slope * slope if slope.ndim == 1 else float((slope * slope).mean())
                mean[name] = 0.9 * mean[name] + 0.1 * slope
                square[name] = 0.99 * square[name] + 0.01 * size
                step = (
                    mean[name]
                    / (1 - 0.9**taken)
                    / np.sqrt(square[name] / (1 - 0.99**taken) + 1e-10)
                )
                values[name] = (values[name] - PACE[name] * pace * step).astype(np.float32)
    return learnt.Metric(**values)


def encode(name: str, texts: list[str]) -> NDArray:
    """Return the vectors of texts by an encoder."""
    return np.asarray(ENCODERS[name].encode_texts(texts))


def remember(pool: ProcessPoolExecutor, listed: list[Scene]) -> None:
    """Encode the texts of scenes, so that processes that are started afterwards know them."""
    firsts = [text for scene in listed for text in scene.said.texts()]
    seconds = [text for scene in listed for text in (scene.said.unnamed[0], scene.said.subject)]
    meaning._CACHED = sys.maxsize
    for name, texts in ((learnt.FIRST, firsts), (learnt.SECOND, seconds)):
        wanted = [text for text in dict.fromkeys(texts) if text not in meaning._vectors[name]]
        parts = [wanted[at : at + AT_ONCE] for at in range(0, len(wanted), AT_ONCE)]
        for part, vectors in zip(parts, pool.map(encode, [name] * len(parts), parts), strict=True):
            meaning._vectors[name].update(zip(part, vectors, strict=True))


def describe(listed: list[Scene]) -> dict[str, Known]:
    """Return what is known of scenes, by the encoder that made the vectors."""
    pictures = themes.load_themes().pictures
    named, called = (
        np.array([[clear.get(name, 0.0) for name in pictures] for clear in each], np.float32)
        for each in (
            [naming.find_named_pictures(scene.said.whole, scene.said.code) for scene in listed],
            [
                naming.find_named_pictures(
                    scene.said.subject if scene.said.title else "", scene.said.code
                )
                for scene in listed
            ],
        )
    )
    right = np.array([[name in scene.right for name in pictures] for scene in listed], np.float32)
    nothing = np.zeros((0, 0), np.float32)
    known = Known(nothing, nothing, named, called, np.c_[right, right.sum(1) == 0])
    return {
        name: replace(
            known,
            text=meaning._centre([scene.said.unnamed[0] for scene in listed], name),
            title=meaning._centre([scene.said.subject for scene in listed], name),
        )
        for name in ENCODERS
    }


def judge(
    listed: list[Scene], known: dict[str, Known], held: NDArray[np.bool_]
) -> tuple[dict[str, learnt.Metric], dict[str, Rows]]:
    """Return what is learnt from the scenes that are not ``held``; and of those that are, the
    pictures that may be shown by it, each with its scene's number: by the first encoder alone, and
    by both."""
    metrics = {name: learn_metric(each, np.flatnonzero(~held)) for name, each in known.items()}
    numbers = np.flatnonzero(held)
    said = [listed[at].said for at in numbers]
    rows = {}
    for name in ENCODERS:
        some = metrics if name == learnt.SECOND else {learnt.FIRST: metrics[learnt.FIRST]}
        ranked = meaning.rank_for_scenes(said, floor=ANY, metrics=some)
        rows[name] = [
            (int(at), row)
            for at, result in zip(numbers, ranked, strict=True)
            for row in meaning.list_eligible(*result)
        ]
    return metrics, rows


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


def main() -> None:
    if not second_encoder.is_available():
        sys.exit("The second encoder runs on Linux on x86-64 with AVX2 alone: learn there.")
    listed = [scene for scene in scenes() if encoder.knows_language(scene.said.language)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        remember(pool, listed)
    known = describe(listed)
    topics = sorted({scene.said.topic for scene in listed})
    np.random.default_rng(0).shuffle(topics)
    part_of = {topic: at % PARTS for at, topic in enumerate(topics)}
    parts = np.array([part_of[scene.said.topic] for scene in listed])
    nobody = np.zeros(len(listed), bool)
    with ProcessPoolExecutor(PROCESSES) as pool:
        calls = [
            pool.submit(judge, listed, known, held)
            for held in [*(parts == part for part in range(PARTS)), nobody]
        ]
        *judged, (metrics, _) = [call.result() for call in calls]
        np.savez_compressed(
            METRIC,
            **{
                f"{name}_{field.name}": getattr(metric, field.name).astype(np.float16)
                for name, metric in metrics.items()
                for field in fields(metric)
            },
        )
        told = {
            name: pool.submit(
                tell_apart,
                listed,
                parts,
                [row for _, rows in judged for row in rows[name]],
                name == learnt.SECOND,
            )
            for name in ENCODERS
        }
        TARGET.write_text(
            json.dumps({name: call.result() for name, call in told.items()}) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main()
