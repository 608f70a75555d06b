"""What the quality gates are not sure of in a finished production: warnings for people,
each with its scene and a picture.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from svc.base.errors import NotFound
from svc.base.text import json_text
from svc.store.models.productions import ShownProduction

CODE = "QUALITY_GATE_WARNING"
MOST = 20  # of one production that are kept
LONGEST = 400  # characters of a message


@dataclass(frozen=True)
class QualityWarning:
    """``message``: a sentence; ``scene``: the number of the one concerned, from 1; None: none in
    particular. ``picture``: the name of its picture among the files of the production; None: there
    is none."""

    message: str
    scene: int | None = None
    picture: str | None = None


def serialise_warnings(warnings: Sequence[QualityWarning]) -> str | None:
    """Return warnings as the JSON that is kept with the production; None if there are none."""
    return json_text.text([asdict(warning) for warning in warnings[:MOST]]) if warnings else None


def read_warnings(production: ShownProduction) -> list[QualityWarning]:
    """Return the warnings of a production."""
    return (
        [QualityWarning(**each) for each in json.loads(production["gate_warnings"])]
        if production["gate_warnings"]
        else []
    )


def represent(production: ShownProduction) -> list[dict[str, Any]]:
    """Return the warnings as the API represents them."""
    return [{"code": CODE, "message": warning.message} for warning in read_warnings(production)]


def find_picture_name(production: ShownProduction, number: int) -> str:
    """Return the name of the stored picture of the warning ``number``, from 1.

    NotFound: it has none.
    """
    warnings = read_warnings(production)
    name = warnings[number - 1].picture if 1 <= number <= len(warnings) else None
    if name is None:
        raise NotFound("This warning has no picture.")
    return f"{production['id']}/{name}"
