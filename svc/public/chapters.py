"""The chapters of a watch page as WebVTT (W3C WebVTT, section 1.5, "Chapters"),
which players show as a menu.
"""

import html
from itertools import pairwise

from webvtt import Caption, WebVTT

from svc.base.text.timecodes import format_cue_time
from svc.public.transcript import Transcript

_FEWEST = 2  # chapters that are worth a menu


def find_chapter_starts(
    transcript: Transcript, title: str, duration: float
) -> list[tuple[float, str]]:
    """Return the second at which each heading of ``transcript`` begins a chapter, the first at 0;
    empty if there is only one.

    ``title``: of what comes before the first heading. ``duration``: seconds of the video.
    """
    starts = [
        (float(passage.seconds), passage.heading)
        for passage in transcript.passages
        if passage.heading and passage.seconds is not None and passage.seconds < duration
    ]
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0.0, title))
    return starts if len(starts) >= _FEWEST else []


def format_chapters(starts: list[tuple[float, str]], duration: float) -> str:
    """Return the chapters of :func:`find_chapter_starts` as WebVTT.

    ``duration``: seconds of the video, at which the last chapter ends.
    """
    cues = [
        Caption(format_cue_time(start), format_cue_time(end), html.escape(name, quote=False))
        for (start, name), (end, _) in pairwise([*starts, (duration, "")])
        if end > start
    ]
    return str(WebVTT(captions=cues).content)
