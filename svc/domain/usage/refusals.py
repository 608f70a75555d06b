"""What refused requests sent and were answered, so that the console can explain a refusal: bounded,
with secrets masked.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

from svc.base import key_texts
from svc.domain import dates_ahead
from svc.store.database import db
from svc.store.models import usage as models
from svc.store.queries import Prepared, slot, slots

MOST = 1000  # kept of a partner; also how many wait to be written while the database is away
_LONGEST = 8192  # characters of a body or an answer
_BATCH = 1000
_MASK = "•••"
_MOST_SHOWN = 2 * _LONGEST // 4  # values: with its indentation, each takes four characters at least
_LONGEST_READ = 64 * 1024  # bytes of a body that is read as JSON
_MOST_READ = 500  # commas and brackets of such a body
_ENCODER = json.JSONEncoder(ensure_ascii=False, indent=2)
_NAMES = "secret|password|token|authorization|api_?-?key|signature"
_SECRET_NAME = re.compile(_NAMES, re.IGNORECASE)
# A member of that name in the text of an object that was not read, with the beginning of its value
# if that is a string.
_NAMED_SECRET = re.compile(
    rf'("[^"]{{0,80}}(?:{_NAMES})[^"]{{0,80}}"\s{{0,8}}:\s{{0,8}})"(?:[^"\\]|\\.)*+"?',
    re.IGNORECASE,
)
# API keys, activation keys, signing secrets, and what stands before the @ of a URL.
_SECRET = re.compile(
    r"(svc_[a-z]+_[\w-]{4})[\w-]+|(whsec_)[\w+/=-]+|(//)[^/@\s\"']+(?=@)", re.ASCII
)
_REFUSAL, _OTHER = models.Refusal, models.Refusal.alias("other")
_ADD = Prepared(
    _REFUSAL.insert(
        id=slot("number"), **slots("partner_id", "at", "answer", "content_type", "body")
    ).on_conflict("nothing")
)
_DROP_OLDEST = Prepared(
    _REFUSAL.delete().where(
        _REFUSAL.partner_id == slot("partner_id"),
        _REFUSAL.id
        <= _OTHER.select(_OTHER.id)
        .where(_OTHER.partner_id == slot("partner_id"))
        .order_by(_OTHER.id.desc())
        .limit(1)
        .offset(slot("most")),
    )
)
_PRUNE = Prepared(
    _REFUSAL.delete().where(
        _REFUSAL.id.in_(
            _OTHER.select(_OTHER.id)
            .where((_OTHER.at < slot("before")) | (_OTHER.at > slot("latest")))
            .limit(_BATCH)
        )
    )
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused request; ``number`` is its number in the request history."""

    number: int
    partner_id: str
    at: int
    answer: str
    content_type: str | None
    body: str | None


class Kept(TypedDict):
    """A row of ``refusals``."""

    id: int
    partner_id: str
    at: int
    answer: str
    content_type: str | None
    body: str | None


_FIND = Prepared(
    _REFUSAL.select().where(_REFUSAL.id == slot("id"), _REFUSAL.partner_id == slot("partner_id")),
    Kept,
)


def make_refusal(
    number: int,
    partner_id: str,
    at: int,
    answer: bytes,
    content_type: str | None,
    body: bytes | None,
) -> Refusal:
    """Return the refusal of a request with its secrets masked.

    ``body``: None if the request had none.
    """
    kind = None if content_type is None else _printable(key_texts.mask_keys(content_type)[:100])
    return Refusal(
        number, partner_id, at, _mask_body(answer), kind, _mask_body(body) if body else None
    )


def insert(refused: list[Refusal]) -> None:
    """Write refusals, and remove the oldest of partners that have more than :data:`MOST`.

    Inside a transaction.
    """
    if not refused:
        return
    _ADD.execute_many([asdict(refusal) for refusal in refused])
    for partner_id in {refusal.partner_id for refusal in refused}:
        _DROP_OLDEST.execute(partner_id=partner_id, most=MOST)


def find(partner_id: str, number: int) -> Kept | None:
    """Return what is kept of a partner's request; None: it was not refused, or too long ago."""
    return _FIND.row(id=number, partner_id=partner_id)


def prune(before: int, latest: int = dates_ahead.NEVER) -> None:
    """Delete what was refused before ``before`` or after ``latest`` (ms)."""
    while True:
        with db.transaction(durable=False):
            if _PRUNE.execute(before=before, latest=latest) < _BATCH:
                return


def _mask_body(sent: bytes) -> str:
    """Return the beginning of a text, indented if it is JSON, with secrets masked.

    The body was refused, perhaps because it costs too much to read: a large one, or one of many
    values, is not read again.
    """
    try:
        text = (
            _indent_json(_mask_secrets(json.loads(sent), iter(range(_MOST_SHOWN))))
            if len(sent) <= _LONGEST_READ and sum(map(sent.count, b",[{")) <= _MOST_READ
            else _read_beginning(sent)
        )
    except (ValueError, RecursionError):
        text = _read_beginning(sent)
    text = text[: 2 * _LONGEST]
    text = _printable(
        _SECRET.sub(lambda secret: f"{secret[1] or secret[2] or secret[3]}{_MASK}", text)
    )
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _indent_json(value: Any) -> str:
    """Return the beginning of a value in JSON.

    Indented as a whole, one of many levels is a thousand times what was sent.
    """
    texts, length = [], 0
    for text in _ENCODER.iterencode(value):
        texts.append(text)
        length += len(text)
        if length > 2 * _LONGEST:
            break
    return "".join(texts)


def _read_beginning(sent: bytes) -> str:
    text = sent[: 4 * _LONGEST].decode("utf-8", "replace")[: 2 * _LONGEST]
    return _NAMED_SECRET.sub(lambda member: f'{member[1]}"{_MASK}"', text)


def _mask_secrets(value: Any, left: Iterator[int]) -> Any:
    """Return a copy with secrets masked, of as many values as ``left`` yields:
    more would not be shown.
    """
    if isinstance(value, dict):
        members = zip(value.items(), left)
        return {
            name: _MASK if _SECRET_NAME.search(name) else _mask_secrets(part, left)
            for (name, part), _ in members
        }
    return (
        [_mask_secrets(part, left) for part, _ in zip(value, left)]
        if isinstance(value, list)
        else value
    )


def _printable(text: str) -> str:
    """Return ``text`` without control characters and lone surrogates,
    which the database does not take.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "�" for letter in text)
