"""Templates of an account: briefs with variables, which are filled and triggered."""

import csv
import io
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypedDict

from svc.base import clock, ids
from svc.base.errors import InvalidRequest, NotFound, TemplateLimitReached
from svc.domain import locales, rows
from svc.domain.briefing import template_values
from svc.domain.briefing.template_values import ReadTemplate
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.partners import accounts
from svc.domain.productions.briefs import Brief
from svc.store import database

MOST = 100  # of an account
# Columns of a table that are no variables: fields of the brief, and those of them that take codes.
OVERRIDES = ("languageId", "languageIds", "countryId", "avatarId", "externalId")
_CODES: dict[str, Callable[[str], str]] = {
    "language": locales.language_of,
    "languages": locales.language_of,
    "country": locales.country_of,
}
_SEVERAL = ("languageIds", "languages")  # in a cell, with spaces between
_MOST_COLUMNS = template_values.MOST_VARIABLES + len(OVERRIDES)  # a code stands in place of an identifier

_PAGE = """
    SELECT * FROM templates WHERE account_id = :account AND removed_at IS NULL AND (created_at, id) < (:created, :id)
    ORDER BY created_at DESC, id DESC LIMIT :limit
"""
_INSERT = """
    INSERT INTO templates (id, account_id, name, brief, variables, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_CHANGE = "UPDATE templates SET name = ?, brief = ?, variables = ?, updated_at = ? WHERE id = ? AND removed_at IS NULL"


class Template(TypedDict):
    """A row of ``templates``."""

    id: str
    account_id: str
    name: str
    brief: str
    variables: str
    created_at: int
    updated_at: int
    removed_at: int | None


def add(account_id: str, given: dict[str, Any], now: int) -> Template:
    """Add a template. InvalidRequest: its variables do not fit its brief. TemplateLimitReached."""
    template_values.check_variables(given["variables"], given["brief"])
    template_id = ids.new(now)
    with database.write():
        sql = "SELECT count(*) FROM templates WHERE account_id = ? AND removed_at IS NULL"
        if database.one(sql, (account_id,))[0] >= MOST:
            raise TemplateLimitReached()
        stored = (json.dumps(given["brief"]), json.dumps(given["variables"]), now, now)
        database.execute(_INSERT, (template_id, account_id, given["name"], *stored))
        return rows.one(Template, "SELECT * FROM templates WHERE id = ?", (template_id,))


def find(caller: Caller, account_id: str, template_id: str) -> Template:
    """Return a template. NotFound: there is none in this account that the key may address."""
    accounts.find(caller, account_id)
    sql = "SELECT * FROM templates WHERE id = ? AND account_id = ? AND removed_at IS NULL"
    found = rows.first(Template, sql, (template_id, account_id))
    if found is None:
        raise NotFound("The account has no such template; GET /v1/accounts/{accountId}/templates lists them.")
    return found


def page(account_id: str, page: Page) -> dict[str, Any]:
    """Return a page of an account's templates, newest first."""
    return page.envelope(rows.every(Template, _PAGE, {"account": account_id, **page.params}), view)


def change(template: Template, given: dict[str, Any], now: int) -> Template:
    """Replace a template. InvalidRequest: its variables do not fit its brief. NotFound: it was deleted meanwhile."""
    template_values.check_variables(given["variables"], given["brief"])
    with database.write():
        stored = (given["name"], json.dumps(given["brief"]), json.dumps(given["variables"]), now, template["id"])
        if not database.execute(_CHANGE, stored):
            raise NotFound("The template was deleted meanwhile.")
        return rows.one(Template, "SELECT * FROM templates WHERE id = ?", (template["id"],))


def remove(template: Template) -> None:
    """Delete a template; productions that were made with it stay. A row that stayed would let an account grow without limit."""
    with database.write():
        database.execute("DELETE FROM templates WHERE id = ?", (template["id"],))


