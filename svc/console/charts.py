"""Bar charts: the coordinates of bars, lines and labels for SVGs, which the templates draw."""

from collections.abc import Sequence

WIDTH, HEIGHT = 720, 160
_TOP, _BOTTOM, _LEFT = 10, 20, 40
_STEPS = (1, 2, 4, 6, 10)


def make_stacked_bars(labels: Sequence[str], series: Sequence[Sequence[float]]) -> dict:
    """Return stacked bars of one or more series. ``labels``: one for each bar; some of them are
    shown below.

    ``days``: the column of each bar, over its whole height, for pointing at it.
    """
    totals = [sum(values) for values in zip(*series)]
    top = _round_up(max(totals, default=0))
    width = (WIDTH - _LEFT) / max(1, len(labels))
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": _LEFT,
        "bars": [
            each for number in range(len(labels)) for each in _bar(number, series, width, top)
        ],
        "days": [
            {
                "x": round(_LEFT + number * width, 1),
                "width": round(width, 1),
                "y": _TOP,
                "height": HEIGHT - _TOP - _BOTTOM,
            }
            for number in range(len(labels))
        ],
        "lines": [
            {"y": _y(part * top / 2, top), "label": _shorten_number(part * top / 2)}
            for part in range(3)
        ],
        "labels": _labels(labels, width),
    }


def _bar(number: int, series, width: float, top: float) -> list[dict]:
    bars, below = [], 0.0
    for place, values in enumerate(series):
        value = values[number]
        if value:
            y = _y(below + value, top)
            bars.append(
                {
                    "x": round(_LEFT + number * width + width * 0.15, 1),
                    "y": y,
                    "width": round(width * 0.7, 1),
                    "height": round(_y(below, top) - y, 1),
                    "series": place + 1,
                }
            )
        below += value
    return bars


def _y(value: float, top: float) -> float:
    return round(HEIGHT - _BOTTOM - value / top * (HEIGHT - _BOTTOM - _TOP), 1)


def _labels(labels: Sequence[str], width: float) -> list[dict]:
    """Return as many labels as there is room for, including the last."""
    every = max(1, -(-len(labels) // 8))
    shown = range(len(labels) - 1, -1, -every)
    return [
        {"x": round(_LEFT + (number + 0.5) * width, 1), "text": labels[number]} for number in shown
    ]


def _round_up(value: float) -> float:
    """Return the next round number that is not less."""
    if value <= 10:
        return max(2, -(-int(value) // 2) * 2)
    power = 10 ** (len(str(int(value))) - 1)
    return next(step * power for step in _STEPS if step * power >= value)


def _shorten_number(value: float) -> str:
    for size, name in ((1_000_000, "m"), (1000, "k")):
        if value >= size:
            return f"{value / size:g}{name}"
    return f"{value:g}"
