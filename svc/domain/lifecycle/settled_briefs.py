"""The settings of account and avatar that a production is made with: they are stored at its first
step, and later changes do not affect it.

The results of its steps are compared with one another, such as a name in the transcript with that
in the certificate, or a drawn scene with its picture.
"""

from svc.domain.lifecycle import lifecycle
from svc.store.database import db
from svc.store.models.productions import SettledBrief
from svc.store.queries import Prepared, slot, slots

_OF_PRODUCTION = SettledBrief.production_id == slot("production_id")
_FIND = Prepared(SettledBrief.select(SettledBrief.settings).where(_OF_PRODUCTION))
_KEEP = Prepared(SettledBrief.insert(slots("production_id", "settings")).on_conflict("nothing"))
_FORGET = Prepared(SettledBrief.delete().where(_OF_PRODUCTION))


def find_settings(production_id: str) -> str | None:
    """Return the settings, as :func:`settle_settings` got them; None: no step was run yet,
    or the production has ended.
    """
    settings: str | None = _FIND.value(production_id=production_id)
    return settings


def settle_settings(production_id: str, settings: str) -> str:
    """Settle a production, unless it is settled already; return the settings that it
    is made with.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        _KEEP.execute(production_id=production_id, settings=settings)
    return find_settings(production_id) or settings


def forget_settings(production_id: str) -> None:
    """Remove the settings of a production that has ended. Inside a transaction."""
    _FORGET.execute(production_id=production_id)
