"""The search for productions by partner, account, state, time and words, newest first; every query uses an index."""

import json
import re
from dataclasses import dataclass
from typing import Any

from svc.base import ids, states
from svc.domain import title_words
from svc.domain.paging import Page
from svc.store import database
from svc.store.sql import LAST_CHARACTER, by_index

MOST_FOUND = 50  # results of a search by words
_SHORTEST_ID = 8
_MOST_WORDS = 5  # of a search
_TITLE = "lower(substr(p.title, 1, 40))"

_SHOWN = """
    WITH found (id) AS ({found})
    SELECT p.id, p.partner_id, p.account_id, p.status, p.title, p.created_at, p.updated_at, p.steps_complete, p.steps_total,
           p.step_fraction, p.current_step, p.estimated_at, p.error_code, p.released_at,
           p.cancel_token IS NOT NULL AS is_cancelling,
           p.finished_at, a.name AS account_name, a.environment, w.name AS partner_name
    FROM found JOIN productions p ON p.id = found.id JOIN accounts a ON a.id = p.account_id
    JOIN partners w ON w.id = p.partner_id ORDER BY p.created_at DESC, p.id DESC
"""
_IN_TIME = "created_at >= :since AND created_at <= :until AND (created_at, id) < (:created, :id)"
_NEWEST = "ORDER BY created_at DESC, id DESC LIMIT :limit"
_BY_ACCOUNT = f"""
    SELECT id FROM productions {{how}}
    WHERE account_id = :account AND (:partner IS NULL OR partner_id = :partner) AND {_IN_TIME} {{which}} {_NEWEST}
"""
# Reads at most a page from each account of the partner.
_BY_PARTNER = f"""
    SELECT p.id FROM accounts a CROSS JOIN productions p ON p.id IN (
        SELECT id FROM productions {{how}} WHERE account_id = a.id AND {_IN_TIME} {{which}} {_NEWEST}
    ) WHERE a.partner_id = :partner ORDER BY p.created_at DESC, p.id DESC LIMIT :limit
"""
# An id begins with the time of creation, so the primary key is in chronological order.
_OF_ALL = f"SELECT id FROM productions WHERE id >= :low AND id < :high AND {_IN_TIME} {{which}} ORDER BY id DESC LIMIT :limit"
_IN_STATE = f"""
    SELECT id FROM productions WHERE status = :status AND status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled')
      AND {_IN_TIME} {_NEWEST}
"""
_TO_MAKE = f"SELECT id FROM productions WHERE status IN ('Queued', 'Producing') AND status = :status AND {_IN_TIME} {_NEWEST}"
_MATCHES = """
    AND (:account IS NULL OR p.account_id = :account)
    AND (:status IS NULL OR p.status = :status) AND p.created_at >= :since AND p.created_at <= :until
    AND (p.created_at, p.id) < (:created, :id)
"""
_BEGINS = f"{_TITLE} >= lower(:words) AND {_TITLE} < lower(:words) || '{LAST_CHARACTER}'"
# An operator's search enters the index once for each partner. Queued productions are not in it.
_BY_TITLE = f"""
    SELECT p.id FROM partners w CROSS JOIN productions p {by_index("productions_by_title")}
      ON p.partner_id = w.id AND {_BEGINS} AND p.status <> 'Queued'
    WHERE {{whose}} {_MATCHES}
    UNION ALL
    SELECT p.id FROM productions p {by_index("productions_to_make")}
    WHERE p.status IN ('Queued', 'Producing') AND p.status = 'Queued' AND {_BEGINS}
      AND (:partner IS NULL OR p.partner_id = :partner) {_MATCHES} LIMIT :limit
"""
# By words: from the titles that have the rarest of them, or among the newest productions where all are common.
_HAS = f"""
    AND EXISTS (
        SELECT 1 FROM title_words x
        WHERE x.production_id = {{1}}.id AND x.word >= :w{{0}} AND x.word < :w{{0}} || '{LAST_CHARACTER}'
    )
"""
_BY_WORDS = f"""
    SELECT p.id FROM (
        SELECT DISTINCT w.production_id FROM partners o
        CROSS JOIN title_words w ON w.partner_id = o.id AND w.word >= :w0 AND w.word < :w0 || '{LAST_CHARACTER}' WHERE {{whose}}
    ) AS c JOIN productions p ON p.id = c.production_id WHERE TRUE {{more}} {_MATCHES} ORDER BY p.id DESC LIMIT :limit
"""
_BY_WORDS_ALONE = f"""
    SELECT c.id FROM (
        SELECT DISTINCT w.production_id AS id FROM partners o
        CROSS JOIN title_words w ON w.partner_id = o.id AND w.word >= :w0 AND w.word < :w0 || '{LAST_CHARACTER}' WHERE {{whose}}
    ) AS c WHERE TRUE {{more}} ORDER BY c.id DESC LIMIT :limit
"""
_BY_COMMON_WORDS = f"""
    SELECT p.id FROM productions p WHERE p.id >= :low AND p.id < :high AND (:partner IS NULL OR p.partner_id = :partner)
      {{more}} {_MATCHES} ORDER BY p.id DESC LIMIT :limit
"""
_LATEST = f"SELECT p.id FROM productions p WHERE p.id IN (SELECT value FROM json_each(:latest)) {_MATCHES}"
_BY_ID = f"""
    SELECT p.id FROM productions p
    WHERE p.id >= :words AND p.id < :words || 'g' AND (:partner IS NULL OR p.partner_id = :partner) {_MATCHES} LIMIT :limit
"""


