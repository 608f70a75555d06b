"""The search for productions by partner, account, stage, time and words, in order of time; every
query uses an index.

What is counted and what is listed is one query: :func:`count` counts exactly the rows of
:func:`list_page`.
"""

import functools
import json
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from svc.base import ids, states
from svc.domain.lifecycle import stages, title_words
from svc.domain.paging import Page, encode
from svc.store.database import Row
from svc.store.expressions import JOIN, LAST_CHARACTER, SQL, Tuple, Value, elements, fn, indexed
from svc.store.models.partners import Account, Partner
from svc.store.models.productions import Production, TitleWord
from svc.store.queries import Prepared, Select, slot

MOST_FOUND = 50  # results of a search by words
_SHORTEST_ID = 8
_MOST_WORDS = 5  # of a search
_KINDS = 512  # of searches whose query is kept

_FOUND = Production.alias("found_one")
_BY_TIME = (Production.created_at, Production.id)
# The conditions of the indexes productions_in_state, productions_to_make, productions_ended and
# productions_failed.
_IN_STATE = Production.status.in_(
    (states.AWAITING_APPROVAL, states.DISTRIBUTING, states.FAILED, states.CANCELLED)
)
_TO_MAKE = Production.status.in_((states.QUEUED, states.PRODUCING))
_HAS_ENDED = Production.status.in_((states.PUBLISHED, states.CANCELLED))
_BY_END: dict[str, tuple[str, Any]] = {
    states.PUBLISHED: ("productions_ended", _HAS_ENDED),
    states.CANCELLED: ("productions_ended", _HAS_ENDED),
    states.FAILED: ("productions_failed", SQL("TRUE")),
}


def _make_prefix_conditions(text: Any, beginning: Any) -> list[Any]:
    """Return the conditions that a text begins with another."""
    return [text >= beginning, text < beginning.concat(LAST_CHARACTER)]


# Of a title, as in the index productions_by_title.
_BEGINS = _make_prefix_conditions(
    fn.lower(fn.substr(Production.title, 1, 40)), fn.lower(slot("words"))
)
_NOTHING = Production.select(Production.id).where(Production.id < "")
_WITH_ID = Prepared(
    Production.select(Production.id)
    .where(
        *_make_prefix_conditions(Production.id, slot("words")),
        slot("partner").cast("text").is_null() | (Production.partner_id == slot("partner")),
    )
    .limit(1)
)
# An id begins with the time of creation, so the primary key is in chronological order.
_NEAR = (Production.id >= slot("low")) & (Production.id < slot("high"))


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


def list_page(search: Search, page: Page) -> dict[str, Any]:
    """Return a page of rows with the names of account and partner.

    A search by words returns at most MOST_FOUND rows; ``hasMore`` then says that more match.
    """
    if search.words:
        page = Page(MOST_FOUND)
    return page.make_envelope(_find_rows(search, page), lambda row: row)


def list_page_before(search: Search, page: Page) -> dict[str, Any]:
    """Return the rows before the key ``page.after``, or the first page where they are no more than
    that.

    Only for a search without words, which has one page.
    """
    rows = _find_rows(replace(search, oldest_first=not search.oldest_first), page)
    if len(rows) <= page.limit:
        return _find_first_page(search, page.limit)
    shown = rows[: page.limit][::-1]
    last = encode(shown[-1]["created_at"], shown[-1]["id"])
    return {"data": shown, "hasMore": True, "nextCursor": last, "isFirst": False}


def _find_first_page(search: Search, limit: int) -> dict[str, Any]:
    first = Page(limit)
    return {**first.make_envelope(_find_rows(search, first), lambda row: row), "isFirst": True}


def _find_rows(search: Search, page: Page) -> list[Any]:
    """Return the rows of a page and one more."""
    words, values = _match_words(search)
    query = _page_query(_Kind.from_search(search), words)
    return query.rows(**query.select_values(_make_values(search, page) | values))[: page.limit + 1]


def count(search: Search, most: int) -> int:
    """Return how many productions match a search without words, at most ``most``."""
    return count_several({"": search}, most)[""]


def count_several(searches: Mapping[str, Search], most: int) -> dict[str, int]:
    """Return :func:`count` of several searches, which differ in stage and status alone,
    in one statement.
    """
    if not searches:
        return {}
    query = _count_query(
        tuple((name, _Kind.from_search(search)) for name, search in searches.items())
    )
    values = query.select_values(_make_values(next(iter(searches.values())), Page(most - 1)))
    return {row["name"]: row["number"] for row in query.rows(**values)}


def list_ids(search: Search, page: Page) -> list[str]:
    """Return the ids of a page of productions and one more, newest first,
    found by words of their title.
    """
    words, values = _match_words(search)
    query = _id_page_query(_Kind.from_search(search), words)
    return [
        row["id"] for row in query.rows(**query.select_values(_make_values(search, page) | values))
    ]


