"""Where a production stands, as the console shows it: its state, and for which person's decision it waits.

The API knows the states alone: there, a production whose script or translation is awaited is ``Producing`` or ``Queued``,
although nobody works on it.
"""

from typing import Any

from svc.base import states
from svc.domain.productions.lifecycle import AWAITED

AWAITING_TRANSLATION = "AwaitingTranslation"
AWAITING_SCRIPT = "AwaitingScript"
RUNNING, WAITING = "Running", "Waiting"

_TRANSLATION = f"translation IS NOT DISTINCT FROM '{AWAITED}' AND cancel_token IS NULL"
_SCRIPT = f"review IS NOT DISTINCT FROM '{AWAITED}' AND cancel_token IS NULL"

# Each stage: the state, and the condition that tells it from the other stages of that state. Each production is in one.
PARTS = {
    states.QUEUED: (states.QUEUED, f"NOT ({_TRANSLATION})"),
    AWAITING_TRANSLATION: (states.QUEUED, f"({_TRANSLATION})"),
    states.PRODUCING: (states.PRODUCING, f"NOT ({_SCRIPT})"),
    AWAITING_SCRIPT: (states.PRODUCING, f"({_SCRIPT})"),
    **{state: (state, "TRUE") for state in states.PRODUCTION_STATES[2:]},
}
STAGES = tuple(PARTS)
COLUMNS = "status, review, translation, cancel_token"  # that tell the stage of a production
GROUPS = {
    RUNNING: (states.DISTRIBUTING, states.PRODUCING, states.QUEUED),
    WAITING: (AWAITING_TRANSLATION, AWAITING_SCRIPT, states.AWAITING_APPROVAL),
}


def of(production: Any) -> str:
    """Return the stage of a row with ``status``, ``review``, ``translation`` and ``cancel_token``."""
    status = str(production["status"])
    if production["cancel_token"] is None:
        if status == states.QUEUED and production["translation"] == AWAITED:
            return AWAITING_TRANSLATION
        if status == states.PRODUCING and production["review"] == AWAITED:
            return AWAITING_SCRIPT
    return status
