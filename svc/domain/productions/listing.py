"""Lists of an account's productions, newest first."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

from svc.base.errors import InvalidDateFormat, InvalidRequest
from svc.base.text import json_text
from svc.domain import production_view, rows
from svc.domain.paging import Page
from svc.domain.productions import search
from svc.domain.productions.search import Search
from svc.domain.tables.productions import ListedProduction, VersionedProduction
from svc.store import database

_VERSIONED = "SELECT id, created_at, updated_at FROM productions"
_SHOWN = f"{production_view.SHOWN} WHERE id IN (SELECT value FROM json_each(?))"
_MOST_TEXTS, _LONGEST_TEXT = 16_384, 2_048  # kept by a process, and characters of each: at most some 32 MB


class Listed(NamedTuple):
    """Which productions of an account are listed. ``since``, ``until``: of creation, milliseconds."""

    account_id: str
    status: Sequence[str] = ()
    since: int | None = None
    until: int | None = None
    external_id: str | None = None
    group_id: str | None = None
    words: str | None = None  # beginnings of words of the title


def page(listed: Listed, page: Page) -> dict[str, Any]:
    """Return a page of productions, newest first. Raises the errors of :func:`page_text`."""
    found = _newest(listed, page)
    shown = {row["id"]: production_view.listed(row) for row in _read(found[: page.limit])}
    envelope = page.envelope(found, lambda row: shown.get(row["id"]))
    return envelope | {"data": [each for each in envelope["data"] if each]}  # without those that were removed meanwhile


def page_text(listed: Listed, page: Page) -> str:
    """Return the JSON of a page of productions, newest first.

    InvalidDateFormat: ``since`` is after ``until``. InvalidRequest: ``words`` with an external id or a group.
    """
    found = _newest(listed, page)
    texts = _texts.of(found[: page.limit])
    envelope = page.envelope(found, itemgetter("id"))
    data = ",".join(filter(None, map(texts.get, envelope.pop("data"))))
    return f'{{"data":[{data}],{json_text.text(envelope)[1:]}'


class _Texts:
    """The JSON of productions that lists have shown. Every change that the API shows moves ``updated_at``, so a text is right
    as long as that is the same; most productions of a list are as they were when it was last read."""

    def __init__(self) -> None:
        self._of: object = None
        self._known: dict[str, tuple[int, str]] = {}  # by id: updated_at, and the text

    def of(self, found: Sequence[VersionedProduction]) -> dict[str, str]:
        """Return the texts of productions by their ids. One that was removed meanwhile has none."""
        if database.shared() is not self._of:  # another database was opened
            self._of, self._known = database.shared(), {}
        known, texts, changed = self._known, {}, []
        for row in found:
            updated_at, text = known.get(row["id"], (None, ""))
            if updated_at == row["updated_at"]:
                texts[row["id"]] = text
            else:
                changed.append(row)
        for shown in _read(changed) if changed else ():
            text = json_text.text(production_view.listed(shown))
            texts[shown["id"]] = text
            if len(text) <= _LONGEST_TEXT:
                if len(known) >= _MOST_TEXTS:
                    known.clear()
                known[shown["id"]] = shown["updated_at"], text
        return texts


_texts = _Texts()


def _read(found: Sequence[VersionedProduction]) -> list[ListedProduction]:
    return rows.every(ListedProduction, _SHOWN, (json.dumps([row["id"] for row in found]),))


def _newest(listed: Listed, page: Page) -> list[VersionedProduction]:
    """Return the rows of a page and one more, newest first."""
    if listed.since is not None and listed.until is not None and listed.since > listed.until:
        raise InvalidDateFormat("`from` must not be after `to`.")
    if listed.words is not None:
        return _sorted(_found_by_words(listed, page))[: page.limit + 1]
    is_narrow = listed.external_id is not None or listed.group_id is not None  # then states are compared row by row
    chosen: Sequence[str | None] = [None] if is_narrow else listed.status or [None]
    if len(chosen) == 1:
        return _page_of(listed, chosen[0], page)
    # One indexed keyset query for each status, merged: none of them reads more than a page.
    return _sorted(row for state in chosen for row in _page_of(listed, state, page))[: page.limit + 1]


def _sorted(found: Iterable[VersionedProduction]) -> list[VersionedProduction]:
    return sorted(found, key=lambda row: (row["created_at"], row["id"]), reverse=True)


def _page_of(listed: Listed, status: str | None, page: Page) -> list[VersionedProduction]:
    condition = "" if status is None else "AND status = :status"
    for column in ("external_id", "group_id"):
        if getattr(listed, column) is not None:
            condition += f" AND {column} = :{column} AND (:states = '[]' OR status IN (SELECT value FROM json_each(:states)))"
    return rows.every(
        VersionedProduction,
        f"""{_VERSIONED} WHERE account_id = :account_id {condition} AND (created_at, id) < (:created, :id)
            AND created_at >= :since AND created_at <= :until ORDER BY created_at DESC, id DESC LIMIT :limit""",
        {
            **listed._asdict(), "status": status, "states": json.dumps(listed.status), **page.params,
            "since": listed.since or 0, "until": 2**62 if listed.until is None else listed.until,
        },
    )  # fmt: skip


def _found_by_words(listed: Listed, page: Page) -> list[VersionedProduction]:
    if listed.external_id is not None or listed.group_id is not None:
        message = "Send q without externalId and groupId."
        raise InvalidRequest(message, fields={"q": [message]})
    partner_id = database.one("SELECT partner_id FROM accounts WHERE id = ?", (listed.account_id,))[0]
    wanted = Search(partner_id, listed.account_id, None, listed.since, listed.until, listed.words or "")
    chosen: Sequence[str | None] = listed.status or [None]
    found = [each for state in chosen for each in search.identifiers(replace(wanted, status=state), page)]
    sql = f"{_VERSIONED} WHERE id IN (SELECT value FROM json_each(?))"
    return rows.every(VersionedProduction, sql, (json.dumps(found),))
