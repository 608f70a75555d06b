"""Templates of an account: briefs with variables, which are filled and triggered."""

import csv
import io
import json
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypedDict

from svc.base import clock, ids
from svc.base.errors import InvalidRequest, NotFound, TemplateLimitReached
from svc.domain import locales
from svc.domain.briefing import batches, template_values
from svc.domain.briefing.template_values import ReadTemplate
from svc.domain.caller import Caller
from svc.domain.lifecycle.briefs import Brief
from svc.domain.paging import Page, page_newest_first
from svc.domain.partners import accounts
from svc.store.database import db
from svc.store.expressions import fn
from svc.store.models import briefing as models
from svc.store.queries import Prepared, slot, slots

MOST = 100  # of an account
# Columns of a table that are no variables: fields of the brief, and those of them that take codes.
OVERRIDABLE_FIELDS = ("languageId", "languageIds", "countryId", "avatarId", "externalId")
_CODES: dict[str, Callable[[str], str]] = {
    "language": locales.find_language,
    "languages": locales.find_language,
    "country": locales.find_country,
}
_SEVERAL = ("languageIds", "languages")  # in a cell, with spaces between
# The most columns of a table: each variable and each field, with a code in place of an identifier.
_MOST_COLUMNS = template_values.MOST_VARIABLES + len(OVERRIDABLE_FIELDS)


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


_TEMPLATE = models.Template
_THIS_ONE = _TEMPLATE.id == slot("id")
_IN_ACCOUNT = (_TEMPLATE.account_id == slot("account_id")) & _TEMPLATE.removed_at.is_null()
_PAGE = Prepared(
    page_newest_first(_TEMPLATE.select().where(_IN_ACCOUNT), _TEMPLATE.created_at, _TEMPLATE.id),
    Template,
)
_NUMBER = Prepared(_TEMPLATE.select(fn.count(_TEMPLATE.id)).where(_IN_ACCOUNT))
_ADD = Prepared(
    _TEMPLATE.insert(
        slots("id", "account_id", "name", "brief", "variables", "created_at", "updated_at")
    )
)
_FIND = Prepared(_TEMPLATE.select().where(_THIS_ONE), Template)
_FIND_IN_ACCOUNT = Prepared(_TEMPLATE.select().where(_THIS_ONE, _IN_ACCOUNT), Template)
_CHANGE = Prepared(
    _TEMPLATE.update(slots("name", "brief", "variables", "updated_at")).where(
        _THIS_ONE, _TEMPLATE.removed_at.is_null()
    )
)
_REMOVE = Prepared(_TEMPLATE.delete().where(_THIS_ONE))


def add(account_id: str, content: dict[str, Any], now: int) -> Template:
    """Add a template. InvalidRequest: its variables do not fit its brief. TemplateLimitReached."""
    template_values.check_variables(content["variables"], content["brief"])
    template_id = ids.make_id(now)
    with _begin_transaction(account_id):
        if _NUMBER.value(account_id=account_id) >= MOST:
            raise TemplateLimitReached()
        _ADD.execute(
            id=template_id,
            account_id=account_id,
            name=content["name"],
            brief=json.dumps(content["brief"]),
            variables=json.dumps(content["variables"]),
            created_at=now,
            updated_at=now,
        )
        return _FIND.one(id=template_id)


def find(caller: Caller, account_id: str, template_id: str) -> Template:
    """Return a template. NotFound: there is none in this account that the key may address."""
    accounts.find(caller, account_id)
    template = _FIND_IN_ACCOUNT.row(id=template_id, account_id=account_id)
    if template is None:
        raise NotFound(
            "The account has no such template; GET /v1/accounts/{accountId}/templates lists them."
        )
    return template


def list_page(account_id: str, page: Page) -> dict[str, Any]:
    """Return a page of an account's templates, newest first."""
    return page.make_envelope(_PAGE.rows(account_id=account_id, **page.params), represent)


def change(template: Template, content: dict[str, Any], now: int) -> Template:
    """Replace a template.

    InvalidRequest: its variables do not fit its brief. NotFound: it was deleted meanwhile.
    """
    template_values.check_variables(content["variables"], content["brief"])
    with _begin_transaction(template["account_id"]):
        changed = _CHANGE.execute(
            id=template["id"],
            name=content["name"],
            brief=json.dumps(content["brief"]),
            variables=json.dumps(content["variables"]),
            updated_at=now,
        )
        if not changed:
            raise NotFound("The template was deleted meanwhile.")
        return _FIND.one(id=template["id"])


def remove(template: Template) -> None:
    """Delete a template; productions that were made with it stay.

    A row that stayed would let an account grow without limit.
    """
    with _begin_transaction(template["account_id"]):
        _REMOVE.execute(id=template["id"])


def _begin_transaction(account_id: str) -> AbstractContextManager[None]:
    return db.transaction(partner=accounts.load_account(account_id)["partner_id"])


