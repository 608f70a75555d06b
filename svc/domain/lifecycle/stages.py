"""Where a production stands, as the console shows it: its state, and for which person's decision it
waits.

The API knows the states alone: there, a production whose script or translation is awaited is
``Producing`` or ``Queued``, although nobody works on it; and one that is released is
``AwaitingApproval`` until its publication begins.
"""

from typing import Any

from svc.base import states
from svc.domain.lifecycle.lifecycle import AWAITED, RELEASED, REVIEWED
from svc.store.expressions import SQL, is_not_true
from svc.store.models.productions import Production

AWAITING_TRANSLATION = "AwaitingTranslation"
AWAITING_SCRIPT = "AwaitingScript"
RELEASING = "Releasing"
RUNNING, WAITING = "Running", "Waiting"

_TRANSLATED = (Production.translation == AWAITED) & Production.cancel_token.is_null()

# Each stage: the state, and the condition that tells it from the other stages of that state. Each
# production is in one.
CONDITIONS_OF_STAGES: dict[str, tuple[str, Any]] = {
    states.QUEUED: (states.QUEUED, is_not_true(_TRANSLATED)),
    AWAITING_TRANSLATION: (states.QUEUED, _TRANSLATED),
    states.PRODUCING: (states.PRODUCING, is_not_true(REVIEWED.holds)),
    AWAITING_SCRIPT: (states.PRODUCING, REVIEWED.holds),
    states.AWAITING_APPROVAL: (states.AWAITING_APPROVAL, is_not_true(RELEASED.holds)),
    RELEASING: (states.AWAITING_APPROVAL, RELEASED.holds),
    **{state: (state, SQL("TRUE")) for state in states.PRODUCTION_STATES[3:]},
}
STAGES = tuple(CONDITIONS_OF_STAGES)
COLUMNS = "status, review, translation, cancel_token, released_at"  # that tell the stage
GROUPS = {
    RUNNING: (RELEASING, states.DISTRIBUTING, states.PRODUCING, states.QUEUED),
    WAITING: (AWAITING_TRANSLATION, AWAITING_SCRIPT, states.AWAITING_APPROVAL),
}


def find_stage(production: Any) -> str:
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
