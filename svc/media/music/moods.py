"""The moods of the music: tempo, chords and sound of each bed."""

import hashlib
from dataclasses import dataclass, replace

NONE, OF_LOOK = "none", "look"  # in place of a mood: no music; what the look of the video wants


@dataclass(frozen=True)
class Mood:
    """A bed. Chords are MIDI note numbers, the bass first; the progression repeats, and
    ``approach`` leads back to ``home``.

    ``steps``: for each note of the arpeggio, its place in the chord (-1: a rest); the pattern fills
    ``chord_beats``.
    """

    name: str
    tempo: float  # beats a minute, before it is bent to end with the programme
    chord_beats: int
    chords: tuple[tuple[int, ...], ...]
    approach: tuple[int, ...]
    home: tuple[int, ...]
    steps: tuple[int, ...]
    pad: float  # amplitude of each note of the sustained chord
    pluck: float  # amplitude of each note of the arpeggio
    ring: float  # seconds in which a plucked note falls by 60 dB
    level: float  # LUFS of the bed as these amplitudes make it, which a test measures


_CALM = Mood(
    "calm",
    66.0,
    8,
    ((41, 53, 57, 60, 67), (38, 53, 57, 60, 65), (34, 53, 58, 62, 65), (36, 52, 55, 62, 67)),
    (36, 53, 55, 58, 64),
    (41, 53, 57, 60, 65),
    (1, -1, 3, -1, 4, -1, 2, -1),
    pad=0.09,
    pluck=0.07,
    ring=3.2,
    level=-20.0,
)
_BRIGHT = Mood(
    "bright",
    96.0,
    4,
    ((38, 57, 62, 66, 69), (45, 57, 61, 64, 69), (47, 54, 59, 62, 66), (43, 55, 59, 62, 67)),
    (45, 57, 61, 64, 67),
    (38, 57, 62, 66, 69),
    (1, 2, 3, 4, 3, 2, 1, 3),
    pad=0.05,
    pluck=0.12,
    ring=1.4,
    level=-22.7,
)
_FOCUSED = Mood(
    "focused",
    80.0,
    8,
    ((45, 52, 57, 60, 64), (41, 53, 57, 60, 64), (36, 52, 55, 60, 64), (43, 50, 55, 59, 62)),
    (43, 53, 55, 59, 62),
    (36, 52, 55, 60, 64),
    (1, -1, 2, 1, -1, 3, 1, -1, 2, -1, 1, 4, -1, 2, 1, -1),
    pad=0.07,
    pluck=0.09,
    ring=0.9,
    level=-21.8,
)
MOODS = {mood.name: mood for mood in (_CALM, _BRIGHT, _FOCUSED)}
# The semitones by which a bed is transposed: so few that it keeps its level, and leaves the
# consonants to the voice.
_TRANSPOSED = (0, 1, 2, -1, -2)
VARIANTS = 20  # of each mood: each transposition, beginning with each of four chords


def choose_variant(production_id: str) -> int:
    """Return which variant of its mood a production has, so that two films of the
    same length differ.
    """
    return int.from_bytes(hashlib.sha256(production_id.encode()).digest()[:4]) % VARIANTS


def vary_mood(mood: Mood, variant: int) -> Mood:
    """Return ``mood`` transposed, and with another chord first; variant 0 is the mood itself."""
    first, semitones = variant // len(_TRANSPOSED), _TRANSPOSED[variant % len(_TRANSPOSED)]

    def moved(chord: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(note + semitones for note in chord)

    chords = tuple(map(moved, (*mood.chords[first:], *mood.chords[:first])))
    return replace(mood, chords=chords, approach=moved(mood.approach), home=moved(mood.home))
