"""Merges edits: a form is sent with a mark of each value that it showed, so that nobody overwrites
another person's change unseen.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from svc.base.errors import EditConflict
from svc.store.database import db

_LENGTH = 16  # hexadecimal digits of a field's mark


def compute_version(values: Mapping[str, Any]) -> str:
    """Return the version of what a form shows: a mark of each field.

    ``values``: by name, as the form shows them.
    """
    return " ".join(f"{name}:{_compute_mark(value)}" for name, value in values.items())


@contextmanager
def open_merge(
    seen: str,
    read: Callable[[], Mapping[str, Any]],
    fields: Mapping[str, Any],
    partner_id: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Begin a transaction, and yield ``fields`` with the fields that somebody else has changed
    meanwhile and this user has not.

    ``seen``: the :func:`compute_version` that the form was filled in with; empty: whatever is
    stored is replaced. ``read``: returns what is stored, as the form shows it.
    ``partner_id``: to whom all belongs that is changed; None: it may belong to several.
    EditConflict: both have changed a field, and differently.
    """
    with db.transaction(partner=partner_id):
        yield merge_fields(seen, read(), fields)


def merge_fields(seen: str, stored: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what :func:`open_merge` yields. EditConflict."""
    marks = dict(part.split(":", 1) for part in seen.split(" ") if ":" in part)
    result, clashing = dict(fields), {}
    for name, value in stored.items():
        if name not in fields or marks.get(name) in (None, _compute_mark(value)):
            continue
        if _compute_mark(fields[name]) == marks[name]:
            result[name] = value
        elif _compute_mark(fields[name]) != _compute_mark(value):
            clashing[name] = value
    if clashing:
        raise EditConflict(clashing, result)
    return result


def _compute_mark(value: Any) -> str:
    return hashlib.sha256(json.dumps(_normalise_value(value), sort_keys=True).encode()).hexdigest()[
        :_LENGTH
    ]


def _normalise_value(value: Any) -> Any:
    """Return a value as a browser sends it: numbers and nothing as text,
    with line ends as they are stored.
    """
    if isinstance(value, Mapping):
        return {name: _normalise_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_normalise_value(each) for each in value]
    if isinstance(value, bool):
        return value
    return "" if value is None else "\n".join(str(value).splitlines()).strip()