class _Words(NamedTuple):
    """How a search by words is answered.

    ``number``: of words of a title, or 0: the search is by the beginning of an id or of a title.
    ``is_rare``: whether one of the words, then the first, is rare. ``is_filtered``: whether more
    than the words is looked for.
    """

    is_id: bool = False
    number: int = 0
    is_rare: bool = False
    is_filtered: bool = False


def _match_words(search: Search) -> tuple[_Words | None, dict[str, str]]:
    """Return how the words of a search are looked for, and further values;
    None: it has no words.
    """
    if not search.words:
        return None, {}
    is_id = _is_id(search.words) and _has_id(search)
    looked_for = [] if is_id else title_words.split_words(search.words)[:_MOST_WORDS]
    if not looked_for:
        return _Words(is_id), {}
    looked_for = sorted(looked_for, key=len, reverse=True)  # the longest is rare, mostly
    rare = next(
        (word for word in looked_for if not title_words.is_common(search.partner_id, word)), None
    )
    ordered = sorted(looked_for, key=lambda word: word != rare)
    values = {f"w{number}": word for number, word in enumerate(ordered)}
    latest = title_words.find_unindexed(search.partner_id, looked_for)
    is_filtered = _Kind.from_search(search).parts() is not None or any(
        each is not None for each in (search.account_id, search.since, search.until)
    )
    return _Words(False, len(ordered), rare is not None, is_filtered), {
        **values,
        "latest": json.dumps(latest),
    }


class _Kind(NamedTuple):
    """All of a search that its query depends on. Values such as times are given at each call."""

    of_partner: bool
    of_account: bool
    status: str | None
    stage: str | None
    by_end: bool
    oldest_first: bool

    @classmethod
    def from_search(cls, search: Search) -> "_Kind":
        owners = (search.partner_id is not None, search.account_id is not None)
        return cls(*owners, search.status, search.stage, search.by_end, search.oldest_first)

    def parts(self) -> list[tuple[str, Any]] | None:
        """Return the states that are looked for, each with a further condition; None: any state."""
        if self.stage:
            parts = [
                stages.CONDITIONS_OF_STAGES[each]
                for each in stages.GROUPS.get(self.stage, (self.stage,))
            ]
        elif self.status:
            parts = [(self.status, SQL("TRUE"))]
        elif self.by_end:
            parts = [(state, SQL("TRUE")) for state in sorted(states.TERMINAL_STATES)]
        else:
            return None
        return (
            [part for part in parts if part[0] in states.TERMINAL_STATES] if self.by_end else parts
        )

    def past(self) -> Any:
        """Return the condition of the rows that follow the last one of the page before."""
        row, last = Tuple(*_BY_TIME), Tuple(slot("created"), slot("id"))
        return row > last if self.oldest_first else row < last

    def order(self, *columns: Any) -> list[Any]:
        return [column.asc() if self.oldest_first else column.desc() for column in columns]

    def in_time(self) -> list[Any]:
        """Return the conditions of the rows of a page of the productions of some time."""
        created = Production.created_at
        return [created >= slot("since"), created <= slot("until"), self.past()]

    def partner(self) -> list[Any]:
        return [Production.partner_id == slot("partner")] if self.of_partner else []

    def account(self) -> list[Any]:
        return [Production.account_id == slot("account")] if self.of_account else []

    def matches(self) -> list[Any]:
        """Return the conditions for rows that are found by words, besides the partner and the
        words.
        """
        parts = self.parts()
        moment = Production.finished_at if self.by_end else Production.created_at
        which = [(Production.status == state) & condition for state, condition in parts or ()]
        listed = (
            []
            if parts is None
            else [functools.reduce(operator.or_, which) if which else SQL("FALSE")]
        )
        return [
            *self.account(),
            *listed,
            moment >= slot("since"),
            moment <= slot("until"),
            self.past(),
        ]


@functools.lru_cache(_KINDS)
def _page_query(kind: _Kind, words: _Words | None) -> Prepared[Row]:
    """Return the query of a page of rows."""
    matching = (_match_query(kind) if words is None else _word_match_query(kind, words)).cte(
        "found", columns=("id",)
    )
    p = Production
    return Prepared(
        p.select(
            p.id,
            p.partner_id,
            p.account_id,
            p.status,
            p.title,
            p.created_at,
            p.updated_at,
            p.steps_complete,
            p.steps_total,
            p.step_fraction,
            p.current_step,
            p.estimated_at,
            p.error_code,
            p.released_at,
            p.cancel_token.is_null(False).alias("is_cancelling"),
            p.gate_warnings.is_null(False).alias("has_gate_warnings"),
            p.finished_at,
            p.review,
            p.translation,
            p.cancel_token,
            p.language_id,
            p.claim_token,
            p.held_in,
            p.expires_at,
            Account.name.alias("account_name"),
            Account.environment,
            Partner.name.alias("partner_name"),
        )
        .from_(matching)
        .join(p, on=p.id == matching.c.id)
        .join_from(p, Account, on=Account.id == p.account_id)
        .join_from(p, Partner, on=Partner.id == p.partner_id)
        .order_by(*kind.order(*_BY_TIME))
        .with_cte(matching)
    )


