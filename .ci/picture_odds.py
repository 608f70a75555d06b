"""``python .ci/picture_odds.py``: write svc/media/pictures/odds.json, the weights of what tells whether a picture is right.

They are fitted on the scenes of tests/media/meaning/pictures_tuning.txt. Prints what would be shown if each domain, and each
language, were judged by weights that were fitted on the others.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from svc.media.pictures import meaning  # noqa: E402

SCENES = ROOT / "tests" / "media" / "meaning" / "pictures_tuning.txt"
TARGET = ROOT / "svc" / "media" / "pictures" / "odds.json"
RIDGE = 1.0  # on the weights of signs in units of their deviation
STEPS = 30  # of Newton's method, which settles in fewer than ten
ANY = -9.0  # a floor that every score is above


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
            yield meaning.Said((text,), heading, topic, language), {each.rstrip("*") for each in fitting.split(", ")}, domain


def fit(signs: NDArray, is_right: NDArray) -> NDArray:
    """Return the weights of the signs, and last the constant: logistic regression with a ridge, by Newton's method."""
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
    groups: list[Sequence[str]] = [[domain for *_, domain in listed], [said.code for said, *_ in listed]]
    ranked = meaning.rank_all([said for said, *_ in listed], floor=ANY)
    best = [next((row for row in found if row.picture == meaning.first(found, sombre)), None) for found, sombre in ranked]
    at = [number for number, row in enumerate(best) if row]
    names = [*best[at[0]].signs]
    signs = np.array([[best[number].signs[name] for name in names] for number in at])
    is_right = np.array([best[number].picture in listed[number][1] for number in at], float)
    for group in groups:
        held = np.array([group[number] for number in at])
        total: list[NDArray] = []
        for name in dict.fromkeys(held):
            weights = fit(signs[held != name], is_right[held != name])
            right = is_right[held == name][signs[held == name] @ weights[:-1] + weights[-1] >= meaning.SURE]
            total.append(right)
            print(f"{name}: {len(right)} of {list(group).count(name)} scenes, {(right == 0).sum()} wrong")
        right = np.concatenate(total)
        print(f"all: {len(right)} of {len(listed)} scenes ({len(right) / len(listed):.1%}), {(right == 0).sum()} wrong\n")
    weights = fit(signs, is_right)
    written = dict(zip([*names, "constant"], (round(float(weight), 2) for weight in weights), strict=True))
    TARGET.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(written)


if __name__ == "__main__":
    main()
