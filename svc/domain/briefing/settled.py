"""The settings that a production is made with: those of its first step, whatever is changed of account and avatar later.

Its steps are compared with one another: a name in the transcript with that in the certificate, a drawn scene with its picture.
"""

from svc.store import database

_KEEP = "INSERT INTO settled_briefs (production_id, settings) VALUES (?, ?) ON CONFLICT (production_id) DO NOTHING"


def of(production_id: str) -> str | None:
    """Return the settings, as :func:`keep` got them; None: no step was run yet, or the production has ended."""
    row = database.row("SELECT settings FROM settled_briefs WHERE production_id = ?", (production_id,))
    return row["settings"] if row else None


def keep(production_id: str, settings: str) -> str:
    """Settle a production, unless it is settled already; return the settings that it is made with."""
    with database.write():
        database.execute(_KEEP, (production_id, settings))
    return of(production_id) or settings


def forget(production_id: str) -> None:
    """Remove the settings of a production that has ended. Inside write()."""
    database.execute("DELETE FROM settled_briefs WHERE production_id = ?", (production_id,))
