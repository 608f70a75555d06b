"""Parsers for fields of forms and commands: each returns a value,
or says in a sentence what a valid value is.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from svc.base import key_texts
from svc.base.errors import InvalidRequest

Reader = Callable[[str], Any]  # raises ValueError, whose message is shown to the user
MILLION = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}", re.ASCII)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ORIGIN = re.compile(
    rf"https://(?=[a-z0-9.-]{{1,253}}(?::|$)){_LABEL}(?:\.{_LABEL})*(?::(?P<port>\d{{1,5}}))?",
    re.ASCII,
)
_MOST_ORIGINS = 20
_EXAMPLE = "https://www.example.com or https://example.com:8443"
_AMOUNT = re.compile(r"(\d+|\d{1,3}(,\d{3})+)(\.\d*)?|\.\d+", re.ASCII)
_COLOUR = re.compile(r"#[0-9a-f]{6}", re.ASCII)


def read(readers: Mapping[str, Reader], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the parsed values of ``texts``, by field name.

    InvalidRequest: names each unknown or invalid field, and each with an API key.
    """
    values, errors = {}, {}
    for name, text in texts.items():
        if name not in readers:
            errors[name] = [f"There is no such field; the fields are {', '.join(readers)}."]
            continue
        if key_texts.holds_key(text):
            errors[name] = [key_texts.REFUSAL]
            continue
        try:
            values[name] = readers[name](text)
        except ValueError as error:
            errors[name] = [str(error)]
    if errors:
        raise InvalidRequest.from_fields(errors)
    return values


def words(longest: int, shortest: int = 1) -> Reader:
    """Return a reader of one line of ``shortest`` to ``longest`` characters."""

    def reader(text: str) -> str:
        line = " ".join(text.split())
        if not shortest <= len(line) <= longest or not line.isprintable():
            raise ValueError(f"Give {shortest} to {longest} characters on one line.")
        return line

    return reader


def read_origins(text: str) -> str:
    """Return at most 20 origins such as ``https://www.example.com``, each once,
    with a space between; empty: none.
    """
    origins = list(dict.fromkeys(text.replace(",", " ").lower().split()))
    for each in origins:
        match = _ORIGIN.fullmatch(each)
        if match is None or not 0 < int(match["port"] or 443) < 65536:
            raise ValueError(
                f"{each[:60]!r} is no origin: give https://, a host and perhaps a port, as "
                f"{_EXAMPLE}."
            )
    if len(origins) > _MOST_ORIGINS:
        raise ValueError(f"Give at most {_MOST_ORIGINS} origins; these are {len(origins)}.")
    return " ".join(origins)


def choice(*allowed: str) -> Reader:
    def reader(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"{text[:40]!r} is not one of {', '.join(filter(None, allowed))}.")
        return text

    return reader


def choice_or_name(*allowed: str) -> Reader:
    """Return a reader of one of ``allowed``, or of a name of at most 60 letters, digits, dots,
    dashes and underscores.
    """

    def reader(text: str) -> str:
        if text not in allowed and not _NAME.fullmatch(text):
            raise ValueError("Give at most 60 letters, digits, dots, dashes and underscores.")
        return text

    return reader


def read_flag(text: str) -> int:
    """Return 1 for on and 0 for off."""
    value = {
        "on": 1,
        "yes": 1,
        "true": 1,
        "1": 1,
        "off": 0,
        "no": 0,
        "false": 0,
        "0": 0,
        "": 0,
    }.get(text.lower())
    if value is None:
        raise ValueError(f"{text[:40]!r} is neither on nor off.")
    return value


def whole_number(low: int, high: int) -> Reader:
    def reader(text: str) -> int:
        digits = text.strip().removeprefix("-")
        if (
            not (digits.isascii() and digits.isdigit() and len(digits) < 12)
            or not low <= int(text) <= high
        ):
            raise ValueError(f"Give a whole number from {low} to {high}.")
        return int(text)

    return reader


def read_money(text: str) -> int:
    """Return an amount such as 12.50 in millionths.

    ValueError: it is none, such as 12,50: a comma stands before three digits only, as otherwise
    that would become 1250.
    """
    typed = text.strip()
    is_amount = len(text) < 30 and _AMOUNT.fullmatch(typed)
    amount = Decimal(typed.replace(",", "")) if is_amount else Decimal(-1)
    if not 0 <= amount <= 1_000_000_000 or amount * MILLION % 1:
        raise ValueError("Give an amount such as 12.50, from 0 to 1,000,000,000.")
    return int(amount * MILLION)


def format_amount(millionths: int | None) -> str:
    """Return ``millionths`` as :func:`read_money` reads it, such as ``12.50``;
    an empty string for None.
    """
    if millionths is None:
        return ""
    text = f"{Decimal(millionths) / MILLION:f}"
    head, _, tail = text.partition(".")
    return f"{head}.{tail.rstrip('0').ljust(2, '0')}"


def optional(reader: Reader) -> Reader:
    """Return ``reader``, extended to return None for an empty text and for ``none``."""
    return lambda text: None if text.strip().lower() in ("", "none") else reader(text)


def read_colour(text: str) -> str:
    if not _COLOUR.fullmatch(text.strip().lower()):
        raise ValueError("Give a colour such as #3d7eff.")
    return text.strip().lower()