@functools.lru_cache(_KINDS)
def _count_query(kinds: tuple[tuple[str, _Kind], ...]) -> Prepared[Row]:
    """Return the query of the numbers of what searches without words find, each with its name."""
    numbers = []
    for name, kind in kinds:
        matching = _match_query(kind, ordered=False).alias("found")
        some = Production.select(SQL("1")).from_(matching).limit(slot("limit")).alias("counted")
        number = fn.count(SQL("1")).alias("number")
        numbers.append(Production.select(Value(name).alias("name"), number).from_(some))
    return Prepared(functools.reduce(operator.add, numbers))


@functools.lru_cache(_KINDS)
def _id_page_query(kind: _Kind, words: _Words | None) -> Prepared[Row]:
    """Return the query of a page of ids."""
    matching = (_match_query(kind) if words is None else _word_match_query(kind, words)).alias(
        "each"
    )
    query = Production.select(matching.c.id).from_(matching).order_by(matching.c.id.desc())
    return Prepared(query.limit(slot("limit")))


def _word_match_query(kind: _Kind, words: _Words) -> Any:
    """Return the query of the ids that match."""
    if words.is_id:
        is_one = (Production.id >= slot("words")) & (Production.id < slot("words").concat("g"))
        query = Production.select(Production.id).where(is_one, *kind.partner(), *kind.matches())
        return query.limit(slot("limit"))
    if not words.number:
        return _title_match_query(kind)
    indexed_ones = _indexed_match_query(kind, words).alias("indexed")
    latest = Production.select(Production.id).where(
        Production.id.in_(elements(slot("latest"))), *kind.matches()
    )
    return Production.select(indexed_ones.c.id).from_(indexed_ones) | latest


def _title_match_query(kind: _Kind) -> Any:
    """Return the query of the ids of titles that begin so.

    An operator's search enters the index once for each partner. Queued productions are not in it.
    """
    known = (
        Partner.select(Production.id)
        .join(indexed(Production, "productions_by_title"), JOIN.CROSS)
        .where(
            Production.partner_id == Partner.id,
            *_BEGINS,
            Production.status != states.QUEUED,
            *kind.matches(),
        )
    )
    queued = (
        Production.select(Production.id)
        .from_(indexed(Production, "productions_to_make"))
        .where(
            _TO_MAKE, Production.status == states.QUEUED, *_BEGINS, *kind.partner(), *kind.matches()
        )
    )
    return (_limit_to_partner(kind, known) + queued).limit(slot("limit"))


def _limit_to_partner(kind: _Kind, query: Select) -> Select:
    return query.where(Partner.id == slot("partner")) if kind.of_partner else query


def _indexed_match_query(kind: _Kind, words: _Words) -> Select:
    """Return the query of the ids of titles with all of these words.

    It begins with the titles that have the rarest of them, or with the newest productions where all
    are common.
    """
    rest = range(words.is_rare, words.number)
    if not words.is_rare:
        common = Production.select(Production.id).where(
            _NEAR,
            *kind.partner(),
            *(_make_word_condition(each, Production.id) for each in rest),
            *kind.matches(),
        )
        return common.order_by(*kind.order(Production.id)).limit(slot("limit"))
    of_title = (
        Partner.select(TitleWord.production_id.alias("id")).join(TitleWord, JOIN.CROSS).distinct()
    )
    with_it = of_title.where(
        TitleWord.partner_id == Partner.id, *_make_prefix_conditions(TitleWord.word, slot("w0"))
    )
    titles = _limit_to_partner(kind, with_it).alias("titles")
    identifier = Production.id if words.is_filtered else titles.c.id
    query = Partner.select(identifier.alias("id")).from_(titles)
    conditions = [_make_word_condition(each, identifier) for each in rest]
    if words.is_filtered:
        query = query.join(Production, on=Production.id == titles.c.id)
        conditions += kind.matches()
    if conditions:
        query = query.where(*conditions)
    return query.order_by(*kind.order(identifier)).limit(slot("limit"))


def _make_word_condition(number: int, identifier: Any) -> Any:
    """Return the condition that the title of a production has a word that is looked for."""
    word = TitleWord.alias("word")
    return fn.EXISTS(
        word.select(SQL("1")).where(
            word.production_id == identifier,
            *_make_prefix_conditions(word.word, slot(f"w{number}")),
        )
    )