def fill(template: Template, values: Mapping[str, str | float], overrides: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the brief of a template with values, as the API has it. ``overrides``: other fields of the brief.

    InvalidRequest: a value is missing, unknown, or does not fit its variable; or a text becomes too long.
    """
    return _overridden(_read(template).fill(values), overrides or {})


def _read(template: Template) -> ReadTemplate:
    return ReadTemplate(json.loads(template["brief"]), json.loads(template["variables"]))


def _overridden(filled: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    return filled | {name: value for name, value in overrides.items() if value is not None}


def rows_of(
    table: str, most: int, variables: Collection[str] = ()
) -> list[tuple[dict[str, str], dict[str, Any]] | InvalidRequest]:
    """Return the rows of a CSV table as pairs (values, overrides). Its first line names the columns.

    ``variables``: those of the template; one that is named like a field of the brief takes the column.

    In place of a row whose number of cells is not that of the columns: what is wrong with it.
    InvalidRequest: the table has no rows, or more than ``most``.
    """
    text = table.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    comma = ";" if ";" in head and "," not in head else ","  # as spreadsheets of many countries have it
    lines = (line for line in csv.reader(io.StringIO(text, newline=""), delimiter=comma) if any(map(str.strip, line)))
    found: list[tuple[dict[str, str], dict[str, Any]] | InvalidRequest] = []
    try:
        names = _columns(next(lines, []))
        for number, line in enumerate(lines, 1):  # reads no further than the last row
            if number > most:
                raise _bad(f"A table has at most {most:,} rows; this one has more. Divide it.")
            if len(line) == len(names):
                found.append(_cells(names, line, variables))
            else:
                found.append(InvalidRequest(f"It has {len(line):,} cells, and there are {len(names)} columns."))
    except csv.Error as broken:
        raise _bad(f"This is not a table in CSV: {broken}.") from None
    if not found:
        raise _bad("The first line names the columns, and each further line is one brief.")
    return found


def _columns(line: list[str]) -> list[str]:
    if len(line) > _MOST_COLUMNS:
        raise _bad(f"A table has at most {_MOST_COLUMNS} columns; this one has {len(line):,}.")
    names = [name.strip() for name in line]
    if len(set(names)) < len(names) or "" in names:
        raise _bad("Each column needs a name of its own.")
    return names


def _cells(names: list[str], line: list[str], variables: Collection[str]) -> tuple[dict[str, str], dict[str, Any]]:
    cells = dict(zip(names, line, strict=True))
    overrides: dict[str, Any] = {}
    for name in (*OVERRIDES, *_CODES):
        if name not in variables and (value := cells.pop(name, "").strip()):
            overrides[name] = value.split() if name in _SEVERAL else value
    return cells, overrides


def _by_identifier(overrides: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a row with identifiers in place of codes. InvalidRequest: a code is unknown, or names what another
    cell names."""
    named: dict[str, Any] = {}
    wrong: dict[str, list[str]] = {}
    for name, value in overrides.items():
        field = locales.BY_CODE.get(name, name)
        try:
            if field in named:
                raise ValueError(f"Fill in {field} or {name}, not both.")
            identified = _CODES.get(name, str)
            named[field] = [identified(each) for each in value] if isinstance(value, list) else identified(value)
        except ValueError as bad:
            wrong[name] = [str(bad)]
    if wrong:
        raise InvalidRequest.naming(wrong)
    return named


def briefs_of(template: Template, table: str, most: int, read: Callable[[dict[str, Any]], Brief]) -> list[Brief]:
    """Return the briefs of a CSV table's rows.

    ``read``: makes a brief of a filled one, or raises InvalidRequest. InvalidRequest: the table cannot be read, or rows do not
    fit; its fields are those rows, each with what is wrong.
    """
    found: list[Brief] = []
    wrong: dict[str, list[str]] = {}
    once = _read(template)
    for number, row in enumerate(rows_of(table, most, once.names), 1):
        try:
            if isinstance(row, InvalidRequest):
                raise row
            values, overrides = row
            found.append(read(_overridden(once.fill(values), _by_identifier(overrides))))
        except InvalidRequest as refused:
            named = [f"{name}: {text}" for name, texts in (refused.fields or {}).items() for text in texts]
            wrong[f"row {number}"] = named or [refused.message]
    if wrong:
        raise InvalidRequest.naming(wrong)
    return found


def _bad(message: str) -> InvalidRequest:
    return InvalidRequest(message, fields={"body": [message]})


def view(template: Template) -> dict[str, Any]:
    """Return a template as the API represents it."""
    return {
        "templateId": template["id"],
        "accountId": template["account_id"],
        "name": template["name"],
        "brief": json.loads(template["brief"]),
        "variables": json.loads(template["variables"]),
        "createdAt": clock.text(template["created_at"]),
        "updatedAt": clock.text(template["updated_at"]),
    }
