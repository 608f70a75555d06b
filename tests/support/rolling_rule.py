"""What a migration may do that is marked as rolling: programs of the release before it go on
working on what it makes.
"""

import re

from svc.domain.partners.erase import TABLES_WITHOUT_PARTNER
from svc.store.engine.sqlite_driver import sqlite3

_TABLE = re.compile(r"CREATE TABLE (\w+) \((.*)\)[^)]*;", re.DOTALL)
_COLUMN = re.compile(r"ALTER TABLE (\w+) ADD COLUMN (\w+) (.*);", re.DOTALL)
_INDEX = re.compile(r"CREATE (UNIQUE )?INDEX \w+ ON (\w+)\b")
_TRIGGER = re.compile(r"CREATE TRIGGER \w+ AFTER .*? ON (\w+)\s(.*)", re.DOTALL)
_REFERENCE = re.compile(r"REFERENCES (\w+)\s*\(\w+\)(?! ON DELETE (?:CASCADE|SET NULL))")
_WRITES = re.compile(r"\b(?:INTO|UPDATE(?! OF)|DELETE FROM)\s+(\w+)")
# By these, svc.domain.partners.erase finds a partner's rows in a table that it does not know.
_OF_A_PARTNER = (
    r"\b(?:partner_id|production_id|customer_id|account_id|subscription_id|delivery_id|user_id)\b"
)


def statements(script: str) -> list[str]:
    """Return the statements of a script without its comments; a trigger is one."""
    found, begun = [], ""
    for part in re.sub(r"--[^\n]*", "", script).split(";")[:-1]:
        begun += f"{part};"
        if sqlite3.complete_statement(begun):
            found.append(begun.strip())
            begun = ""
    return [*found, begun.strip()] if begun.strip() else found


class Rule:
    """Judges the migration after a schema.

    ``before``: a database of SQLite that has that schema.
    """

    def __init__(self, before: sqlite3.Connection):
        names = [
            name
            for (name,) in before.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall()
        ]
        self._earlier = {name: self._columns(before, name) for name in names}

    @staticmethod
    def _columns(before: sqlite3.Connection, table: str) -> set[str]:
        return {
            name
            for (name,) in before.execute(
                "SELECT name FROM pragma_table_info(?)", (table,)
            ).fetchall()
        }

    def objections(self, script: str) -> list[str]:
        """Return what a program of the schema before could not go on with."""
        return [
            f"{why}: {statement}"
            for statement in statements(script)
            for why in self._against(statement)
        ]

    def _against(self, statement: str) -> list[str]:
        if table := _TABLE.fullmatch(statement):
            return self._against_table(table[1], table[2])
        if column := _COLUMN.fullmatch(statement):
            return self._against_column(*column.groups())
        if index := _INDEX.match(statement):
            return (
                ["earlier programs do not know what must be unique"]
                if index[1] and index[2] in self._earlier
                else []
            )
        if trigger := _TRIGGER.fullmatch(statement):
            return self._against_trigger(*trigger.groups())
        return ["it does more than add a table, a column, an index or a trigger"]

    def _against_table(self, name: str, columns: str) -> list[str]:
        found = self._against_references(columns)
        if name not in TABLES_WITHOUT_PARTNER and not re.search(_OF_A_PARTNER, columns):
            found.append("earlier programs would not find a partner's rows")
        return found

    def _against_references(self, columns: str) -> list[str]:
        return [
            f"earlier programs could not remove rows of {table}"
            for table in _REFERENCE.findall(columns)
            if table in self._earlier
        ]

    def _against_column(self, table: str, name: str, definition: str) -> list[str]:
        if table not in self._earlier:
            return []
        found = self._against_references(definition)
        if "NOT NULL" in definition and not re.search(r"\bDEFAULT (?!NULL\b)", definition):
            found.append("earlier programs leave it empty")
        checked = set(re.findall(r"\w+", definition.partition("CHECK")[2])) - {name}
        if checked & self._earlier[table]:
            found.append("earlier programs do not know what the columns must agree in")
        return found

    def _against_trigger(self, table: str, body: str) -> list[str]:
        if table not in self._earlier:
            return []
        found = ["earlier programs do not know what is refused"] if "RAISE" in body else []
        if set(_WRITES.findall(body.partition("BEGIN")[2])) & self._earlier.keys():
            found.append("it changes rows that earlier programs change by themselves")
        return found