@dataclass(frozen=True)
class Search:
    """The criteria of a search. ``partner_id`` None: all partners, for operators only."""

    partner_id: str | None
    account_id: str | None = None
    status: str | None = None
    since: int | None = None
    until: int | None = None
    words: str = ""  # beginnings of words of a title, in any order; or the beginning of an id


def page(search: Search, page: Page) -> dict[str, Any]:
    """Return a page of rows with the names of account and partner.

    A search by words returns at most MOST_FOUND rows; ``hasMore`` then says that more match.
    """
    if search.words:
        page = Page(MOST_FOUND)
    looked_for = [] if _is_id(search.words) else title_words.words(search.words)[:_MOST_WORDS]
    if looked_for:
        found, values = _by_words(search, looked_for)
        rows = database.rows(_SHOWN.format(found=found), {**_values(search, page), **values})[: page.limit + 1]
    else:
        rows = database.rows(_SHOWN.format(found=_found(search)), _values(search, page))
    return page.envelope(rows, lambda row: row)


def identifiers(search: Search, page: Page) -> list[str]:
    """Return the ids of a page of productions and one more, newest first, found by words of their title."""
    looked_for = [] if _is_id(search.words) else title_words.words(search.words)[:_MOST_WORDS]
    found, values = _by_words(search, looked_for) if looked_for else (_found(search), {})
    sql = f"SELECT id FROM ({found}) AS each ORDER BY id DESC LIMIT :limit"
    return [row["id"] for row in database.rows(sql, {**_values(search, page), **values})]


def _by_words(search: Search, looked_for: list[str]) -> tuple[str, dict[str, str]]:
    """Return the SQL that selects the ids of titles with all of these words, and its further values."""
    looked_for = sorted(looked_for, key=len, reverse=True)  # the longest is rare, mostly
    rare = next((word for word in looked_for if not title_words.is_common(search.partner_id, word)), None)
    ordered = sorted(looked_for, key=lambda word: word != rare)
    values = {f"w{number}": word for number, word in enumerate(ordered)}
    whose = "o.id = :partner" if search.partner_id else "TRUE"
    is_filtered = any(each is not None for each in (search.account_id, search.status, search.since, search.until))
    template = _BY_COMMON_WORDS if rare is None else _BY_WORDS if is_filtered else _BY_WORDS_ALONE
    alias = "c" if template == _BY_WORDS_ALONE else "p"
    more = "".join(_HAS.format(number, alias) for number in range(rare is not None, len(ordered)))
    latest = title_words.latest(search.partner_id, looked_for)
    found = f"SELECT id FROM ({template.format(more=more, whose=whose)}) AS indexed UNION {_LATEST}"
    return found, {**values, "latest": json.dumps(latest)}


def _found(search: Search) -> str:
    """Return the SQL that selects the matching ids."""
    if search.words:
        return _BY_ID if _is_id(search.words) else _BY_TITLE.format(whose="w.id = :partner" if search.partner_id else "TRUE")
    if search.account_id or search.partner_id:
        # Without the hint the planner scans all productions of an account in order.
        clauses = {"how": by_index("productions_by_account_status"), "which": "AND status = :status"}
        template = _BY_ACCOUNT if search.account_id else _BY_PARTNER
        return template.format(**clauses if search.status else {"how": "", "which": ""})
    if search.status in (states.QUEUED, states.PRODUCING):
        return _TO_MAKE
    if search.status not in (None, states.PUBLISHED):
        return _IN_STATE
    return _OF_ALL.format(which="AND status = :status" if search.status else "")


def _is_id(words: str) -> bool:
    return len(words) >= _SHORTEST_ID and bool(re.fullmatch(r"[0-9a-f-]+", words.lower(), re.ASCII))


def _values(search: Search, page: Page) -> dict[str, Any]:
    since = 0 if search.since is None else search.since
    until = 2**47 if search.until is None else search.until
    last = min(until, page.after[0])
    words = search.words.lower() if _is_id(search.words) else search.words[:40]
    return {
        "partner": search.partner_id, "account": search.account_id, "status": search.status, "since": since, "until": until,
        "low": ids.earliest(since), "high": ids.earliest(last + 1), "words": words, **page.params,
    }  # fmt: skip
