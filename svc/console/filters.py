"""How pages write instants, sizes, sums of money and lengths of time: the filters of the console's templates."""

import json
import re
import time

from flask import Flask, current_app

from svc.base import clock
from svc.console import text
from svc.domain import entries

_UNITS = ((clock.DAY, "d"), (clock.HOUR, "h"), (clock.MINUTE, "min"), (clock.SECOND, "s"))
_INNER_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")
_LONG_AGO = 30 * clock.DAY


def install(app: Flask) -> None:
    """Give an application's templates these filters."""
    ours = (iso, exact, ago, short, span, size, money, pretty, one_line, instant, field_time, amount, alike, spoken,
            text.browser)
    for each in ours:
        app.add_template_filter(each)


def iso(at: int) -> str:
    """For ``datetime`` attributes."""
    return clock.text(at)


def exact(at: int) -> str:
    """``21 Nov 2026, 03:58:41 UTC``."""
    return time.strftime("%-d %b %Y, %H:%M:%S UTC", time.gmtime(at // 1000))


def short(at: int) -> str:
    """``21 Nov 2026``."""
    return time.strftime("%-d %b %Y", time.gmtime(at // 1000))


def ago(at: int) -> str:
    """``5 min ago``, ``in 2 h``; further than a month away, the date."""
    distance = at - current_app.extensions["svc"].clock()
    if abs(distance) < clock.SECOND:
        return "now"
    if abs(distance) >= _LONG_AGO:
        return short(at)
    words = span(abs(distance), parts=1)
    return f"in {words}" if distance > 0 else f"{words} ago"


def span(ms: float, parts: int = 2) -> str:
    """A length of time in its largest units: ``2 h 5 min``; below ten seconds with what is after the point."""
    if ms < clock.SECOND:
        return f"{ms:.0f} ms"
    if ms < 10 * clock.SECOND and parts > 1:
        return f"{ms / clock.SECOND:.1f} s"
    found: list[str] = []
    rest = int(ms)
    for unit, name in _UNITS:
        count, rest = divmod(rest, unit)
        if count or found:
            found.append(f"{count} {name}" if count else "")
    return " ".join(each for each in found[:parts] if each)


def size(count: int) -> str:
    """``1.4 MB``."""
    if count < 1000:
        return f"{count} bytes"
    amount, names = count / 1000, ["kB", "MB", "GB"]
    while amount >= 999.5 and len(names) > 1:
        amount, names = amount / 1000, names[1:]
    return f"{amount:.1f} {names[0]}" if amount < 10 else f"{amount:.0f} {names[0]}"


def money(millionths: int) -> str:
    """An amount of the operator's currency: two digits after the point, or as many as it takes."""
    text = f"{millionths / 1_000_000:,.6f}".rstrip("0")
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction:<02}"


def amount(millionths: int | None) -> str:
    """A sum of money as forms take it: ``1250.50``; empty for None."""
    return entries.amount(millionths)


def spoken(name: str) -> str:
    """``Webhook delivery failed`` for the name of an alert, ``WebhookDeliveryFailed``."""
    return _INNER_CAPITAL.sub(lambda found: f" {found[0].lower()}", name)


def alike(values) -> list[tuple[str, str]]:
    """The options of a choice whose words are their values."""
    return [(each, each) for each in values]


def pretty(value) -> str:
    """JSON to be read: of a text that is JSON, or of anything that JSON can say."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except ValueError:
            return value if isinstance(value, str) else value.decode(errors="replace")
    return json.dumps(value, indent=2, ensure_ascii=False)


def instant(iso: str) -> int:
    """The milliseconds of a time as the API writes it."""
    return clock.parse(iso)


def field_time(at: int) -> str:
    """For an input of the type datetime-local."""
    return clock.text(at)[:19]


def one_line(value: str | None, longest: int = 200) -> str:
    """Untrusted text in one line, cut at a word."""
    return text.shortened(text.one_line(value or "", ""), longest)
