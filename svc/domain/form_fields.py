"""What people type into forms and commands, read into values or refused with a sentence that says what would be right."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from svc.base.errors import InvalidRequest

Reader = Callable[[str], Any]  # raises ValueError with the sentence
MILLION = 1_000_000
_COLOUR = re.compile(r"#[0-9a-f]{6}", re.ASCII)


def read(readers: Mapping[str, Reader], given: Mapping[str, str]) -> dict[str, Any]:
    """The values of the fields that were given. InvalidRequest: names each one that is unknown or wrong."""
    values, wrong = {}, {}
    for name, text in given.items():
        if name not in readers:
            wrong[name] = [f"There is no such field; there are {', '.join(readers)}."]
            continue
        try:
            values[name] = readers[name](text)
        except ValueError as bad:
            wrong[name] = [str(bad)]
    if wrong:
        raise InvalidRequest(" ".join(f"{name}: {texts[0]}" for name, texts in wrong.items()), fields=wrong)
    return values


def words(longest: int, shortest: int = 1) -> Reader:
    """One line of text."""

    def reader(text: str) -> str:
        line = " ".join(text.split())
        if not shortest <= len(line) <= longest or not line.isprintable():
            raise ValueError(f"Give {shortest} to {longest} characters on one line.")
        return line

    return reader


def choice(*allowed: str) -> Reader:
    def reader(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"{text[:40]!r} is not one of {', '.join(allowed)}.")
        return text

    return reader


def flag(text: str) -> int:
    """1 or 0 for on or off."""
    meant = {"on": 1, "yes": 1, "true": 1, "1": 1, "off": 0, "no": 0, "false": 0, "0": 0, "": 0}.get(text.lower())
    if meant is None:
        raise ValueError(f"{text[:40]!r} is neither on nor off.")
    return meant


def whole(low: int, high: int) -> Reader:
    def reader(text: str) -> int:
        digits = text.strip().removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 12) or not low <= int(text) <= high:
            raise ValueError(f"Give a whole number from {low} to {high}.")
        return int(text)

    return reader


def money(text: str) -> int:
    """Millionths of an amount such as 12.50."""
    try:
        amount = Decimal(text.strip().replace(",", "")) if len(text) < 30 else Decimal("NaN")
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount <= 1_000_000_000 or amount * MILLION % 1:
        raise ValueError("Give an amount such as 12.50, from 0 to 1,000,000,000.")
    return int(amount * MILLION)


def amount(millionths: int | None) -> str:
    """What :func:`money` reads: ``12.50``; empty for None."""
    if millionths is None:
        return ""
    text = f"{Decimal(millionths) / MILLION:f}"
    head, _, tail = text.partition(".")
    return f"{head}.{tail.rstrip('0').ljust(2, '0')}"


def optional(reader: Reader) -> Reader:
    """The same, where nothing, or ``none``, stands for no value."""
    return lambda text: None if text.strip().lower() in ("", "none") else reader(text)


def colour(text: str) -> str:
    if not _COLOUR.fullmatch(text.strip().lower()):
        raise ValueError("Give a colour such as #3d7eff.")
    return text.strip().lower()
