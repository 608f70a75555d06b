"""The search for productions by partner, account, stage, time and words, in order of time; every query uses an index.

What is counted and what is listed is one query: :func:`count` counts exactly the rows of :func:`page`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from svc.base import ids, states
from svc.domain import title_words
from svc.domain.paging import Page, encode
from svc.domain.productions import stages
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
           p.cancel_token IS NOT NULL AS is_cancelling, p.gate_warnings IS NOT NULL AS has_gate_warnings,
           p.finished_at, p.review, p.translation, p.cancel_token, p.language_id, p.claim_token, p.held_in, p.expires_at,
           a.name AS account_name, a.environment, w.name AS partner_name
    FROM found JOIN productions p ON p.id = found.id JOIN accounts a ON a.id = p.account_id
    JOIN partners w ON w.id = p.partner_id ORDER BY p.created_at {way}, p.id {way}
"""
# {past} and {way}: "<" and "DESC" read from the newest on, ">" and "ASC" from the oldest on.
_IN_TIME = "created_at >= :since AND created_at <= :until AND (created_at, id) {past} (:created, :id)"
_IN_ORDER = "{order} LIMIT :limit"
_BY_ACCOUNT = f"""
    SELECT id FROM productions {{how}}
    WHERE account_id = :account AND (:partner IS NULL OR partner_id = :partner) AND {_IN_TIME} {{which}} {_IN_ORDER}
"""
# Reads at most a page from each account of the partner.
_BY_PARTNER = f"""
    SELECT p.id FROM accounts a CROSS JOIN productions p ON p.id IN (
        SELECT id FROM productions {{how}} WHERE account_id = a.id AND {_IN_TIME} {{which}} {_IN_ORDER}
    ) WHERE a.partner_id = :partner {{order}} LIMIT :limit
"""
# An id begins with the time of creation, so the primary key is in chronological order.
_OF_ALL = f"SELECT id FROM productions WHERE id >= :low AND id < :high AND {_IN_TIME} {{which}} {_IN_ORDER}"
_IN_STATE = f"""
    SELECT id FROM productions WHERE status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled')
      {{which}} AND {_IN_TIME} {_IN_ORDER}
"""
_TO_MAKE = f"SELECT id FROM productions WHERE status IN ('Queued', 'Producing') {{which}} AND {_IN_TIME} {_IN_ORDER}"
# Of all partners: only to count, as few of all productions may be published, and the list reads all of them in order.
_PUBLISHED = f"""
    SELECT p.id FROM partners w CROSS JOIN accounts a ON a.partner_id = w.id
    CROSS JOIN productions p {by_index("productions_by_account_status")} ON p.account_id = a.id AND p.status = 'Published'
      AND p.created_at >= :since AND p.created_at <= :until LIMIT :limit
"""
# By the time of their end. The conditions are those of the indexes.
_ENDED = f"""
    SELECT id FROM productions {{how}}
    WHERE finished_at >= :since AND finished_at <= :until {{which}} AND (:partner IS NULL OR partner_id = :partner)
      AND (:account IS NULL OR account_id = :account) AND (created_at, id) {{past}} (:created, :id) {_IN_ORDER}
"""
_BY_END = {
    states.PUBLISHED: (by_index("productions_ended"), "AND status IN ('Published', 'Cancelled')"),
    states.CANCELLED: (by_index("productions_ended"), "AND status IN ('Published', 'Cancelled')"),
    states.FAILED: (by_index("productions_failed"), ""),
}
_NOTHING = "SELECT id FROM productions WHERE id < ''"
_MATCHES = """
    AND (:account IS NULL OR p.account_id = :account)
    AND {which} AND p.{moment} >= :since AND p.{moment} <= :until AND (p.created_at, p.id) {past} (:created, :id)
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
    ) AS c JOIN productions p ON p.id = c.production_id WHERE TRUE {{more}} {_MATCHES} ORDER BY p.id {{way}} LIMIT :limit
"""
_BY_WORDS_ALONE = f"""
    SELECT c.id FROM (
        SELECT DISTINCT w.production_id AS id FROM partners o
        CROSS JOIN title_words w ON w.partner_id = o.id AND w.word >= :w0 AND w.word < :w0 || '{LAST_CHARACTER}' WHERE {{whose}}
    ) AS c WHERE TRUE {{more}} ORDER BY c.id {{way}} LIMIT :limit
"""
_BY_COMMON_WORDS = f"""
    SELECT p.id FROM productions p WHERE p.id >= :low AND p.id < :high AND (:partner IS NULL OR p.partner_id = :partner)
      {{more}} {_MATCHES} ORDER BY p.id {{way}} LIMIT :limit
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
    status: str | None = None  # of states.PRODUCTION_STATES
    since: int | None = None
    until: int | None = None
    words: str = ""  # beginnings of words of a title, in any order; or the beginning of an id
    oldest_first: bool = False
    stage: str | None = None  # of stages.STAGES or stages.GROUPS
    by_end: bool = False  # the times are those of the end, not of the trigger


def page(search: Search, page: Page) -> dict[str, Any]:
    """Return a page of rows with the names of account and partner.

    A search by words returns at most MOST_FOUND rows; ``hasMore`` then says that more match.
    """
    if search.words:
        page = Page(MOST_FOUND)
    return page.envelope(_rows(search, page), lambda row: row)


def page_before(search: Search, page: Page) -> dict[str, Any]:
    """Return the rows before the key ``page.after``, or the first page where they are no more than that.

    Only for a search without words, which has one page.
    """
    rows = _rows(replace(search, oldest_first=not search.oldest_first), page)
    if len(rows) <= page.limit:
        return _first(search, page.limit)
    shown = rows[: page.limit][::-1]
    last = encode(shown[-1]["created_at"], shown[-1]["id"])
    return {"data": shown, "hasMore": True, "nextCursor": last, "isFirst": False}


def _first(search: Search, limit: int) -> dict[str, Any]:
    first = Page(limit)
    return {**first.envelope(_rows(search, first), lambda row: row), "isFirst": True}


def _rows(search: Search, page: Page) -> list[Any]:
    """Return the rows of a page and one more."""
    found, values = _statement(search)
    sql = _SHOWN.format(found=found, **_direction(search))
    return database.rows(sql, {**_values(search, page), **values})[: page.limit + 1]


def count(search: Search, most: int) -> int:
    """Return how many productions match a search without words, at most ``most``."""
    return counts({"": search}, most)[""]


def counts(searches: Mapping[str, Search], most: int) -> dict[str, int]:
    """Return :func:`count` of several searches, which differ in stage and status alone, in one statement."""
    if not searches:
        return {}
    sql = " UNION ALL ".join(
        f"SELECT '{name}' AS name, count(*) AS number FROM ("
        f"SELECT 1 FROM ({_found(search, ordered=False)}) AS found LIMIT :limit) AS counted"
        for name, search in searches.items()
    )
    values = _values(next(iter(searches.values())), Page(most - 1))
    return {row["name"]: row["number"] for row in database.rows(sql, values)}


def identifiers(search: Search, page: Page) -> list[str]:
    """Return the ids of a page of productions and one more, newest first, found by words of their title."""
    found, values = _statement(search)
    sql = f"SELECT id FROM ({found}) AS each ORDER BY id DESC LIMIT :limit"
    return [row["id"] for row in database.rows(sql, {**_values(search, page), **values})]


def _statement(search: Search) -> tuple[str, dict[str, str]]:
    """Return the SQL that selects the matching ids, and its further values."""
    if not search.words:
        return _found(search), {}
    looked_for = [] if _is_id(search.words) else title_words.words(search.words)[:_MOST_WORDS]
    if looked_for:
        return _by_words(search, looked_for)
    whose = "w.id = :partner" if search.partner_id else "TRUE"
    template = _BY_ID if _is_id(search.words) else _BY_TITLE
    return template.format(whose=whose, **_direction(search)), {}


def _direction(search: Search) -> dict[str, str]:
    """Return the parts of the templates that order rows, and those that say which rows match."""
    parts = [f"(p.status = '{state}' AND {condition})" for state, condition in _parts(search) or ()]
    ways = {"past": ">", "way": "ASC"} if search.oldest_first else {"past": "<", "way": "DESC"}
    which = "TRUE" if _parts(search) is None else f"({' OR '.join(parts) or 'FALSE'})"
    return {**ways, "which": which, "moment": "finished_at" if search.by_end else "created_at"}


def _parts(search: Search) -> list[tuple[str, str]] | None:
    """Return the states that are looked for, each with a further condition; None: any state."""
    if search.stage:
        parts = [stages.PARTS[each] for each in stages.GROUPS.get(search.stage, (search.stage,))]
    elif search.status:
        parts = [(search.status, "TRUE")]
    elif search.by_end:
        parts = [(state, "TRUE") for state in sorted(states.TERMINAL)]
    else:
        return None
    return [part for part in parts if part[0] in states.TERMINAL] if search.by_end else parts


def _by_words(search: Search, looked_for: list[str]) -> tuple[str, dict[str, str]]:
    """Return the SQL that selects the ids of titles with all of these words, and its further values."""
    looked_for = sorted(looked_for, key=len, reverse=True)  # the longest is rare, mostly
    rare = next((word for word in looked_for if not title_words.is_common(search.partner_id, word)), None)
    ordered = sorted(looked_for, key=lambda word: word != rare)
    values = {f"w{number}": word for number, word in enumerate(ordered)}
    whose = "o.id = :partner" if search.partner_id else "TRUE"
    is_filtered = _parts(search) is not None or any(
        each is not None for each in (search.account_id, search.since, search.until)
    )
    template = _BY_COMMON_WORDS if rare is None else _BY_WORDS if is_filtered else _BY_WORDS_ALONE
    alias = "c" if template == _BY_WORDS_ALONE else "p"
    more = "".join(_HAS.format(number, alias) for number in range(rare is not None, len(ordered)))
    latest = title_words.latest(search.partner_id, looked_for)
    direction = _direction(search)
    indexed = template.format(more=more, whose=whose, **direction)
    found = f"SELECT id FROM ({indexed}) AS indexed UNION {_LATEST.format(**direction)}"
    return found, {**values, "latest": json.dumps(latest)}


def _found(search: Search, ordered: bool = True) -> str:
    """Return the SQL that selects the ids that match, without words of a title; ``ordered``: the first ones in order."""
    parts = _parts(search)
    if parts is None:
        return _of_state(search, None, "TRUE", ordered)
    selects = [_of_state(search, state, condition, ordered) for state, condition in parts]
    if len(selects) < 2:
        return selects[0] if selects else _NOTHING
    return " UNION ALL ".join(f"SELECT id FROM ({sql}) AS part_{number}" for number, sql in enumerate(selects))


def _of_state(search: Search, state: str | None, condition: str, ordered: bool) -> str:
    """Return the SQL that selects the ids in one state (None: any) that meet a further condition."""
    template, how = _template(search, state, ordered)
    which = f"AND status = '{state}' AND {condition}" if state else ""
    if search.by_end and state:
        which += f" {_BY_END[state][1]}"
    direction = {**_direction(search), "which": which}
    column = {_BY_PARTNER: "p.", _OF_ALL: ""}.get(template, "")
    keys = ("id",) if template == _OF_ALL else ("created_at", "id")
    order = ", ".join(f"{column}{key} {direction['way']}" for key in keys)
    if template == _BY_PARTNER:  # within an account, too
        template = template.replace("{order}", f"ORDER BY created_at {direction['way']}, id {direction['way']}", 1)
    return template.format(how=how, order=f"ORDER BY {order}" if ordered else "", **direction)


def _template(search: Search, state: str | None, ordered: bool) -> tuple[str, str]:
    """Return the template of a statement, and its hint for SQLite."""
    if search.by_end and state:
        return _ENDED, _BY_END[state][0]
    if search.account_id or search.partner_id:
        # Without the hint the planner scans all productions of an account in order.
        how = by_index("productions_by_account_status") if state else ""
        return (_BY_ACCOUNT if search.account_id else _BY_PARTNER), how
    if state in (states.QUEUED, states.PRODUCING):
        return _TO_MAKE, ""
    if state == states.PUBLISHED and not ordered:
        return _PUBLISHED, ""
    return (_OF_ALL if state in (None, states.PUBLISHED) else _IN_STATE), ""


def _is_id(words: str) -> bool:
    return len(words) >= _SHORTEST_ID and bool(re.fullmatch(r"[0-9a-f-]+", words.lower(), re.ASCII))


def _values(search: Search, page: Page) -> dict[str, Any]:
    since = 0 if search.since is None else search.since
    until = 2**47 if search.until is None else search.until
    created, key = page.after
    if search.oldest_first and page.is_first:
        created, key = -1, ""
    first, last = (max(since, created), until) if search.oldest_first else (since, min(until, created))
    if search.by_end:
        first, last = (created, 2**47) if search.oldest_first else (0, min(2**47, created))
    words = search.words.lower() if _is_id(search.words) else search.words[:40]
    return {
        "partner": search.partner_id, "account": search.account_id, "since": since, "until": until,
        "low": ids.earliest(first), "high": ids.earliest(last + 1), "words": words,
        "created": created, "id": key, "limit": page.limit + 1,
    }  # fmt: skip
