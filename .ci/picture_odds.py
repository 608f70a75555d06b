"""``python .ci/picture_odds.py``: write svc/media/pictures/metric.npz, how near texts and phrases
are as it was learnt from scenes, and odds.json, the weights of what tells whether a picture is
right.

They are learnt and fitted on the scenes of tests/media/meaning/pictures_tuning.txt,
pictures_fresh_tuning.txt and pictures_written.txt; the weights with a nearness that was learnt from
scenes of other topics, as it is for those of a stranger.

Prints what would be shown if each domain, and each language, were judged by weights that were
fitted on the others; and, for the scenes for which no phrase was written, how many pictures would
be wrong at several bars: they are about as hard as those of a stranger.
"""

import json
import sys
from collections.abc import Iterator
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from svc.media.meaning import encoder  # noqa: E402
from svc.media.pictures import meaning, themes  # noqa: E402
from tests.media.meaning import test_pictures_judged  # noqa: E402

FOLDER = ROOT / "tests" / "media" / "meaning"
SCENES = ("pictures_tuning.txt", "pictures_written.txt")
FRESH = "pictures_fresh_tuning"  # whose right pictures are noted in plain words
TARGET = ROOT / "svc" / "media" / "pictures" / "odds.json"
METRIC = TARGET.with_name("metric.npz")
PARTS = 4  # of the topics: what tells in one is learnt from the others
ROUNDS, TOGETHER = 2, 64  # over all scenes, so many in one step
PACE, SHRINKING = 0.001, 0.001
PACE_OF_NOTHING = 0.06
RIDGE = 1.0  # on the weights of signs in units of their deviation
STEPS = 30  # of Newton's method, which settles in fewer than ten
ANY = -9.0  # a floor that every score is above
UNSEEN = ", unseen"  # at the end of the domain of scenes for which no phrase was written
BARS = (0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.4, 3.8)


def scenes() -> Iterator[tuple[meaning.Said, set[str], str]]:
    """Yield each scene with the pictures that it may have, and its domain."""
    domain = language = topic = heading = ""
    lines = [line for name in SCENES for line in (FOLDER / name).read_text("utf-8").splitlines()]
    for line in lines:
        if line.startswith("# Domain: "):
            domain = line.removeprefix("# Domain: ")
        elif line.startswith("## "):
            language, topic, heading = (part.strip() for part in line[3:].split("|"))
        elif line and not line.startswith("#"):
            fitting, text = line.split(" | ", 1)
            yield (
                meaning.Said((text,), heading, topic, language),
                {each.rstrip("*") for each in fitting.split(", ")},
                domain,
            )
    pictures = themes.read_phrases()
    for scene in test_pictures_judged.scenes(FRESH):
        yield scene.said, {name for name in pictures if scene.has_noted(name)}, FRESH + UNSEEN


def fit(signs: NDArray, is_right: NDArray) -> NDArray:
    """Return the weights of the signs, and last the constant: logistic regression with a ridge,
    by Newton's method.
    """
    middle, deviation = signs.mean(0), signs.std(0)
    rows = np.c_[(signs - middle) / deviation, np.ones(len(signs))]
    weights = np.zeros(rows.shape[1])
    ridge = np.diag([RIDGE] * signs.shape[1] + [0.0])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        curvature = (rows * (likely * (1 - likely))[:, None]).T @ rows + ridge
        weights -= np.linalg.solve(curvature, rows.T @ (likely - is_right) + ridge @ weights)
    scaled = weights[:-1] / deviation
    return np.append(scaled, weights[-1] - scaled @ middle)


def learn_metric(queries: NDArray, fitting: list[list[int]]) -> tuple[NDArray, float]:
    """Return what makes the pictures that fit likely for :func:`meaning.likelihoods`, and none
    where ``fitting`` is empty: by steps down the slope of the cross entropy."""
    known = themes.load_themes()
    none = len(known.pictures)
    keys = np.vstack([known.phrases, known.labels, known.nothing])
    owners = np.concatenate([known.owners, np.arange(none), np.full(len(known.nothing), none)])
    order = np.argsort(owners, kind="stable")
    keys, owners = keys[order], owners[order]
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    metric = np.zeros((queries.shape[1], queries.shape[1]), np.float32)
    slopes, nothing, shuffled = np.full_like(metric, 1e-6), 0.0, np.random.default_rng(0)
    for _ in range(ROUNDS):
        scenes_in_order = shuffled.permutation(len(queries))
        for start in range(0, len(queries), TOGETHER):
            numbers = scenes_in_order[start : start + TOGETHER]
            rows = queries[numbers]
            products = (rows + rows @ metric) @ keys.T
            best = np.maximum.reduceat(products, starts, axis=1)
            first = np.where(products >= best[:, owners], np.arange(len(owners)), len(owners))
            nearest = np.minimum.reduceat(first, starts, axis=1)
            steep = best / meaning.SHARPNESS
            steep[:, none] += nothing
            likely = np.exp(steep - steep.max(1, keepdims=True))
            likely /= likely.sum(1, keepdims=True)
            wanted = np.zeros_like(likely)
            for row, number in enumerate(numbers):
                right = fitting[number] or [none]
                wanted[row, right] = likely[row, right] / (likely[row, right].sum() + 1e-9)
            excess = (likely - wanted) / len(numbers)
            nothing -= PACE_OF_NOTHING * float(excess[:, none].sum())
            by_key = np.zeros(products.shape, np.float32)
            np.put_along_axis(by_key, nearest, excess / meaning.SHARPNESS, 1)
            slope = rows.T @ (by_key @ keys) + SHRINKING * metric
            slopes += slope * slope
            metric -= PACE * slope / np.sqrt(slopes.mean())
    return metric, nothing


