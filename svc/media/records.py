"""Reading and writing the records of svc.media.model, which are dataclasses, as JSON files."""

import dataclasses
import json
import os
import stat
from collections.abc import Collection
from pathlib import Path

from svc.base import atomic_file
from svc.base.untrusted_file import open_untrusted

_LARGEST = 64 << 20  # bytes; typical files have a few hundred thousand


def save_record(record, path: Path) -> None:
    """Write ``record`` as JSON; the file appears under its name only when it is complete."""
    atomic_file.write_text(
        path, json.dumps(dataclasses.asdict(record), ensure_ascii=False, indent=1)
    )


def serialise_fields(record, names: Collection[str]) -> str:
    """Return the fields ``names`` of ``record`` as JSON, for :func:`with_fields`."""
    fields = dataclasses.asdict(record)
    return json.dumps({name: fields[name] for name in names}, ensure_ascii=False)


def with_fields(record, text: str):
    """Return ``record`` with those of its fields that ``text`` has, from :func:`serialise_fields`;
    names that it has not are skipped.
    """
    raw = json.loads(text)
    kinds = {field.name: field.type for field in dataclasses.fields(record)}
    return dataclasses.replace(
        record, **{name: _build_value(kinds[name], raw[name]) for name in raw.keys() & kinds.keys()}
    )


def load_record(kind, path: Path):
    """Read a file that :func:`save_record` wrote. ``kind``: the dataclass.

    Raises ValueError if the file is too large or not a regular file.
    """
    return _build_record(kind, json.loads(read_text(path, _LARGEST)))


def read_text(path: Path, most: int) -> str:
    """Read a text in UTF-8, which anyone may have written.

    ValueError: it is over ``most`` bytes, or not a regular file.
    """
    with open(path, "rb", opener=open_untrusted) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            raise ValueError(f"{path.name} is not a regular file of at most {most} bytes")
        return file.read(most).decode("utf-8")


def _build_record(kind, raw):
    values = {}
    for field in dataclasses.fields(kind):
        if field.name in raw:
            values[field.name] = _build_value(field.type, raw[field.name])
    return kind(**values)


def _build_value(annotation, raw):
    if dataclasses.is_dataclass(annotation):
        return _build_record(annotation, raw)
    if isinstance(raw, list):
        inner = getattr(annotation, "__args__", (None,))[0]
        return tuple(_build_value(inner, item) for item in raw)
    return raw
