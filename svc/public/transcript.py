"""Parses a transcript text file, as svc.media.captions.transcript writes it,
into passages for a page.
"""

import re
from dataclasses import dataclass

from svc.base.text.display import shorten, to_one_line
from svc.base.text.timecodes import format_position

_TIME = re.compile(r"\[(\d{1,3}):(\d\d):(\d\d)\]\s*(.*)", re.ASCII)
_POINT = "•"
_LONGEST_NAME = 60  # characters before a colon that may be a speaker's name


@dataclass(frozen=True)
class Passage:
    """A passage that begins at ``seconds`` (None: unknown): a heading, which may be empty,
    prose and list items.
    """

    seconds: int | None
    heading: str
    prose: list[str]
    points: list[str]

    @property
    def clock(self) -> str:
        """The time as ``1:05``; empty if it is unknown."""
        return "" if self.seconds is None else format_position(self.seconds)


@dataclass(frozen=True)
class Transcript:
    speaker: str  # empty: not named
    passages: list[Passage]

    def summarise(self, longest: int) -> str:
        """Return the beginning in at most ``longest`` characters; empty if nothing is said."""
        prose = [text for passage in self.passages for text in passage.prose]
        points = [text for passage in self.passages for text in passage.points]
        return shorten(" ".join(prose) or "; ".join(points), longest)


def parse_transcript(text: str, title: str) -> Transcript:
    """Return the parsed transcript ``text`` of the programme ``title``.

    Text in an unknown format becomes prose.
    """
    blocks = [_split_lines(block) for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n"))]
    passages = [_parse_passage(lines) for lines in blocks if lines and lines != [title]]
    speaker = _find_speaker(passages)
    return Transcript(speaker, [_remove_repeats(passage, speaker) for passage in passages])


def _split_lines(block: str) -> list[str]:
    return [text for text in (to_one_line(line, "") for line in block.split("\n")) if text]


def _parse_passage(lines: list[str]) -> Passage:
    seconds, heading, rest = None, "", lines
    if match := _TIME.fullmatch(lines[0]):
        hours, minutes, part = (int(match[number]) for number in (1, 2, 3))
        seconds, heading, rest = hours * 3600 + minutes * 60 + part, match[4], lines[1:]
    points = [line.removeprefix(_POINT).strip() for line in rest if line.startswith(_POINT)]
    return Passage(seconds, heading, [line for line in rest if not line.startswith(_POINT)], points)


def _find_speaker(passages: list[Passage]) -> str:
    """Return the name that precedes all speech, so that it can be shown once."""
    timed_texts = [
        text for passage in passages if passage.seconds is not None for text in passage.prose
    ]
    names = {text.partition(": ")[0] if ": " in text else "" for text in timed_texts}
    name = names.pop() if len(names) == 1 else ""
    return name if len(name) <= _LONGEST_NAME else ""


def _remove_repeats(passage: Passage, speaker: str) -> Passage:
    """Return the passage without the speaker's name, and without prose that only
    repeats its heading.
    """
    prose = [text.removeprefix(f"{speaker}: ") if speaker else text for text in passage.prose]
    return Passage(
        passage.seconds,
        passage.heading,
        [text for text in prose if text != passage.heading],
        passage.points,
    )
