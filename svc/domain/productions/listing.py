"""Lists of an account's productions, newest first."""

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

from svc.base.errors import InvalidDateFormat, InvalidRequest
from svc.base.text import json_text
from svc.domain.paging import Page, page_newest_first
from svc.domain.productions import search, view
from svc.domain.productions.search import Search
from svc.domain.tables.productions import ListedProduction, VersionedProduction
from svc.store.database import db
from svc.store.expressions import elements
from svc.store.models.partners import Account
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

_VERSIONED = Production.select(Production.id, Production.created_at, Production.updated_at)
_OF_IDS = Production.id.in_(elements(slot("ids")))
_VERSIONS = Prepared(_VERSIONED.where(_OF_IDS), VersionedProduction)
_SHOWN = Prepared(view.SHOWN.where(_OF_IDS), ListedProduction)
_PARTNER = Prepared(Account.select(Account.partner_id).where(Account.id == slot("id")))
# The most texts that a process keeps, and the most characters of each: at most some 32 MB.
_MOST_TEXTS, _LONGEST_TEXT = 16_384, 2_048


class Listed(NamedTuple):
    """Which productions of an account are listed.

    ``since``, ``until``: of creation, milliseconds.
    """

    account_id: str
    status: Sequence[str] = ()
    since: int | None = None
    until: int | None = None
    external_id: str | None = None
    group_id: str | None = None
    words: str | None = None  # beginnings of words of the title


def list_page(listed: Listed, page: Page) -> dict[str, Any]:
    """Return a page of productions, newest first. Raises the errors of :func:`format_page`."""
    versions = _find_newest(listed, page)
    shown = {row["id"]: view.represent_in_list(row) for row in _read_shown(versions[: page.limit])}
    envelope = page.make_envelope(versions, lambda row: shown.get(row["id"]))
    # Productions that were removed meanwhile are left out.
    return envelope | {"data": [each for each in envelope["data"] if each]}


def format_page(listed: Listed, page: Page) -> str:
    """Return the JSON of a page of productions, newest first.

    InvalidDateFormat: ``since`` is after ``until``. InvalidRequest: ``words`` with an external id
    or a group.
    """
    versions = _find_newest(listed, page)
    texts = _texts.read(versions[: page.limit])
    envelope = page.make_envelope(versions, itemgetter("id"))
    data = ",".join(filter(None, map(texts.get, envelope.pop("data"))))
    return f'{{"data":[{data}],{json_text.text(envelope)[1:]}'


class _Texts:
    """The JSON of productions that lists have shown. Every change that the API shows moves
    ``updated_at``, so a text is right as long as that is the same; most productions of a list are
    as they were when it was last read."""

    def __init__(self) -> None:
        self._of: object = None
        self._known: dict[str, tuple[int, str]] = {}  # by id: updated_at, and the text

    def read(self, versions: Sequence[VersionedProduction]) -> dict[str, str]:
        """Return the texts of productions by their ids. One that was removed meanwhile has none."""
        if db.shared() is not self._of:  # another database was opened
            self._of, self._known = db.shared(), {}
        known, texts, changed = self._known, {}, []
        for row in versions:
            updated_at, text = known.get(row["id"], (None, ""))
            if updated_at == row["updated_at"]:
                texts[row["id"]] = text
            else:
                changed.append(row)
        for shown in _read_shown(changed) if changed else ():
            text = json_text.text(view.represent_in_list(shown))
            texts[shown["id"]] = text
            if len(text) <= _LONGEST_TEXT:
                if len(known) >= _MOST_TEXTS:
                    known.clear()
                known[shown["id"]] = shown["updated_at"], text
        return texts


_texts = _Texts()


def _read_shown(versions: Sequence[VersionedProduction]) -> list[ListedProduction]:
    return _SHOWN.rows(ids=json.dumps([row["id"] for row in versions]))


def _find_newest(listed: Listed, page: Page) -> list[VersionedProduction]:
    """Return the rows of a page and one more, newest first."""
    if listed.since is not None and listed.until is not None and listed.since > listed.until:
        raise InvalidDateFormat("`from` must not be after `to`.")
    if listed.words is not None:
        return _sort_newest_first(_find_by_words(listed, page))[: page.limit + 1]
    # With one of these filters, states are compared row by row.
    is_narrow = listed.external_id is not None or listed.group_id is not None
    chosen: Sequence[str | None] = [None] if is_narrow else listed.status or [None]
    if len(chosen) == 1:
        return _find_page(listed, chosen[0], page)
    # One indexed keyset query for each status, merged: none of them reads more than a page.
    return _sort_newest_first(row for state in chosen for row in _find_page(listed, state, page))[
        : page.limit + 1
    ]


def _sort_newest_first(versions: Iterable[VersionedProduction]) -> list[VersionedProduction]:
    return sorted(versions, key=lambda row: (row["created_at"], row["id"]), reverse=True)


def _find_page(listed: Listed, status: str | None, page: Page) -> list[VersionedProduction]:
    values = {"status": status, "external_id": listed.external_id, "group_id": listed.group_id}
    filters = {name: value for name, value in values.items() if value is not None}
    if status is None and listed.status:
        filters["states"] = json.dumps(listed.status)
    # a second upper bound in the query would make SQLite choose between them
    if listed.until is not None:
        page = replace(page, after=min(page.after, (listed.until + 1, "")))
    return _page_query(*filters).rows(
        **filters, **page.params, account_id=listed.account_id, since=listed.since or 0
    )


@functools.cache
def _page_query(*filters: str) -> Prepared[VersionedProduction]:
    """Return the query of a page with these columns given, or the ``states`` of which the
    status is one.
    """
    created = Production.created_at
    query = _VERSIONED.where(Production.account_id == slot("account_id"), created >= slot("since"))
    for name in filters:
        is_listed = name == "states"
        query = query.where(
            Production.status.in_(elements(slot(name)))
            if is_listed
            else getattr(Production, name) == slot(name)
        )
    return Prepared(page_newest_first(query, created, Production.id), VersionedProduction)


def _find_by_words(listed: Listed, page: Page) -> list[VersionedProduction]:
    if listed.external_id is not None or listed.group_id is not None:
        message = "Send q without externalId and groupId."
        raise InvalidRequest(message, fields={"q": [message]})
    partner_id = _PARTNER.value(id=listed.account_id)
    search_of_words = Search(
        partner_id, listed.account_id, None, listed.since, listed.until, listed.words or ""
    )
    chosen: Sequence[str | None] = listed.status or [None]
    production_ids = [
        each
        for state in chosen
        for each in search.list_ids(replace(search_of_words, status=state), page)
    ]
    return _VERSIONS.rows(ids=json.dumps(production_ids))
