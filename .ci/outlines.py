"""``python .ci/outlines.py FOLDER``: write svc/media/maps/outlines.json.xz from an npm package that
was unpacked into FOLDER.

It comes with ``npm install --prefix FOLDER world-atlas@2.0.2``, which holds Natural Earth 4.1.0 in
the scale 1:50m; FOLDER is then ``FOLDER/node_modules``. The same package gives the same bytes.
"""

import json
import lzma
import math
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "svc" / "media" / "maps" / "outlines.json.xz"
STEPS = 400  # of a degree: coordinates are whole numbers of them
_TOLERANCE = 0.012  # degrees: how far a simplified line may be from the true one
_SMALLEST = 0.0012  # square degrees: smaller islands are left out, unless a country has no other
_WITHOUT_NUMBER = {"Kosovo": "xk"}  # others without a number are land of no country
_LEFT_OUT = {"aq"}  # it surrounds the pole, where no outline closes
_ISO_3166 = (  # letters and number of each country
    "ad020 ae784 af004 ag028 ai660 al008 am051 ao024 aq010 ar032 as016 at040 au036 aw533 ax248 "
    "az031 ba070 bb052 bd050 be056 bf854 bg100 bh048 bi108 bj204 bl652 bm060 bn096 bo068 bq535 "
    "br076 bs044 bt064 bv074 bw072 by112 bz084 ca124 cc166 cd180 cf140 cg178 ch756 ci384 ck184 "
    "cl152 cm120 cn156 co170 cr188 cu192 cv132 cw531 cx162 cy196 cz203 de276 dj262 dk208 dm212 "
    "do214 dz012 ec218 ee233 eg818 eh732 er232 es724 et231 fi246 fj242 fk238 fm583 fo234 fr250 "
    "ga266 gb826 gd308 ge268 gf254 gg831 gh288 gi292 gl304 gm270 gn324 gp312 gq226 gr300 gs239 "
    "gt320 gu316 gw624 gy328 hk344 hm334 hn340 hr191 ht332 hu348 id360 ie372 il376 im833 in356 "
    "io086 iq368 ir364 is352 it380 je832 jm388 jo400 jp392 ke404 kg417 kh116 ki296 km174 kn659 "
    "kp408 kr410 kw414 ky136 kz398 la418 lb422 lc662 li438 lk144 lr430 ls426 lt440 lu442 lv428 "
    "ly434 ma504 mc492 md498 me499 mf663 mg450 mh584 mk807 ml466 mm104 mn496 mo446 mp580 mq474 "
    "mr478 ms500 mt470 mu480 mv462 mw454 mx484 my458 mz508 na516 nc540 ne562 nf574 ng566 ni558 "
    "nl528 no578 np524 nr520 nu570 nz554 om512 pa591 pe604 pf258 pg598 ph608 pk586 pl616 pm666 "
    "pn612 pr630 ps275 pt620 pw585 py600 qa634 re638 ro642 rs688 ru643 rw646 sa682 sb090 sc690 "
    "sd729 se752 sg702 sh654 si705 sj744 sk703 sl694 sm674 sn686 so706 sr740 ss728 st678 sv222 "
    "sx534 sy760 sz748 tc796 td148 tf260 tg768 th764 tj762 tk772 tl626 tm795 tn788 to776 tr792 "
    "tt780 tv798 tw158 tz834 ua804 ug800 um581 us840 uy858 uz860 va336 vc670 ve862 vg092 vi850 "
    "vn704 vu548 wf876 ws882 ye887 yt175 za710 zm894 zw716 "
)


