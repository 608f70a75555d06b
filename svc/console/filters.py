"""The template filters of the console: times, sizes, amounts of money and durations."""

import json
import re
import time
from typing import Any, Literal

from flask import Flask, current_app
from markupsafe import Markup

from svc.base import clock, limits, looks
from svc.base.connectors import Field
from svc.base.text import display
from svc.base.text.counted import count
from svc.console import form_errors
from svc.domain import form_fields, locales
from svc.domain.access import keys
from svc.domain.lifecycle import briefs, render_queue, stages
from svc.domain.partners import avatars, sensitivity_rules
from svc.domain.people import password_reset, passwords
from svc.domain.tables.productions import QueuePause
from svc.domain.webhooks import deliveries, endpoint_health, event_types

_UNITS = ((clock.DAY, "d"), (clock.HOUR, "h"), (clock.MINUTE, "min"), (clock.SECOND, "s"))
_INNER_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")
_LONG_AGO = 30 * clock.DAY
_JOINTS = re.compile(r"(?<=\w[./_])(?=\w)")


def install(app: Flask) -> None:
    """Add these filters to an application's templates."""
    ours = (
        iso,
        exact,
        ago,
        lasting,
        breakable,
        short,
        span,
        size,
        money,
        pretty,
        one_line,
        instant,
        field_time,
        amount,
        alike,
        options,
        capitalised,
        spoken,
        as_typed,
        display.browser,
        form_errors.reword,
        stage,
        subject,
        pause,
        language_tag,
        number,
    )
    for each in ours:
        app.add_template_filter(each)
    app.jinja_env.globals.update(
        look_names=looks.LOOK_NAMES,
        default_look=looks.DEFAULT_LOOK,
        theme_names=looks.THEMES,
        further_numbers=event_types.FURTHER_NUMBERS,
        brief_options=briefs.OPTIONS.values(),
        limits={  # that texts of pages name
            "upload_mib": limits.to_mib(limits.MOST_OF_AN_UPLOAD),
            "track_mib": limits.to_mib(limits.MOST_OF_A_TRACK),
            "clip_mib": limits.to_mib(limits.MOST_OF_A_CLIP),
            "track_seconds": limits.TRACK_SECONDS,
            "clip_seconds": limits.CLIP_SECONDS,
            "smallest_portrait": limits.SMALLEST_PORTRAIT,
            "answer_seconds": limits.ANSWER_SECONDS,
            "link_lifetime": count(limits.LINK_SECONDS // 3600, "hour"),
            "paces": (avatars.SLOWEST, avatars.FASTEST),
            "pitches": avatars.PITCHES,
            "caption_languages": briefs.MOST_CAPTION_LANGUAGES,
            "reset_minutes": password_reset.LIFETIME // clock.MINUTE,
            "activation_days": keys.ACTIVATION_LIFETIME // clock.DAY,
            "grace_hours": keys.GRACE // clock.HOUR,
            "shortest_password": passwords.SHORTEST,
            "longest_notes": briefs.METADATA.longest,
            "longest_phrase": sensitivity_rules.LONGEST,
            "failures_to_warning": endpoint_health.FAILURES_TO_WARNING,
            "failures_to_suspension": endpoint_health.FAILURES_TO_SUSPENSION,
        },
    )


def iso(at: int) -> str:
    """Return the value of a ``datetime`` attribute."""
    return clock.format_time(at)


def exact(at: int) -> str:
    """Return a time as ``21 Nov 2026, 03:58:41 UTC``."""
    return time.strftime("%-d %b %Y, %H:%M:%S UTC", time.gmtime(at // 1000))


def short(at: int) -> str:
    """Return a date as ``21 Nov 2026``."""
    return time.strftime("%-d %b %Y", time.gmtime(at // 1000))


def ago(at: int) -> str:
    """Return a relative time such as ``5 min ago`` or ``in 2 h``;
    the date if it is more than a month away.
    """
    distance = at - current_app.extensions["svc"].clock()
    if abs(distance) < clock.SECOND:
        return "now"
    if abs(distance) >= _LONG_AGO:
        return short(at)
    words = span(abs(distance), parts=1)
    return f"in {words}" if distance > 0 else f"{words} ago"


def lasting(at: int) -> str:
    """Return how long a state has lasted since ``at``, such as ``for 5 min``;
    ``since 21 Nov 2026`` after more than a month.
    """
    distance = current_app.extensions["svc"].clock() - at
    if distance < clock.SECOND:
        return "just now"
    if distance >= _LONG_AGO:
        return f"since {short(at)}"
    return f"for {span(distance, parts=1)}"


def breakable(text: str | None) -> Markup:
    """Return untrusted text that breaks after its dots, slashes and underscores where it has to,
    such as an event type or an address; elsewhere only in parts that are wider than their line.
    """
    pieces = _JOINTS.split(text or "")
    return Markup("<wbr>").join(pieces)


def span(ms: float, parts: int = 2) -> str:
    """Return a duration in its largest units, such as ``2 h 5 min``;
    below ten seconds with decimals, never ``0 ms``.
    """
    if ms == 0:
        return "0 s"
    if ms < 1:
        return "under 1 ms"
    if ms < clock.SECOND:
        return f"{ms:.0f} ms"
    if ms < 10 * clock.SECOND and parts > 1:
        return f"{ms / clock.SECOND:.1f} s"
    amounts: list[str] = []
    rest = int(ms)
    for unit, name in _UNITS:
        count, rest = divmod(rest, unit)
        if count or amounts:
            amounts.append(f"{count} {name}" if count else "")
    return " ".join(amount for amount in amounts[:parts] if amount)


def stage(production: Any) -> str:
    """Return where a production stands, in the names of ``badge``."""
    return stages.find_stage(production)


def pause(production: Any, pauses: list[QueuePause]) -> QueuePause | None:
    """Return which of the pauses of queues keeps a production waiting."""
    return render_queue.find_pause(production, pauses)


def language_tag(language_id: str) -> dict[str, Any] | None:
    """Return the ``code`` and the English ``name`` of a language."""
    return locales.list_languages().get(language_id)


def number(count: int, most: int | None = None) -> str:
    """Return a number such as ``1,250``; ``1,000+`` where counting ended at ``most``."""
    return f"{most:,}+" if most is not None and count > most else f"{count:,}"


def size(count: int) -> str:
    """Return a size such as ``1.4 MB``."""
    if count < 1000:
        return f"{count} byte{'' if count == 1 else 's'}"
    amount, names = count / 1000, ["kB", "MB", "GB"]
    while amount >= 999.5 and len(names) > 1:
        amount, names = amount / 1000, names[1:]
    return f"{amount:.1f} {names[0]}" if amount < 10 else f"{amount:.0f} {names[0]}"


def money(millionths: int) -> str:
    """Return an amount with the operator's currency and two decimals, such as ``USD 1,250.50``."""
    currency = current_app.extensions["svc"].settings.currency
    cents = (abs(millionths) + 5_000) // 10_000
    if millionths and not cents:
        return f"under {currency} 0.01"
    return f"{'-' if millionths < 0 else ''}{currency} {cents // 100:,}.{cents % 100:02}"


def amount(millionths: int | None) -> str:
    """Return an amount as forms accept it, such as ``1250.50``; empty for None."""
    return form_fields.format_amount(millionths)


def subject(
    delivery: deliveries.ListedDelivery | deliveries.TitledDelivery,
) -> Literal["test", "batch", "limit", "production"]:
    """Return what the event of a delivery tells of: a ``production_id`` is not always that of a
    production.
    """
    if not delivery["sequence"]:
        return "test"
    if delivery["event_type"] == event_types.BATCH_COMPLETED.name:
        return "batch"
    if delivery["event_type"] == event_types.USAGE_THRESHOLD.name:
        return "limit"
    return "production"


def spoken(name: str) -> str:
    """Return the name of an alert in words:
    ``Webhook delivery failed`` for ``WebhookDeliveryFailed``.
    """
    return _INNER_CAPITAL.sub(lambda match: f" {match[0].lower()}", name)


def alike(values) -> list[tuple[str, str]]:
    """Return the options of a choice whose labels are its values."""
    return [(each, each) for each in values]


def options(field: Field, present: str | None) -> list[tuple[str, str]]:
    """Return the choices of a field with the value that is stored, lest a form that shows another
    one replaces it unasked: the place may have known it once.
    """
    values = field.choices if not present or present in field.choices else (present, *field.choices)
    return alike(values)


def capitalised(values) -> list[tuple[str, str]]:
    """Return the options of a choice whose labels are its values with a capital."""
    return [(each, each.capitalize()) for each in values]


def pretty(value) -> str:
    """Return indented JSON of a JSON text or a JSON value."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except ValueError:
            return value if isinstance(value, str) else value.decode(errors="replace")
    return json.dumps(value, indent=2, ensure_ascii=False)


def instant(iso: str) -> int:
    """Return the milliseconds of a time in the API's format."""
    return clock.parse(iso)


def field_time(at: int) -> str:
    """Return the value of an input of type datetime-local."""
    return clock.format_time(at)[:19]


def one_line(value: str | None, longest: int = 200) -> str:
    """Return untrusted text in one line, shortened at a word boundary."""
    return display.shorten(display.to_one_line(value or "", ""), longest)


def as_typed(value: Any) -> str:
    """Return the value of a form's field as text: of a list an entry a line,
    of a table a line a row.
    """
    if isinstance(value, list):
        return "\n".join(as_typed(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(
            f"{name}: {as_typed(each)}" for name, each in value.items() if each not in ("", None)
        )
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