def _match_query(kind: _Kind, ordered: bool = True) -> Any:
    """Return the query of the ids that match, without words of a title;
    ``ordered``: the first ones in order.
    """
    parts = kind.parts()
    if parts is None:
        return _state_match_query(kind, None, SQL("TRUE"), ordered)
    queries = [_state_match_query(kind, state, condition, ordered) for state, condition in parts]
    return functools.reduce(operator.add, queries) if queries else _NOTHING


def _state_match_query(kind: _Kind, state: str | None, condition: Any, ordered: bool) -> Select:
    """Return the query of the ids in one state (None: any) that meet a further condition."""
    which = [] if state is None else [Production.status == state, condition]
    order: tuple[Any, ...] = _BY_TIME
    if kind.by_end and state:
        query = _ended_match_query(kind, state, which)
    elif kind.of_account:
        query = _account_match_query(
            kind, Production.account_id == slot("account"), which, *kind.partner()
        )
    elif kind.of_partner:
        query, order = _accounts_match_query(kind, which), (_FOUND.created_at, _FOUND.id)
    elif state in (states.QUEUED, states.PRODUCING):
        query = Production.select(Production.id).where(_TO_MAKE, *which, *kind.in_time())
    elif state == states.PUBLISHED and not ordered:
        query = _published_match_query()
    elif state in (None, states.PUBLISHED):
        query = Production.select(Production.id).where(_NEAR, *kind.in_time(), *which)
        order = (Production.id,)
    else:
        query = Production.select(Production.id).where(_IN_STATE, *which, *kind.in_time())
    return (query.order_by(*kind.order(*order)) if ordered else query).limit(slot("limit"))


def _account_match_query(kind: _Kind, account: Any, which: list[Any], *conditions: Any) -> Select:
    """Return the query of the ids of an account.

    ``account``: the condition that a production is of it.
    """
    query = Production.select(Production.id).where(account, *conditions, *kind.in_time(), *which)
    # Without the hint the planner scans all productions of an account in order.
    return query.from_(indexed(Production, "productions_by_account_status")) if which else query


def _accounts_match_query(kind: _Kind, which: list[Any]) -> Select:
    """Return the query of the ids of a partner, which reads at most a page from each account."""
    of_each = _account_match_query(kind, Production.account_id == Account.id, which)
    newest = of_each.order_by(*kind.order(*_BY_TIME)).limit(slot("limit"))
    query = Account.select(_FOUND.id).join(_FOUND, JOIN.CROSS)
    return query.where(_FOUND.id.in_(newest), Account.partner_id == slot("partner"))


def _published_match_query() -> Select:
    """Return the query of the ids of what all partners have published.

    Only to count: few of all productions may be published, and the list reads all of them in order.
    """
    created = Production.created_at
    return (
        Partner.select(Production.id)
        .join(Account, JOIN.CROSS)
        .join(indexed(Production, "productions_by_account_status"), JOIN.CROSS)
        .where(
            Account.partner_id == Partner.id,
            Production.account_id == Account.id,
            Production.status == states.PUBLISHED,
            created >= slot("since"),
            created <= slot("until"),
        )
    )


def _ended_match_query(kind: _Kind, state: str, which: list[Any]) -> Select:
    """Return the query of the ids of what ended in a state, by the time of the end."""
    index, condition = _BY_END[state]
    ended = Production.finished_at
    return (
        Production.select(Production.id)
        .from_(indexed(Production, index))
        .where(ended >= slot("since"), ended <= slot("until"), *which, condition)
        .where(*kind.partner(), *kind.account(), kind.past())
    )


def _has_id(search: Search) -> bool:
    """Return whether there is a production whose id begins so. Otherwise it is a word of a title,
    such as a date or the number of an order.
    """
    return bool(_WITH_ID.rows(words=search.words.lower(), partner=search.partner_id))


def _is_id(words: str) -> bool:
    return len(words) >= _SHORTEST_ID and bool(re.fullmatch(r"[0-9a-f-]+", words.lower(), re.ASCII))


def _make_values(search: Search, page: Page) -> dict[str, Any]:
    since = 0 if search.since is None else search.since
    until = 2**47 if search.until is None else search.until
    created, key = page.after
    if search.oldest_first and page.is_first:
        created, key = -1, ""
    first, last = (
        (max(since, created), until) if search.oldest_first else (since, min(until, created))
    )
    if search.by_end:
        first, last = (created, 2**47) if search.oldest_first else (0, min(2**47, created))
    words = search.words.lower() if _is_id(search.words) else search.words[:40]
    return {
        "partner": search.partner_id,
        "account": search.account_id,
        "since": since,
        "until": until,
        "low": ids.make_lowest_id(first),
        "high": ids.make_lowest_id(last + 1),
        "words": words,
        "created": created,
        "id": key,
        "limit": page.limit + 1,
    }
