"""How many productions of a list are in each state, counted up to a limit; every count uses an index."""

from svc.base import states
from svc.domain.productions.search import Search
from svc.store import database
from svc.store.sql import by_index

MOST = 1000  # what is more is shown as "1,000+"

_IN_TIME = "p.created_at >= :since AND p.created_at <= :until"
_OF_STATE = f"p.status = '{{state}}' AND {_IN_TIME}"
_OF_ACCOUNT = f"""
    SELECT 1 FROM productions p {by_index("productions_by_account_status")}
    WHERE p.account_id = :account AND (:partner IS NULL OR p.partner_id = :partner) AND {_OF_STATE}
"""
_OF_ACCOUNTS = f"""
    SELECT 1 FROM partners w CROSS JOIN accounts a ON a.partner_id = w.id
    CROSS JOIN productions p {by_index("productions_by_account_status")} ON p.account_id = a.id AND {_OF_STATE} WHERE {{whose}}
"""
_TO_MAKE = f"SELECT 1 FROM productions p WHERE p.status IN ('Queued', 'Producing') AND {_OF_STATE}"
_IN_STATE = f"""
    SELECT 1 FROM productions p
    WHERE p.status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled') AND {_OF_STATE}
"""


def counts(search: Search) -> dict[str, int]:
    """Return the number of productions in each state, at most ``MOST`` + 1, whatever the search's state and words."""
    sql = " UNION ALL ".join(
        f"SELECT '{state}' AS state, count(*) AS number FROM ({_of(search, state)} LIMIT :most) AS some_{state}"
        for state in states.PRODUCTION_STATES
    )
    values = {
        "partner": search.partner_id, "account": search.account_id, "most": MOST + 1,
        "since": search.since or 0, "until": 2**47 if search.until is None else search.until,
    }  # fmt: skip
    return {row["state"]: row["number"] for row in database.rows(sql, values)}


def _of(search: Search, state: str) -> str:
    """Return the SQL that selects a row for each production in a state."""
    if search.account_id:
        template = _OF_ACCOUNT
    elif search.partner_id or state == states.PUBLISHED:
        template = _OF_ACCOUNTS
    else:
        template = _TO_MAKE if state in (states.QUEUED, states.PRODUCING) else _IN_STATE
    return template.format(state=state, whose="w.id = :partner" if search.partner_id else "TRUE")