def main(folder: str) -> None:
    atlas = json.loads((Path(folder) / "world-atlas" / "countries-50m.json").read_text("utf-8"))
    lines = [_simplified(_degrees(arc, atlas["transform"])) for arc in atlas["arcs"]]
    letters = {row[2:]: row[:2] for row in _ISO_3166.split()}
    countries: dict[str, list] = {}
    for geometry in atlas["objects"]["countries"]["geometries"]:
        code = letters.get(
            geometry.get("id", ""), _WITHOUT_NUMBER.get(geometry["properties"]["name"], "")
        )
        if code not in _LEFT_OUT:
            polygons = (
                geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
            )
            countries.setdefault(code, []).extend(polygons)
    kept = {code: _without_specks(polygons, lines) for code, polygons in sorted(countries.items())}
    numbers: dict[int, int] = {}  # of the lines that are used, by their old numbers
    for polygons in kept.values():
        for ring in (ring for polygon in polygons for ring in polygon):
            ring[:] = [_renumbered(arc, numbers) for arc in ring]
    content = {
        "steps": STEPS,
        "lines": [_differences(lines[arc]) for arc in numbers],
        "countries": kept,
    }
    text = json.dumps(content, separators=(",", ":"))
    TARGET.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    points = sum(len(line) // 2 for line in content["lines"])
    print(
        f"{TARGET.stat().st_size:,} bytes, {len(kept) - 1} countries, {len(numbers)} lines, "
        f"{points} points"
    )


def _degrees(arc: list[list[int]], transform: dict) -> list[tuple[float, float]]:
    """Return the points of a line of TopoJSON: longitude and latitude."""
    (scale_x, scale_y), (left, bottom) = transform["scale"], transform["translate"]
    points, x, y = [], 0, 0
    for right, up in arc:
        x, y = x + right, y + up
        points.append((x * scale_x + left, y * scale_y + bottom))
    return _unwrapped(points, 360.0)


def _unwrapped(points: list[tuple[float, float]], turn: float) -> list[tuple[float, float]]:
    """Return ``points`` that go on across the 180th meridian.

    ``turn``: of a whole circle, in the unit of the points.
    """
    result = points[:1]
    for x, y in points[1:]:
        result.append((x - turn * round((x - result[-1][0]) / turn), y))
    return result


def _simplified(points: list[tuple[float, float]]) -> list[tuple[int, int]]:
    """Return ``points`` without those that a straight line replaces (Ramer, Douglas and Peucker),
    in whole steps.
    """
    kept, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    if points[0] == points[-1] and len(points) > 2:  # an island: its farthest point stays
        far = max(range(len(points)), key=lambda at: math.dist(points[at], points[0]))
        kept.add(far)
        spans = [(0, far), (far, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        inside = range(first + 1, last)
        worst = max(
            inside, key=lambda at: _distance(points[at], points[first], points[last]), default=first
        )
        if worst != first and _distance(points[worst], points[first], points[last]) > _TOLERANCE:
            kept.add(worst)
            spans += [(first, worst), (worst, last)]
    return [(round(points[at][0] * STEPS), round(points[at][1] * STEPS)) for at in sorted(kept)]


def _distance(
    point: tuple[float, float], start: tuple[float, float], end: tuple[float, float]
) -> float:
    """Return the distance of ``point`` from a stretch, in degrees of latitude."""
    shrink = math.cos(math.radians(point[1]))
    (x, y), (dx, dy) = (
        ((other[0] - start[0]) * shrink, other[1] - start[1]) for other in (point, end)
    )
    length = dx * dx + dy * dy
    along = min(1.0, max(0.0, (x * dx + y * dy) / length)) if length else 0.0
    return math.hypot(x - along * dx, y - along * dy)


def _without_specks(polygons: list, lines: list) -> list:
    """Return ``polygons``, the largest first, without those that are too small to be seen."""
    ordered = sorted(polygons, key=lambda polygon: -_area(polygon[0], lines))
    return [
        ordered[0],
        *(polygon for polygon in ordered[1:] if _area(polygon[0], lines) >= _SMALLEST),
    ]


def _area(ring: list[int], lines: list) -> float:
    """Return the area within ``ring`` in square degrees at the equator."""
    points = [point for arc in ring for point in (lines[arc] if arc >= 0 else lines[~arc][::-1])]
    points = _unwrapped(points, 360.0 * STEPS)
    twice = sum(
        (x * next_y - next_x * y)
        for (x, y), (next_x, next_y) in zip(points, [*points[1:], points[0]], strict=True)
    )
    return abs(twice) / 2 / STEPS**2 * math.cos(math.radians(points[0][1] / STEPS))


def _renumbered(arc: int, numbers: dict[int, int]) -> int:
    """Return the new number of a line; one that is followed backwards is ~number,
    as in TopoJSON.
    """
    number = numbers.setdefault(arc if arc >= 0 else ~arc, len(numbers))
    return number if arc >= 0 else ~number


def _differences(line: list[tuple[int, int]]) -> list[int]:
    """Return the first point, then the step from each point to the next, in one flat list."""
    flat, before = [], (0, 0)
    for x, y in line:
        flat += [x - before[0], y - before[1]]
        before = (x, y)
    return flat


if __name__ == "__main__":
    main(*sys.argv[1:])
