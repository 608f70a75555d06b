"""``python .ci/picture_odds.py``: write svc/media/pictures/odds.json, the weights of what tells
whether a picture is right.

They are fitted on the scenes of tests/media/meaning/pictures_tuning.txt and
pictures_fresh_tuning.txt. Prints what would be shown if each domain, and each language, were judged
by weights that were fitted on the others; and, for the scenes for which no phrase was written, how
many pictures would be wrong at several bars: they are about as hard as those of a stranger.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from svc.media.pictures import meaning, themes  # noqa: E402
from tests.media.meaning import test_pictures_judged  # noqa: E402

SCENES = ROOT / "tests" / "media" / "meaning" / "pictures_tuning.txt"
FRESH = "pictures_fresh_tuning"  # whose right pictures are noted in plain words
TARGET = ROOT / "svc" / "media" / "pictures" / "odds.json"
RIDGE = 1.0  # on the weights of signs in units of their deviation
STEPS = 30  # of Newton's method, which settles in fewer than ten
ANY = -9.0  # a floor that every score is above
UNSEEN = ", unseen"  # at the end of the domain of scenes for which no phrase was written
BARS = (0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.4, 3.8)


def scenes() -> Iterator[tuple[meaning.Said, set[str], str]]:
    """Yield each scene with the pictures that it may have, and its domain."""
    domain = language = topic = heading = ""
    for line in SCENES.read_text("utf-8").splitlines():
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


def main() -> None:
    listed = list(scenes())
    domains = [domain.removesuffix(UNSEEN) for *_, domain in listed]
    is_unseen = np.array([domain.endswith(UNSEEN) for *_, domain in listed])
    ranked = meaning.rank_for_scenes([said for said, *_ in listed], floor=ANY)
    rows = [
        (number, row)
        for number, result in enumerate(ranked)
        for row in meaning.list_eligible(*result)
    ]
    at = np.array([number for number, _ in rows])  # the scene of each row
    names = [*rows[0][1].signs]
    signs = np.array([[row.signs[name] for name in names] for _, row in rows])
    is_right = np.array([row.picture in listed[number][1] for number, row in rows], float)
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
