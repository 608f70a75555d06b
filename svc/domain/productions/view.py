"""The production object of the API: the columns that ``ShownProduction`` declares, and what is
computed of them by a function each.

The field of a column is declared beside the column, a computed one here. The schema of the API,
its document and the clients are made of :data:`FIELDS`.
"""

import functools
import json
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple, get_type_hints

from svc.base import clock, states
from svc.base.api_fields import Kind, Shown, is_nullable, list_shown_columns, shown
from svc.domain.lifecycle import lifecycle, steps
from svc.domain.productions import gate_warnings
from svc.domain.tables.productions import ListedProduction
from svc.store.expressions import json_list_of_rows, json_object
from svc.store.models.productions import Production, ShownProduction
from svc.store.models.publishing import Publication

_PLATFORMS = (
    Publication.select(Publication.platform, Publication.status, Publication.platform_post_id)
    .where(Publication.production_id == Production.id)
    .order_by(Publication.platform)
    .alias("them")
)
_PLATFORM = json_object(
    platform=_PLATFORMS.c.platform,
    status=_PLATFORMS.c.status,
    platformPostId=_PLATFORMS.c.platform_post_id,
)
# Selects the columns of a ListedProduction.
SHOWN = Production.select(
    *(getattr(Production, column) for column in get_type_hints(ShownProduction)),
    Publication.select(json_list_of_rows(_PLATFORM)).from_(_PLATFORMS).alias("platforms"),
)
# The JSON of what most productions of a list have: reading it takes longer than comparing it.
_NONE = "[]"
Compute = Callable[[ShownProduction], Any]


class Field(NamedTuple):
    """A field of the production object, from a ``column``, or computed; ``compute`` None as well:
    ``platforms``, which :func:`represent` is given."""

    shown: Shown
    is_nullable: bool
    column: str | None = None
    compute: Compute | None = None


_fields = [
    Field(how, is_nullable, column)
    for column, (how, is_nullable) in list_shown_columns(ShownProduction).items()
]


def computed(how: Shown, *, after: str | None = None) -> Callable[[Compute], Compute]:
    """Let the decorated function compute a field of the object.

    ``after``: the name of the field that it follows; None: it is the last one. ValueError: a field
    of this name is already declared.
    """

    def register(compute: Compute) -> Compute:
        can_be_null = is_nullable(get_type_hints(compute)["return"])
        _insert_computed(Field(how, can_be_null, compute=compute), after)
        return compute

    return register


def _insert_computed(field: Field, after: str | None) -> None:
    names = [each.shown.name for each in _fields]
    if field.shown.name in names:
        raise ValueError(f"the field {field.shown.name} is declared twice")
    _fields.insert(len(names) if after is None else names.index(after) + 1, field)


@computed(
    shown(
        "holdReason",
        Kind.TEXT,
        "Why it waits: `ScriptReview`: for its approval; `Translation`: for the translated brief; "
        "or null.",
        one_of=(states.SCRIPT_REVIEW, states.TRANSLATION),
        example=None,
    ),
    after="currentStep",
)
def find_hold_reason(row: ShownProduction) -> str | None:
    """Return why a production waits for a person; None: it does not."""
    if lifecycle.is_translation_awaited(row):
        return states.TRANSLATION
    return states.SCRIPT_REVIEW if lifecycle.is_review_awaited(row) else None


@computed(
    shown("progressPercent", Kind.COUNT, "0 to 100.", maximum=100, example=0), after="holdReason"
)
def compute_progress(row: ShownProduction) -> int:
    """Return the share of the steps that is done, in percent."""
    done = row["steps_complete"] + min(row["step_fraction"], 0.99)
    return min(100, int(100 * done / row["steps_total"]))


@computed(
    shown(
        "estimatedCompletionAt",
        Kind.TIME,
        "When the files should be there; null once they are.",
        example=None,
    ),
    after="progressPercent",
)
def estimate_completion(row: ShownProduction) -> int | None:
    """Return when the files should be there; None also once a cancel is requested."""
    is_made = row["status"] in (states.QUEUED, states.PRODUCING)
    return row["estimated_at"] if is_made and row["cancel_requested_at"] is None else None


_PLATFORM_FIELD = Field(
    shown("platforms", Kind.OBJECTS, "One entry for each place."), is_nullable=False
)
_insert_computed(_PLATFORM_FIELD, after="failedStep")


@computed(
    shown(
        "pollAfterSeconds",
        Kind.COUNT,
        "Seconds until the next poll; null when terminal.",
        example=10,
    ),
    after="platforms",
)
def choose_poll_pause(row: ShownProduction) -> int | None:
    """Return after how many seconds a client should ask again."""
    return states.POLL_AFTER_SECONDS.get(row["status"])


@computed(
    shown(
        "warnings",
        Kind.OBJECTS,
        "What the accepted brief lacks or what will be simplified, and what a quality gate is not "
        "sure of in the finished files; empty if nothing.",
        example=[],
    )
)
def list_warnings(row: ShownProduction) -> list[dict[str, str]]:
    """Return the warnings of the brief, and of the quality gates."""
    of_gates = gate_warnings.represent(row) if row["gate_warnings"] else ()
    return [*_parse_warnings(row["warnings"]), *of_gates]


@functools.lru_cache(maxsize=256)  # most have none, or the same few
def _parse_warnings(stored: str | None) -> tuple[dict[str, str], ...]:
    return tuple(json.loads(stored)) if stored else ()


#: The fields of the production object, in their order.
FIELDS = tuple(_fields)
# All columns are taken at once, as a call for each would take 1.7 times as long; what is computed
# or converted then takes the place of one.
_NAMES = tuple(field.shown.name for field in FIELDS)
_COLUMNS = itemgetter(*(field.column or "id" for field in FIELDS))
_COMPUTED = [(at, field.compute) for at, field in enumerate(FIELDS) if field.compute]
_CONVERTED = [(at, how) for at, field in enumerate(FIELDS) if (how := field.shown.convert)]
_PLATFORMS_AT = _NAMES.index(_PLATFORM_FIELD.shown.name)


def represent_in_list(row: ListedProduction) -> dict[str, Any]:
    """Return the production object of a row with its ``platforms``."""
    return represent(row, [] if row["platforms"] == _NONE else json.loads(row["platforms"]))


def represent(row: ShownProduction, platforms: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the production object of the API."""
    values = list(_COLUMNS(row))
    for at, compute in _COMPUTED:
        values[at] = compute(row)
    for at, convert in _CONVERTED:
        values[at] = convert(values[at])
    values[_PLATFORMS_AT] = platforms
    return dict(zip(_NAMES, values, strict=True))


def represent_steps(production_id: str) -> list[dict[str, Any]]:
    """Return the steps with their times, which the status call adds."""
    return [
        {
            "name": step["name"],
            "status": step["status"],
            "startedAt": clock.format_time(step["started_at"]),
            "completedAt": clock.format_time(step["completed_at"]),
        }
        for step in steps.list_steps(production_id)
    ]
