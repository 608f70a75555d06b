"""Which of the sceneries of composed scenes each scene of a film stands before."""

from collections.abc import Sequence

from svc.media.drawing.sky import SCENERIES
from svc.media.model import Scene

_LEAST, _MOST = 2, 5  # scenes in a row before one scenery


def choose_sceneries(scenes: Sequence[Scene]) -> tuple[int, ...]:
    """Return for each of ``scenes`` the number of its scenery: the next one where a chapter begins,
    if the last has been seen for two scenes, and in a long chapter with the prose after five.

    The close has that of the title.
    """
    numbers: list[int] = []
    number = row = 0
    headings = {""}
    for scene in scenes:
        begins = scene.heading not in headings
        if scene.layout == "close":
            number = 0
        elif (begins and row >= _LEAST) or (scene.layout == "prose" and row >= _MOST):
            number, row = (number + 1) % len(SCENERIES), 0
        headings.add(scene.heading)
        row += 1
        numbers.append(number)
    return tuple(numbers)
