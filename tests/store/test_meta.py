"""The table of single values that all processes share."""

import ast
import re
from pathlib import Path

import pytest

from svc.store import meta
from svc.store.database import db

ROOT = Path(__file__).parents[2]
# Where a value is part of a larger statement, or where the database is not open yet; each says so.
OTHERS = {
    "svc/store/engine/schema.py",
    "svc/store/postgres/schema.py",
    "svc/store/engine/invalidation.py",
    "svc/domain/partners/disk_quota.py",
    "svc/domain/monitoring/backlog.py",
    "svc/domain/lifecycle/render_queue.py",
    "svc/store/sqlite/commit_mark.py",
    "svc/store/copying/postgres_side.py",  # of a database that is not the open one
}
pytestmark = pytest.mark.usefixtures("app")  # every test has a database of its own
_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|ON) meta\b")


def test_a_value_is_what_was_put_last():
    assert meta.read_text("backup") is None and meta.read_number("backup") is None
    for value in (1, 2):
        with db.transaction():
            meta.put("backup", value)
    assert meta.read_text("backup") == "2" and meta.read_number("backup") == 2


def test_a_value_that_somebody_else_has_set_meanwhile_is_not_exchanged():
    with db.transaction():
        assert meta.exchange("estimate_error", None, 0.5)
        assert not meta.exchange("estimate_error", None, 0.7)
        assert not meta.exchange("estimate_error", "0.4", 0.7)
        assert meta.exchange("estimate_error", "0.5", 0.6)
    assert meta.read_text("estimate_error") == "0.6"


def test_several_values_are_read_at_once_without_those_that_are_not_there():
    with db.transaction():
        meta.put("queue_turn", 1.5)
    assert meta.read_texts("queue_paused", "queue_turn") == {"queue_turn": "1.5"}


def test_a_value_that_was_removed_is_not_there():
    with db.transaction():
        meta.put("queue_paused", 1)
        meta.remove("queue_paused")
        meta.remove("queue_paused")
    assert meta.read_text("queue_paused") is None


def test_another_connection_reads_and_writes_the_same_values():
    with db.separate_connection() as connection:
        meta.put_by(connection, "probe", 5)
        assert meta.read_texts_by(connection)["probe"] == "5"
    assert meta.read_number("probe") == 5


def test_nothing_is_put_outside_a_transaction():
    with pytest.raises(RuntimeError, match="inside a transaction"):
        meta.put("backup", 1)


def names_the_table(node: ast.AST) -> bool:
    """Return whether a node of a module's source is SQL on the table,
    or the import of its model.
    """
    if isinstance(node, ast.ImportFrom):
        return "NamedValue" in {each.name for each in node.names}
    return isinstance(node, ast.Constant) and bool(_TABLE.search(str(node.value)))


@pytest.mark.slow
def test_the_table_is_named_in_one_module_but_for_larger_statements():
    naming = set()
    for path in (ROOT / "svc").rglob("*.py"):
        if any(map(names_the_table, ast.walk(ast.parse(path.read_text("utf-8"))))):
            naming.add(str(path.relative_to(ROOT)))
    assert naming == OTHERS | {"svc/store/meta.py"}
