"""The days of the person who looks: in the time zone that their browser tells in a cookie, in UTC
without it.

console.js sets the cookie; without script every day is one of UTC. What a page says of days names
the zone.
"""

import datetime
import re
from zoneinfo import ZoneInfo

from flask import request

from svc.base import clock
from svc.console import access

COOKIE = "zone"  # its value: a name such as Europe/Berlin
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,30}(/[A-Za-z0-9_+-]{1,30}){0,2}", re.ASCII)
_DAY = datetime.timedelta(days=1)


def find_viewer_zone() -> datetime.tzinfo:
    """Return the viewer's zone; UTC where it is not told, or not known to this machine."""
    name = request.cookies.get(COOKIE, "").replace("%2F", "/")
    if not _NAME.fullmatch(name):
        return datetime.UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # OSError: the name of a folder of zones, such as Europe
        return datetime.UTC


def name_zone() -> str:
    """Return the name of the viewer's zone."""
    return str(find_viewer_zone())


def parse_day(text: str) -> tuple[int, int]:
    """Return the first and the last millisecond of a day such as ``2026-11-20``.

    ValueError, OverflowError: it is none.
    """
    clock.parse(f"{text}T00:00:00Z")
    date = datetime.date.fromisoformat(text)
    return _midnight(date), _midnight(date + _DAY) - 1


def _midnight(date: datetime.date) -> int:
    return round(
        datetime.datetime.combine(date, datetime.time(), find_viewer_zone()).timestamp() * 1000
    )


def today() -> tuple[int, int]:
    """Return the first and the last millisecond of the present day."""
    return parse_day(find_day(access.now()))


def find_day(at: int) -> str:
    """Return the day of an instant, such as ``2026-11-20``."""
    return datetime.datetime.fromtimestamp(at / 1000, find_viewer_zone()).date().isoformat()
