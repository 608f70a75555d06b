"""Corrections of a production that is rendered: its script is reviewed again, and the production is
made as a new revision.
"""

from typing import Any

from svc.base.errors import CorrectionNotPossible
from svc.base.states import PRODUCING
from svc.base.steps import STEPS
from svc.domain.lifecycle import deliverables, lifecycle, script_review, steps
from svc.domain.lifecycle.lifecycle import AWAITED, Cause
from svc.domain.productions import distribution
from svc.domain.tables.productions import Production
from svc.store.database import db
from svc.store.models import productions as models
from svc.store.queries import Prepared, slot

MOST_REVISIONS = 10  # of a production: only what changed is rendered anew, but all of it is checked

_SCRIPT_LABEL = STEPS[0][1]
_FIND = Prepared(models.Production.select().where(models.Production.id == slot("id")), Production)


def reopen(production_id: str, now: int) -> None:
    """Let the script of a production that awaits its release be reviewed again. It costs nothing
    but what models charge.

    Its files are removed, and those of its next revision take their place. Reopening it again
    changes nothing. ScriptNotReady: its script is not written yet. CorrectionNotPossible: it does
    not await its release, or has MOST_REVISIONS.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        script = script_review.find_latest(production_id)
        row = _FIND.one(id=production_id)
        if lifecycle.is_review_awaited(row):
            return
        if row["revision"] >= MOST_REVISIONS:
            raise CorrectionNotPossible(
                f"A production has at most {MOST_REVISIONS} revisions. Cancel it, and trigger "
                "another one."
            )
        columns: dict[str, Any] = {
            "review": AWAITED,
            "held_in": PRODUCING,
            "not_before": None,
            "steps_complete": 1,
            "current_step": _SCRIPT_LABEL,
            "step_fraction": 0,
            "estimated_at": None,
            "promised_at": None,
            "revision": row["revision"] + 1,
            "gate_warnings": None,
        }
        is_kept = script_review.find_written_script(production_id) is not None
        if (
            script is None
            or not is_kept
            or not lifecycle.move(production_id, Cause.REOPENED, now, **columns)
        ):
            why = distribution.explain_state(production_id) or "its script is no longer kept"
            raise CorrectionNotPossible(
                f"Only a production that awaits its release can be corrected; {why}."
            )
        steps.forget_after(production_id, 0)
        deliverables.unlist_files(production_id)
        script_review.record_ready_event(row, script["version"], script["scenes"], now)