def fill(
    template: Template, values: Mapping[str, str | float], overrides: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the brief of a template with values, as the API has it. ``overrides``: other fields of
    the brief.

    InvalidRequest: a value is missing, unknown, or does not fit its variable; or a text becomes too
    long.
    """
    return _apply_overrides(_read_template(template).fill(values), overrides or {})


def _read_template(template: Template) -> ReadTemplate:
    return ReadTemplate(json.loads(template["brief"]), json.loads(template["variables"]))


def _apply_overrides(filled: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    return filled | {name: value for name, value in overrides.items() if value is not None}


def parse_table(
    table: str, most: int, variables: Collection[str] = ()
) -> list[tuple[dict[str, str], dict[str, Any]] | InvalidRequest]:
    """Return the rows of a CSV table as pairs (values, overrides). Its first line names the
    columns.

    ``variables``: those of the template; one that is named like a field of the brief takes the
    column.

    In place of a row whose number of cells is not that of the columns: what is wrong with it.
    InvalidRequest: the table has no rows, or more than ``most``.
    """
    text = table.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    # Spreadsheets of many countries separate cells by a semicolon.
    comma = ";" if ";" in head and "," not in head else ","
    # strict: else a quotation mark that is never closed would make one cell of all rows after it
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=comma, strict=True)
    lines = (line for line in reader if any(map(str.strip, line)))
    rows: list[tuple[dict[str, str], dict[str, Any]] | InvalidRequest] = []
    try:
        names = _check_columns(next(lines, []))
        for number, line in enumerate(lines, 1):  # reads no further than the last row
            if number > most:
                raise _make_table_error(
                    f"A table has at most {most:,} rows; this one has more. Split it into several."
                )
            if len(line) == len(names):
                rows.append(_split_cells(names, line, variables))
            else:
                rows.append(
                    InvalidRequest(
                        f"It has {len(line):,} cell{'s' if len(line) != 1 else ''}, and there "
                        f"{'are' if len(names) != 1 else 'is'} {len(names)} column"
                        f"{'s' if len(names) != 1 else ''}."
                    )
                )
    except csv.Error as broken:
        raise _make_table_error(
            f"From row {len(rows) + 1} on this is not a table in CSV: {broken}. A cell that "
            "begins with a quotation mark ends with one, and has two for each within."
        ) from None
    if not rows:
        raise _make_table_error(
            "The first line names the columns, and each further line is one brief."
        )
    return rows


def _check_columns(line: list[str]) -> list[str]:
    if len(line) > _MOST_COLUMNS:
        raise _make_table_error(
            f"A table has at most {_MOST_COLUMNS} columns; this one has {len(line):,}."
        )
    names = [name.strip() for name in line]
    if len(set(names)) < len(names) or "" in names:
        raise _make_table_error("Each column needs a name of its own.")
    return names


def _split_cells(
    names: list[str], line: list[str], variables: Collection[str]
) -> tuple[dict[str, str], dict[str, Any]]:
    cells = dict(zip(names, line, strict=True))
    overrides: dict[str, Any] = {}
    for name in (*OVERRIDABLE_FIELDS, *_CODES):
        if name not in variables and (value := cells.pop(name, "").strip()):
            overrides[name] = value.split() if name in _SEVERAL else value
    return cells, overrides


def _replace_codes(overrides: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a row with identifiers in place of codes. InvalidRequest: a code is
    unknown, or names what another cell names."""
    named: dict[str, Any] = {}
    wrong: dict[str, list[str]] = {}
    for name, value in overrides.items():
        field = locales.BY_CODE.get(name, name)
        try:
            if field in named:
                raise ValueError(f"Fill in {field} or {name}, not both.")
            identified = _CODES.get(name, str)
            named[field] = (
                [identified(each) for each in value]
                if isinstance(value, list)
                else identified(value)
            )
        except ValueError as bad:
            wrong[name] = [str(bad)]
    if wrong:
        raise InvalidRequest.from_fields(wrong)
    return named


def fill_from_table(
    template: Template, table: str, read: Callable[[dict[str, Any]], Brief]
) -> list[Brief]:
    """Return the briefs of a CSV table's rows.

    ``read``: makes a brief of a filled one, or raises InvalidRequest. InvalidRequest: the table
    cannot be read, or rows do not fit; its fields are those rows, each with what is wrong.
    """
    briefs: list[Brief] = []
    wrong: dict[str, list[str]] = {}
    once = _read_template(template)
    for number, row in enumerate(parse_table(table, batches.MOST_ITEMS, once.names), 1):
        try:
            if isinstance(row, InvalidRequest):
                raise row
            values, overrides = row
            briefs.append(read(_apply_overrides(once.fill(values), _replace_codes(overrides))))
        except InvalidRequest as refused:
            named = [
                f"{name}: {text}"
                for name, texts in (refused.fields or {}).items()
                for text in texts
            ]
            wrong[f"row {number}"] = named or [refused.message]
    if wrong:
        raise InvalidRequest.from_fields(wrong)
    return briefs


def _make_table_error(message: str) -> InvalidRequest:
    return InvalidRequest(message, fields={"csv": [message]})


def represent(template: Template) -> dict[str, Any]:
    """Return a template as the API represents it."""
    return {
        "templateId": template["id"],
        "accountId": template["account_id"],
        "name": template["name"],
        "brief": json.loads(template["brief"]),
        "variables": json.loads(template["variables"]),
        "createdAt": clock.format_time(template["created_at"]),
        "updatedAt": clock.format_time(template["updated_at"]),
    }
