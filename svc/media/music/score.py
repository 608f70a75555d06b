"""The score of a bed: which chord and which note sounds on which beat,
so that the last one ends with the programme.
"""

from dataclasses import dataclass

from svc.media.music.moods import Mood

_SHORTEST_END = 4  # beats that the last chord rings


@dataclass(frozen=True)
class Chord:
    """``notes``: MIDI numbers, the bass first.

    ``start`` and ``end``: seconds. ``steps``: of its arpeggio, as in a Mood.
    """

    notes: tuple[int, ...]
    start: float
    end: float
    steps: tuple[int, ...]


def compose(mood: Mood, seconds: float) -> list[Chord]:
    """Return the chords of a bed of ``seconds``. The tempo is bent by at most half a beat in the
    whole programme, which therefore ends on a beat; the last chord is the home chord, after the
    chord that leads to it."""
    beats = max(1, round(seconds * mood.tempo / 60))
    beat = seconds / beats
    count = max(0, (beats - _SHORTEST_END) // mood.chord_beats)
    notes = [mood.chords[number % len(mood.chords)] for number in range(count)]
    if count > 1:
        notes[-1] = mood.approach
    edge = mood.chord_beats * beat
    chords = [
        Chord(chord, number * edge, (number + 1) * edge, mood.steps)
        for number, chord in enumerate(notes)
    ]
    return [*chords, Chord(mood.home, count * edge, seconds, ())]
