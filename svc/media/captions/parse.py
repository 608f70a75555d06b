"""Reads SubRip and WebVTT files by libraries that had no part in writing them:
a gate must not share its subject's mistakes.
"""

import html
import re
from dataclasses import dataclass
from pathlib import Path

import srt
import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

_STANDS_FOR = {"‹": "<", "›": ">", "→": "-->"}  # SubRip has no escapes; these are written instead
# The word joiner, which begins a line that goes on with the word above it (svc.media.text.tokens).
GLUE = "\u2060"
# The direction marks in front of a line that begins with a name in another script.
_DIRECTIONS = {ord(mark): None for mark in "\u200e\u200f"}
_LONGEST_REASON = 100  # characters: the libraries quote what they could not read, however long


@dataclass(frozen=True)
class Subtitle:
    start: float  # seconds
    end: float
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def read_cues(path: Path) -> list[Subtitle]:
    """Return the cues of a ``.srt`` or ``.vtt`` file, in its order.

    ValueError: the file is malformed, or has no cue.
    """
    content = path.read_text(encoding="utf-8")
    try:
        cues = _parse_webvtt(content) if path.suffix == ".vtt" else _parse_subrip(content)
    except (MalformedCaptionError, MalformedFileError, srt.SRTParseError) as malformed:
        raise ValueError(str(malformed)[:_LONGEST_REASON]) from malformed
    if not cues:
        raise ValueError("no cue")
    return cues


def split_words(text: str) -> list[str]:
    """Return the words of a cue as the script has them: figures with a no-break space are one, long
    words are in pieces, stand-ins for markup are replaced by what they stand for."""
    return re.findall(f"{GLUE}?[^ \n{GLUE}]+", _unescape_text(text))


def normalise_text(text: str) -> str:
    """Return ``text`` for comparing: as it is shown, with stand-ins for markup replaced by what
    they stand for.
    """
    return collapse_spaces(_unescape_text(text))


def collapse_spaces(text: str) -> str:
    """Return ``text`` as a viewer reads it: one space between words, none within them."""
    return " ".join(text.split()).replace(f" {GLUE}", "").replace(GLUE, "")


def _unescape_text(text: str) -> str:
    text = text.translate(_DIRECTIONS)
    for sign, meaning in _STANDS_FOR.items():
        text = text.replace(sign, meaning)
    return text


def _parse_webvtt(content: str) -> list[Subtitle]:
    captions = webvtt.from_string(content, strict=True)
    return [
        Subtitle(
            caption.start_time.in_milliseconds() / 1000,
            caption.end_time.in_milliseconds() / 1000,
            tuple(html.unescape(line) for line in caption.lines),
        )
        for caption in captions.captions
    ]


def _parse_subrip(content: str) -> list[Subtitle]:
    cues = list(srt.parse(content))
    # The library repairs what players read differently (0:0:1,5; a blank line in a cue), so the
    # file must be as it writes it.
    if srt.compose(cues, reindex=False) != content.rstrip("\n") + "\n\n":
        raise ValueError("not as SubRip is written")
    return [
        Subtitle(cue.start.total_seconds(), cue.end.total_seconds(), tuple(cue.content.split("\n")))
        for cue in cues
    ]
