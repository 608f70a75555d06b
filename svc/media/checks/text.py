"""The gates of the text on the pictures: contrast, missing glyphs, the safe zone, and code,
which is nowhere else.
"""

from dataclasses import dataclass
from typing import ClassVar

from svc.media.checks.quality_gates import (
    Measurement,
    Measurements,
    measure_subject,
    quality_gate,
)
from svc.media.colour import compute_contrast, parse_colour
from svc.media.model import DrawnText, Lettering, QualityFinding, Script
from svc.media.text.tokens import make_drawable

SMALL_TEXT, LARGE_TEXT = 4.5, 3.0  # WCAG 2.2, success criterion 1.4.3, level AA
# The size of large type, the size if it is bold, and the weight of bold: pixels of 1,080. WCAG has
# 24 and 18.7 on a page, and a video is seen from twice as far.
_LARGE, _LARGE_IF_BOLD, _BOLD = 48, 38, 700
UNREADABLE = 1.5  # contrast with which nobody reads a text
_EXCERPT = 24  # characters of a text that a finding quotes
_UNRECORDED = Lettering(0, 0, (0, 0, 0, 0), ())


@dataclass(frozen=True)
class DrawnTexts:
    """The texts on the pictures of the video ``name``. ``lettering`` has none without a record."""

    CHECKED: ClassVar[str] = "every text in the picture"
    name: str
    lettering: Lettering
    script: Script


def list_findings(name: str, lettering: Lettering | None, script: Script) -> list[QualityFinding]:
    """Return the findings for the text on the video ``name``.

    ``lettering``: what was drawn; None: there is no record of it.
    """
    return measure_subject(DrawnTexts(name, lettering or _UNRECORDED, script))


@quality_gate(
    "contrast",
    of=DrawnTexts,
    how="WCAG 2.2 AA",
    warning=f"{SMALL_TEXT}:1 (large: {LARGE_TEXT:.0f}:1); recorded",
    failure=f"{UNREADABLE}:1",
)
def check_contrast(drawn: DrawnTexts) -> Measurement:
    """Compute contrast again from the colours rather than trust the recorded value."""
    lettering = drawn.lettering
    if not lettering.texts:  # nothing is known of them
        return Measurement("no record of what was written", "a record", False, certain=False)
    short_side = max(1, min(lettering.width, lettering.height))
    ratios = [
        (
            compute_contrast(parse_colour(text.ink), parse_colour(text.ground)),
            _find_least_contrast(text, short_side),
            text,
        )
        for text in lettering.texts
    ]
    ratio, limit, worst = min(ratios, key=lambda row: row[0] / row[1])
    measured = f"{ratio:.2f}:1 for {worst.part}, least of {len(ratios)} texts"
    where = f"{_describe_text(worst)}, {worst.ink} on {worst.ground}"
    excess = f"{limit - ratio:.2f} too little"
    return Measurement(
        measured,
        f"at least {limit}:1",
        ratio >= limit,
        where,
        excess,
        certain=ratio < UNREADABLE,
        scene=worst.scene + 1,
    )


def _find_least_contrast(text: DrawnText, short_side: int) -> float:
    size = text.size * 1080 / short_side
    return (
        LARGE_TEXT
        if size >= _LARGE or (size >= _LARGE_IF_BOLD and text.weight >= _BOLD)
        else SMALL_TEXT
    )


@quality_gate(
    "missing glyphs", of=DrawnTexts, warning="none missing", failure="in half of the texts"
)
def check_glyphs(drawn: DrawnTexts) -> Measurements:
    """Check that the fonts had every character."""
    texts = drawn.lettering.texts
    if not texts:
        return ()
    incomplete = [text for text in texts if text.missing]
    characters = sorted({character for text in incomplete for character in text.missing})
    listed = " ".join(f"U+{ord(character):04X}" for character in characters[:8])
    measured = f"{len(characters)} characters without a glyph" + (f": {listed}" if listed else "")
    where, scene = (
        (_describe_text(incomplete[0]), incomplete[0].scene + 1) if incomplete else ("", None)
    )
    # most of the film cannot be read
    certain, excess = 2 * len(incomplete) > len(texts), f"{len(characters)} characters"
    return Measurement(
        measured,
        "none",
        not characters,
        where,
        excess,
        certain=certain,
        scene=scene,
    )


@quality_gate("safe zone", of=DrawnTexts, warning="within what players of places do not cover")
def check_safe_zone(drawn: DrawnTexts) -> Measurements:
    """Check that no text lies outside the picture or where a platform puts its own controls."""
    lettering = drawn.lettering
    if not lettering.texts:
        return ()
    overlaps = [(_measure_overlap(text.box, lettering.safe), text) for text in lettering.texts]
    most, worst = max(overlaps, key=lambda row: row[0])
    count = sum(1 for pixels, _ in overlaps if pixels > 0)
    where, scene, measured = _describe_text(worst), worst.scene + 1, f"{count} texts outside"
    return Measurement(
        measured,
        "none",
        count == 0,
        where,
        f"{most} pixels",
        certain=False,
        scene=scene,
    )


def _measure_overlap(box: tuple[int, ...], safe: tuple[int, ...]) -> int:
    """Return how many pixels the box reaches over an edge."""
    if not any(box):
        return 0  # its place was not recorded
    return max(0, safe[0] - box[0], safe[1] - box[1], box[2] - safe[2], box[3] - safe[3])


@quality_gate(
    "code in the pictures", of=DrawnTexts, how="which is not spoken", failure="every word"
)
def check_code(drawn: DrawnTexts) -> Measurements:
    """Check that every word of code is on a picture of its scene,
    whole or continued on a next line.
    """
    texts = drawn.lettering.texts
    if not texts:
        return ()
    lost = []
    for number, scene in enumerate(drawn.script.scenes):
        if scene.sight.kind == "code":
            shown = {text.text for text in texts if text.scene == number and text.part == "code"}
            words = dict.fromkeys(scene.sight.text.split())
            lost += [(number, word) for word in words if not _is_drawn(make_drawable(word), shown)]
    count = f"{len(lost)} words"
    where = f"scene {lost[0][0] + 1}, “{lost[0][1][:_EXCERPT]}”" if lost else ""
    first = lost[0][0] + 1 if lost else None
    return Measurement(
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


def _describe_text(drawn: DrawnText) -> str:
    text = drawn.text if len(drawn.text) <= _EXCERPT else drawn.text[: _EXCERPT - 1] + "…"
    return f"scene {drawn.scene + 1}, {drawn.part} “{text}”"
