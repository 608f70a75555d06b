"""Time in the service: integer milliseconds since 1970-01-01 UTC, UTC days, and ISO 8601 text."""

import functools
import re
import time
from datetime import UTC, datetime, timedelta
from typing import overload

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
# By how much the clocks of machines may differ. What is dated later was written before a clock was
# set back.
SKEW = 5 * MINUTE
# 2020-01-01: a clock that is earlier was not set yet, as on a machine without a battery.
EARLIEST = 1_577_836_800_000

_ISO = re.compile(  # the extended format, or the basic one: 20261120T093000Z
    r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?|\d{8}[Tt]\d{4}(\d\d([.,]\d{1,9})?)?)"
    r"([Zz]|[+-]\d\d(:?\d\d)?)?",
    re.ASCII,
)
# A plus sign in the query of an address, and in a form, stands for a space.
_LOST_PLUS = re.compile(r" (\d\d(:?\d\d)?)\Z", re.ASCII)


def now() -> int:
    """Return the current time in milliseconds."""
    return time.time_ns() // 1_000_000


@overload
def format_time(at: int) -> str: ...
@overload
def format_time(at: None) -> None: ...
@overload
def format_time(at: int | None) -> str | None: ...
def format_time(at: int | None) -> str | None:
    """Return an instant as ``2026-11-20T09:30:00.000Z``; None for None."""
    if at is None:
        return None
    minute, millis = divmod(at, MINUTE)
    return f"{_minute(minute)}{millis // 1000:02d}.{millis % 1000:03d}Z"


@functools.lru_cache(maxsize=4096)
def _minute(minute: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:", time.gmtime(minute * 60))


def parse(value: str) -> int:
    """Return the instant of an ISO 8601 datetime, in UTC if it has no offset.

    ValueError: not a valid datetime.
    """
    if not _ISO.fullmatch(value):
        if _ISO.fullmatch(_LOST_PLUS.sub(r"+\1", value)):
            raise ValueError(
                f"{value[:40]!r} has a space in place of the plus sign of its offset, which an "
                "address needs as %2B; or give it in UTC, with Z"
            )
        raise ValueError(f"{value[:40]!r} is not an ISO 8601 datetime such as 2026-11-20T09:30:00Z")
    try:
        moment = datetime.fromisoformat(value.upper().replace(",", "."))
    except ValueError as absent:
        raise ValueError(f"{value[:40]!r} is no day, time or offset that there is") from absent
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return (moment - epoch) // timedelta(milliseconds=1)


def format_day(at: int) -> str:
    """Return the UTC date of an instant: ``2026-11-20``."""
    return _date(at // DAY)


@functools.lru_cache(maxsize=1024)
def _date(day: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(day * 86400))


def format_month(at: int) -> str:
    """Return the UTC month of an instant: ``2026-11``."""
    return format_day(at)[:7]


def find_next_midnight(at: int) -> int:
    """Return the first instant of the UTC day after ``at``."""
    return (at // DAY + 1) * DAY


def count_seconds_until(until: int, at: int) -> int:
    """Return the seconds from ``at`` to ``until``, rounded up, at least 1:
    the value of ``retryAfterSeconds``.
    """
    return max(1, -((at - until) // SECOND))
