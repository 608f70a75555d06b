"""Priorities of lines in systemd's journal."""

import logging
import os
from typing import Any

# From the level on (sd-daemon(3)).
_PRIORITIES = (
    (logging.CRITICAL, "<2>"),
    (logging.ERROR, "<3>"),
    (logging.WARNING, "<4>"),
    (logging.INFO, "<6>"),
    (logging.NOTSET, "<7>"),
)


def find_priority(level: int) -> str:
    """Return the prefix that a line of this level has in the journal."""
    return next(priority for least, priority in _PRIORITIES if level >= least)


def is_journal(stream: Any) -> bool:
    """Return whether a stream is connected to systemd's journal (systemd.exec(5))."""
    try:
        stream_stat = os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):  # closed, or none of the system's files
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{stream_stat.st_dev}:{stream_stat.st_ino}"
