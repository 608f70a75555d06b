"""Where a production stands, as the console shows it: its state, and for which person's decision it waits.

The API knows the states alone: there, a production whose script or translation is awaited is ``Producing`` or ``Queued``,
although nobody works on it; and one that is released is ``AwaitingApproval`` until its publication
begins.
"""

from typing import Any

from svc.base import states
from svc.domain.productions.lifecycle import AWAITED

AWAITING_TRANSLATION = "AwaitingTranslation"
AWAITING_SCRIPT = "AwaitingScript"
RELEASING = "Releasing"
RUNNING, WAITING = "Running", "Waiting"

_TRANSLATION = f"translation IS NOT DISTINCT FROM '{AWAITED}' AND cancel_token IS NULL"
_SCRIPT = f"review IS NOT DISTINCT FROM '{AWAITED}' AND cancel_token IS NULL"
_RELEASED = "released_at IS NOT NULL AND cancel_token IS NULL"

# Each stage: the state, and the condition that tells it from the other stages of that state. Each production is in one.
PARTS = {
    states.QUEUED: (states.QUEUED, f"NOT ({_TRANSLATION})"),
    AWAITING_TRANSLATION: (states.QUEUED, f"({_TRANSLATION})"),
    states.PRODUCING: (states.PRODUCING, f"NOT ({_SCRIPT})"),
    AWAITING_SCRIPT: (states.PRODUCING, f"({_SCRIPT})"),
    states.AWAITING_APPROVAL: (states.AWAITING_APPROVAL, f"NOT ({_RELEASED})"),
    RELEASING: (states.AWAITING_APPROVAL, f"({_RELEASED})"),
    **{state: (state, "TRUE") for state in states.PRODUCTION_STATES[3:]},
}
STAGES = tuple(PARTS)
COLUMNS = "status, review, translation, cancel_token, released_at"  # that tell the stage
GROUPS = {
    RUNNING: (RELEASING, states.DISTRIBUTING, states.PRODUCING, states.QUEUED),
    WAITING: (AWAITING_TRANSLATION, AWAITING_SCRIPT, states.AWAITING_APPROVAL),
}


def of(production: Any) -> str:
    """Return the stage of a row with the columns COLUMNS."""
    status = str(production["status"])
    if production["cancel_token"] is None:
        if status == states.QUEUED and production["translation"] == AWAITED:
            return AWAITING_TRANSLATION
        if status == states.PRODUCING and production["review"] == AWAITED:
            return AWAITING_SCRIPT
        if status == states.AWAITING_APPROVAL and production["released_at"] is not None:
            return RELEASING
    return status
