"""The gates of what is written on the pictures: it stands out from its ground, has all its letters, and can be seen."""

from svc.media.colour import contrast, parse
from svc.media.programme import DrawnText, GateFinding, Lettering

SMALL_TEXT, LARGE_TEXT = 4.5, 3.0  # WCAG 2.2, success criterion 1.4.3, level AA
_LARGE, _LARGE_IF_BOLD, _BOLD = 48, 38, 700  # pixels of 1,080: WCAG's 24 and 18.7 on a page, seen from twice as far
_SHOWN = 24  # characters of a text in a finding


def findings(name: str, written: Lettering) -> list[GateFinding]:
    """``name``: of the film."""
    if not written.texts:
        return [GateFinding("contrast", name, "no record of what was written", "a record", False)]
    return [_contrast(name, written), _glyphs(name, written.texts), _safe(name, written)]


def _contrast(name: str, written: Lettering) -> GateFinding:
    """Reckoned from the colours again, not taken from the record."""
    short = max(1, min(written.width, written.height))
    judged = [(contrast(parse(each.ink), parse(each.ground)), _limit(each, short), each) for each in written.texts]
    ratio, limit, worst = min(judged, key=lambda each: each[0] / each[1])
    measured = f"{ratio:.2f}:1 for {worst.part}, least of {len(judged)} texts"
    where = f"{_place(worst)}, {worst.ink} on {worst.ground}"
    excess = f"{limit - ratio:.2f} too little"
    return GateFinding("contrast", name, measured, f"at least {limit}:1", ratio >= limit, where, excess)


def _limit(each: DrawnText, short: int) -> float:
    size = each.size * 1080 / short
    return LARGE_TEXT if size >= _LARGE or (size >= _LARGE_IF_BOLD and each.weight >= _BOLD) else SMALL_TEXT


def _glyphs(name: str, texts: tuple[DrawnText, ...]) -> GateFinding:
    lacking = [each for each in texts if each.missing]
    characters = sorted({character for each in lacking for character in each.missing})
    listed = " ".join(f"U+{ord(character):04X}" for character in characters[:8])
    measured = f"{len(characters)} characters without a glyph" + (f": {listed}" if listed else "")
    where = _place(lacking[0]) if lacking else ""
    return GateFinding("missing glyphs", name, measured, "none", not characters, where, f"{len(characters)} characters")


def _safe(name: str, written: Lettering) -> GateFinding:
    """No text lies where a platform puts its own controls, or outside the picture."""
    over = [(_outside(each.box, written.safe), each) for each in written.texts]
    most, worst = max(over, key=lambda each: each[0])
    count = sum(1 for far, _ in over if far > 0)
    where = _place(worst)
    return GateFinding("safe zone", name, f"{count} texts outside", "none", count == 0, where, f"{most} pixels")


def _outside(box: tuple[int, ...], safe: tuple[int, ...]) -> int:
    """How many pixels the box reaches over an edge."""
    if not any(box):
        return 0  # its place was not recorded
    return max(0, safe[0] - box[0], safe[1] - box[1], box[2] - safe[2], box[3] - safe[3])


def _place(each: DrawnText) -> str:
    text = each.text if len(each.text) <= _SHOWN else each.text[: _SHOWN - 1] + "…"
    return f"scene {each.scene + 1}, {each.part} “{text}”"
