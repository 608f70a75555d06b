"""Estimates how long it takes to speak a text, by its length."""

SECONDS_OF_OPENING_AND_CLOSE = 6.0  # seconds of opening and closing
# Characters that are spoken in a second: 165 words a minute; a letter of these scripts is a
# syllable or a word.
_PACE, _DENSE_PACE, _DENSE = 15.0, 4.5, ("ja", "zh", "ko", "yue")


def estimate_speech_seconds(length: int, language: str) -> float:
    """Return how many seconds ``length`` characters take. ``language``: BCP 47."""
    return length / (_DENSE_PACE if language.partition("-")[0] in _DENSE else _PACE)
