"""The chapters of a watch page as WebVTT (W3C WebVTT, section 1.5, "Chapters"), which players show as a menu."""

import html
from itertools import pairwise

from webvtt import Caption, WebVTT

from svc.public.transcript import Transcript

_FEWEST = 2  # chapters that are worth a menu


def write(transcript: Transcript, title: str, duration: float) -> str:
    """Return a chapter for each heading of ``transcript``, the first one from the start on; empty if there is only one.

    ``duration``: seconds of the video, at which the last chapter ends.
    """
    starts = [
        (float(passage.seconds), passage.heading)
        for passage in transcript.passages
        if passage.heading and passage.seconds is not None and passage.seconds < duration
    ]
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0.0, title))
    if len(starts) < _FEWEST:
        return ""
    cues = [
        Caption(_clock(start), _clock(end), html.escape(name, quote=False))
        for (start, name), (end, _) in pairwise([*starts, (duration, "")])
        if end > start
    ]
    return str(WebVTT(captions=cues).content)


def _clock(seconds: float) -> str:
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{milliseconds // 1000:02}.{milliseconds % 1000:03}"
