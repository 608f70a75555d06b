"""Reading SubRip and WebVTT files, without anything of what wrote them: a gate must not share its subject's mistakes."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

_TIMES = re.compile(r"^(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3}) --> (?:(\d+):)?(\d\d):(\d\d)[.,](\d{3})")
_STANDS_FOR = {"‹": "<", "›": ">", "→": "-->"}  # SubRip has no escapes; these are written instead


@dataclass(frozen=True)
class Subtitle:
    start: float  # seconds
    end: float
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def read(path: Path) -> list[Subtitle]:
    """The cues of a ``.srt`` or ``.vtt`` file, as they stand; raises ValueError for a file that is neither."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".vtt" and not content.startswith("WEBVTT"):
        raise ValueError("no WEBVTT signature")
    blocks = (block.split("\n") for block in re.split(r"\n{2,}", content.strip()))
    found = [_cue(lines, escaped=path.suffix == ".vtt") for lines in blocks if any("-->" in line for line in lines)]
    if not found:
        raise ValueError("no cue")
    return found


def plain(text: str) -> str:
    """``text`` for comparing: one space between words, the stand-ins for markup read as what they stand for."""
    for sign, meaning in _STANDS_FOR.items():
        text = text.replace(sign, meaning)
    return " ".join(text.split())


def _cue(lines: list[str], escaped: bool) -> Subtitle:
    at = next(number for number, line in enumerate(lines) if "-->" in line)
    times = _TIMES.match(lines[at])
    if times is None:
        raise ValueError(f"no times in {lines[at][:40]!r}")
    parts = [int(part or 0) for part in times.groups()]
    text = tuple(html.unescape(line) if escaped else line for line in lines[at + 1 :])
    return Subtitle(_seconds(*parts[:4]), _seconds(*parts[4:]), text)


def _seconds(hours: int, minutes: int, seconds: int, milliseconds: int) -> float:
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
