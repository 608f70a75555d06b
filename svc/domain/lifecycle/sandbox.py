"""Sandbox scenarios: the behaviour that a partner requests of a sandbox production, to test its
integration.

They are set in the front matter of ``metadataMD``, under ``sandbox``, and are read for sandbox
accounts only::

    ---
    sandbox:
      failAt: video             # a step's name; the production fails there …
      failCode: RENDER_FAILED   # … with this errorCode
      slowStep: narration       # this step takes …
      slowSeconds: 20           # … so much longer
      deliverables: 120         # so many deliverables, so that `truncated` can be seen
      flakyPlatform: Watch      # its first attempt at publishing fails
      holdIn: AwaitingApproval  # stay in this state until cancelled, released or expired
    ---
"""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from svc.base import states
from svc.base.errors import InvalidRequest
from svc.base.steps import STEPS
from svc.base.text import front_matter, strict_yaml
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

MOST_DELIVERABLES = 500
LONGEST_WAIT = 600  # seconds

_SCENARIO = Prepared(Production.select(Production.scenario).where(Production.id == slot("id")))
_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,63}", re.ASCII)
_STEP_NAMES = tuple(name for name, _ in STEPS)
_HOLDS = (states.QUEUED, states.PRODUCING, states.AWAITING_APPROVAL, states.DISTRIBUTING)


# Whether a value is valid, and a description of valid values.
_Rule = tuple[Callable[[Any], bool], str]


@dataclass(frozen=True)
class Scenario:
    fail_at: str | None = None
    fail_code: str = "SANDBOX_FAILURE"
    fail_message: str = "The sandbox scenario of this brief requests this failure."
    slow_step: str | None = None
    slow_seconds: int = 10
    deliverables: int | None = None
    flaky_platform: str | None = None
    hold_in: str | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))


NO_SCENARIO = Scenario()


def _make_word_rule(allowed: tuple[str, ...]) -> _Rule:
    return (lambda value: value in allowed), f"one of {', '.join(allowed)}"


def _make_number_rule(most: int) -> _Rule:
    return (
        lambda value: type(value) is int and 1 <= value <= most
    ), f"a whole number from 1 to {most}"


def _make_text_rule(longest: int) -> _Rule:
    return (
        lambda value: isinstance(value, str) and 0 < len(value) <= longest
    ), f"a text of at most {longest} characters"


_FIELDS: dict[str, tuple[str, Callable[[Any], bool], str]] = {
    "failAt": ("fail_at", *_make_word_rule(_STEP_NAMES)),
    "failCode": (
        "fail_code",
        lambda value: isinstance(value, str) and _CODE.fullmatch(value) is not None,
        "a code such as RENDER_FAILED",
    ),
    "failMessage": ("fail_message", *_make_text_rule(200)),
    "slowStep": ("slow_step", *_make_word_rule(_STEP_NAMES)),
    "slowSeconds": ("slow_seconds", *_make_number_rule(LONGEST_WAIT)),
    "deliverables": ("deliverables", *_make_number_rule(MOST_DELIVERABLES)),
    "flakyPlatform": ("flaky_platform", *_make_text_rule(100)),
    "holdIn": ("hold_in", *_make_word_rule(_HOLDS)),
}


def parse_scenario(metadata_md: str | None) -> Scenario:
    """Return the scenario of a brief. InvalidRequest: its front matter is not a valid scenario."""
    matter, _ = front_matter.split_front_matter(metadata_md or "")
    if matter is None:
        return NO_SCENARIO
    try:
        fields = strict_yaml.read_mapping(matter, "sandbox")
    except strict_yaml.Refused as error:
        raise _make_error(
            f"The front matter cannot be read: {error}. The fields of `sandbox` are "
            f"{', '.join(_FIELDS)}."
        ) from None
    if fields is None:
        raise _make_error(
            "The front matter cannot be read: it is not valid YAML with a mapping `sandbox` at "
            "its top level."
        )
    return Scenario(**dict(_read_scenario(name, value) for name, value in fields.items()))


def find_scenario_of_brief(environment: str, metadata_md: str | None) -> Scenario | None:
    """Return the scenario of a brief for an account of ``environment``; None: it has none.

    InvalidRequest: as :func:`parse_scenario`.
    """
    if environment != "sandbox":
        return None
    scenario = parse_scenario(metadata_md)
    return None if scenario == NO_SCENARIO else scenario


def _read_scenario(name: str, value: Any) -> tuple[str, Any]:
    if name not in _FIELDS:
        raise _make_error(
            f"sandbox has no scenario {str(name)[:60]!r}; the scenarios are {', '.join(_FIELDS)}."
        )
    field, is_valid, expected = _FIELDS[name]
    if not is_valid(value):
        raise _make_error(f"sandbox.{name} must be {expected}.")
    return field, value


def _make_error(message: str) -> InvalidRequest:
    return InvalidRequest(f"metadataMD: {message}", fields={"metadataMD": [message]})


def find_scenario(production_id: str) -> Scenario:
    """Return the part of a production's scenario that has not taken effect yet."""
    return scenario_from_json(_SCENARIO.one(id=production_id)["scenario"])


def scenario_from_json(stored: str | None) -> Scenario:
    """Return the scenario from the JSON of :meth:`Scenario.to_json`; None: no scenario."""
    return Scenario(**json.loads(stored)) if stored else NO_SCENARIO