def learnt_signs(
    listed: list[tuple[meaning.Said, set[str], str]],
) -> tuple[NDArray, NDArray, float]:
    """Return how likely each picture is for each scene, learnt from the scenes of other topics; and
    what is learnt from all."""
    known = themes.load_themes()
    number = {picture: at for at, picture in enumerate(known.pictures)}
    fitting = [[number[name] for name in right if name in number] for _, right, _ in listed]
    text, title = (
        themes.normalise_rows(encoder.encode_texts(texts) - known.middle)
        for texts in (
            [said.unnamed[0] for said, *_ in listed],
            [said.subject for said, *_ in listed],
        )
    )
    queries = meaning.query_of(text, title)
    topics = list(dict.fromkeys(said.topic for said, *_ in listed))
    part_of = {topic: at % PARTS for at, topic in enumerate(topics)}
    parts = np.array([part_of[said.topic] for said, *_ in listed])
    likely = np.zeros((len(listed), len(known.pictures) + 1), np.float32)
    for part in range(PARTS):
        others = np.flatnonzero(parts != part)
        learnt = learn_metric(queries[others], [fitting[at] for at in others])
        likely[parts == part] = meaning.likelihoods(queries[parts == part], *learnt)
    return likely, *learn_metric(queries, fitting)


def main() -> None:
    listed = [row for row in scenes() if encoder.knows_language(row[0].language)]
    likely, metric, nothing = learnt_signs(listed)
    np.savez_compressed(METRIC, metric=metric.astype(np.float16), nothing=np.float32(nothing))
    number = {picture: at for at, picture in enumerate(themes.load_themes().pictures)}
    domains = [domain.removesuffix(UNSEEN) for *_, domain in listed]
    is_unseen = np.array([domain.endswith(UNSEEN) for *_, domain in listed])
    ranked = meaning.rank_for_scenes([said for said, *_ in listed], floor=ANY)
    rows = [
        (scene, row)
        for scene, result in enumerate(ranked)
        for row in meaning.list_eligible(*result)
    ]
    for scene, row in rows:
        row.signs["learnt"] = log(likely[scene, number[row.picture]] + meaning.LEAST_LIKELY)
    at = np.array([scene for scene, _ in rows])  # the scene of each row
    names = [*rows[0][1].signs]
    signs = np.array([[row.signs[name] for name in names] for _, row in rows])
    is_right = np.array([row.picture in listed[scene][1] for scene, row in rows], float)
    for group in (domains, [said.code for said, *_ in listed]):
        held = np.array(group)[at]
        odds = np.zeros(len(rows))
        for name in dict.fromkeys(held):
            weights = fit(signs[held != name], is_right[held != name])
            odds[held == name] = signs[held == name] @ weights[:-1] + weights[-1]
        # the last of each scene stays
        surest = {int(at[row]): row for row in np.argsort(odds)}.values()
        shown = np.array([row for row in surest if odds[row] >= meaning.SURE_SCORE])
        for name in dict.fromkeys(group):
            right = is_right[shown[held[shown] == name]]
            print(f"{name}: {len(right)} of {group.count(name)} scenes, {(right == 0).sum()} wrong")
        print(
            f"all: {len(shown)} of {len(listed)} scenes ({len(shown) / len(listed):.1%}), "
            f"{(is_right[shown] == 0).sum()} wrong"
        )
        unseen = np.array([row for row in surest if is_unseen[at[row]]])
        for bar in BARS:
            right = is_right[unseen[odds[unseen] >= bar]]
            share = len(right) / is_unseen.sum()
            print(
                f"unseen at {bar}: {len(right)} of {is_unseen.sum()} ({share:.1%}), "
                f"{(right == 0).sum()} wrong"
            )
        print()
    weights = fit(signs, is_right)
    written = dict(
        zip([*names, "constant"], (round(float(weight), 2) for weight in weights), strict=True)
    )
    TARGET.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(written)


if __name__ == "__main__":
    main()
