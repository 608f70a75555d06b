"""The gates of the text on the pictures: contrast, missing glyphs, the safe zone, and code,
which is nowhere else.
"""

from svc.media.drawing.colour import contrast, parse_colour
from svc.media.model import DrawnText, Lettering, QualityFinding, Script
from svc.media.text.tokens import drawable

SMALL_TEXT, LARGE_TEXT = 4.5, 3.0  # WCAG 2.2, success criterion 1.4.3, level AA
# pixels of 1,080: WCAG's 24 and 18.7 on a page, seen from twice as far
_LARGE, _LARGE_IF_BOLD, _BOLD = 48, 38, 700
UNREADABLE = 1.5  # contrast with which nobody reads a text
_EXCERPT = 24  # characters of a text that a finding quotes


def findings(name: str, lettering: Lettering, script: Script) -> list[QualityFinding]:
    """Return the findings for the text on the video ``name``."""
    if not lettering.texts:
        return [missing_record_finding(name)]
    return [
        _contrast(name, lettering),
        _glyphs(name, lettering.texts),
        _safe(name, lettering),
        _code(name, lettering, script),
    ]


def missing_record_finding(name: str) -> QualityFinding:
    """Return the finding for a video without a record of its texts: nothing is known of them."""
    return QualityFinding(
        "contrast", name, "no record of what was written", "a record", False, certain=False
    )


def _contrast(name: str, lettering: Lettering) -> QualityFinding:
    """Compute contrast again from the colours rather than trust the recorded value."""
    short_side = max(1, min(lettering.width, lettering.height))
    ratios = [
        (
            contrast(parse_colour(text.ink), parse_colour(text.ground)),
            _limit(text, short_side),
            text,
        )
        for text in lettering.texts
    ]
    ratio, limit, worst = min(ratios, key=lambda row: row[0] / row[1])
    measured = f"{ratio:.2f}:1 for {worst.part}, least of {len(ratios)} texts"
    where = f"{_describe(worst)}, {worst.ink} on {worst.ground}"
    excess = f"{limit - ratio:.2f} too little"
    return QualityFinding(
        "contrast",
        name,
        measured,
        f"at least {limit}:1",
        ratio >= limit,
        where,
        excess,
        certain=ratio < UNREADABLE,
        scene=worst.scene + 1,
    )


def _limit(text: DrawnText, short_side: int) -> float:
    size = text.size * 1080 / short_side
    return (
        LARGE_TEXT
        if size >= _LARGE or (size >= _LARGE_IF_BOLD and text.weight >= _BOLD)
        else SMALL_TEXT
    )


def _glyphs(name: str, texts: tuple[DrawnText, ...]) -> QualityFinding:
    incomplete = [text for text in texts if text.missing]
    characters = sorted({character for text in incomplete for character in text.missing})
    listed = " ".join(f"U+{ord(character):04X}" for character in characters[:8])
    measured = f"{len(characters)} characters without a glyph" + (f": {listed}" if listed else "")
    where, scene = (_describe(incomplete[0]), incomplete[0].scene + 1) if incomplete else ("", None)
    # most of the film cannot be read
    certain, excess = 2 * len(incomplete) > len(texts), f"{len(characters)} characters"
    return QualityFinding(
        "missing glyphs",
        name,
        measured,
        "none",
        not characters,
        where,
        excess,
        certain=certain,
        scene=scene,
    )


def _safe(name: str, lettering: Lettering) -> QualityFinding:
    """Check that no text lies outside the picture or where a platform puts its own controls."""
    overlaps = [(_outside(text.box, lettering.safe), text) for text in lettering.texts]
    most, worst = max(overlaps, key=lambda row: row[0])
    count = sum(1 for pixels, _ in overlaps if pixels > 0)
    where, scene, measured = _describe(worst), worst.scene + 1, f"{count} texts outside"
    return QualityFinding(
        "safe zone",
        name,
        measured,
        "none",
        count == 0,
        where,
        f"{most} pixels",
        certain=False,
        scene=scene,
    )


def _outside(box: tuple[int, ...], safe: tuple[int, ...]) -> int:
    """Return how many pixels the box reaches over an edge."""
    if not any(box):
        return 0  # its place was not recorded
    return max(0, safe[0] - box[0], safe[1] - box[1], box[2] - safe[2], box[3] - safe[3])


def _code(name: str, lettering: Lettering, script: Script) -> QualityFinding:
    """Check that every word of code is on a picture of its scene,
    whole or continued on a next line.
    """
    lost = []
    for number, scene in enumerate(script.scenes):
        if scene.sight.kind == "code":
            drawn = {
                text.text
                for text in lettering.texts
                if text.scene == number and text.part == "code"
            }
            words = dict.fromkeys(scene.sight.text.split())
            lost += [(number, word) for word in words if not _is_drawn(drawable(word), drawn)]
    count, where = (
        f"{len(lost)} words",
        f"scene {lost[0][0] + 1}, “{lost[0][1][:_EXCERPT]}”" if lost else "",
    )
    first = lost[0][0] + 1 if lost else None
    return QualityFinding(
        "code in the pictures",
        name,
        f"{count} left out",
        "none",
        not lost,
        where,
        count,
        scene=first,
    )


def _is_drawn(word: str, drawn: set[str]) -> bool:
    """Return whether ``word`` is in one of the texts, or ends some of them in parts,
    the last of which may stand anywhere.
    """
    longest = max(map(len, drawn), default=0)
    endings = {text[at:] for text in drawn for at in range(len(text))}
    rests: list[int] = []  # where a rest of the word begins that is drawn
    for first in reversed(range(len(word))):
        ends = (end for end in rests if end - first <= longest)
        if any(word[first:] in text for text in drawn) or any(
            word[first:end] in endings for end in ends
        ):
            rests.append(first)
    return 0 in rests


def _describe(drawn: DrawnText) -> str:
    text = drawn.text if len(drawn.text) <= _EXCERPT else drawn.text[: _EXCERPT - 1] + "…"
    return f"scene {drawn.scene + 1}, {drawn.part} “{text}”"
