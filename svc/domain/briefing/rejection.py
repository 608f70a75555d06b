"""The rejection of a script in its review: its production ends without being made,
and no resumption revives it.
"""

from svc.base.states import FAILED
from svc.domain.lifecycle import endings, lifecycle, script_review
from svc.domain.lifecycle.lifecycle import Cause
from svc.store.database import db
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

CODE = "SCRIPT_REJECTED"
LONGEST_REASON = 500
NO_REASON = "The script was rejected in its review."
_STATE = Prepared(
    Production.select(Production.status, Production.error_code).where(Production.id == slot("id"))
)


def reject(production_id: str, version: int | None, reason: str | None, now: int) -> None:
    """Reject the script of a production, which becomes Failed. Rejecting it again changes nothing.

    ``version``: what the reviewer has read; None: the latest.

    Raises:
        ScriptChanged: It is another one, or not under review.
        ScriptNotReady: It is not written yet.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        script = script_review.find_script_to_review(production_id)
        row = _STATE.one(id=production_id)
        if (row["status"], row["error_code"]) == (FAILED, CODE):
            return
        if version is not None:
            script_review.require_version(script, version)
        if not endings.fail_production(
            production_id, Cause.SCRIPT_REJECTED, CODE, reason or NO_REASON, now
        ):
            raise script_review.make_review_refusal(production_id)
