"""Times within a video as they are written: in captions, transcripts, chapters and players."""

from functools import lru_cache


def format_position(seconds: float) -> str:
    """Return ``0:05``, ``12:34`` or ``1:02:03``: whole seconds that have passed, as in players."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_full_position(seconds: float) -> str:
    """Return ``00:00:05`` or ``01:02:03``: whole seconds that have passed."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


@lru_cache(maxsize=4096)
def format_cue_time(seconds: float, point: str = ".") -> str:
    """Return the time of a caption, such as ``00:01:02.345``; SubRip has a comma as ``point``."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{milliseconds // 1000:02}{point}{milliseconds % 1000:03}"
