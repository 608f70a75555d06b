"""SQL outside of ``svc/store`` is written once, for SQLite and PostgreSQL."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("domain", "work", "api", "console", "public", "cli")
# Words that only SQLite understands, and bare forms of what both can say.
OF_SQLITE = re.compile(
    r"""
      \bINSERT\s+OR\b | \bREPLACE\s+INTO\b | \bINDEXED\s+BY\b | \bPRAGMA\b
    | \bsqlite_master\b | \bCOLLATE\b | \bGLOB\b
    | \b(randomblob|zeroblob|hex|unhex|iif|ifnull|printf|typeof|unixepoch
        |strftime|julianday|group_concat|total
        |json_extract|json_set|json_group_object|last_insert_rowid|char)\s?\((?!\))
    | \bIS\s+(NOT\s+)?([?:]|(?!(NOT|NULL|DISTINCT|TRUE|FALSE)\b)[a-z_.]+\b)
        # IS [NOT] DISTINCT FROM
    | \bON\s+CONFLICT\s+DO\s+UPDATE\b  # PostgreSQL wants the columns
    | \bDO\ UPDATE\s+SET\b.*?\b(?P<column>\w+)\ =\ (coalesce\()?(?P=column)\b
        # ambiguous: say which table's
    | \bFROM\s+\((?:[^()]|\([^()]*\))*\)\s*($|GROUP|ORDER|WHERE|LIMIT)  # a subquery without a name
    | \bLIMIT\s+-
    """,
    re.VERBOSE | re.DOTALL,
)
SQL = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|WITH|ON CONFLICT|WHERE|ORDER BY|CASE|SET|INDEXED|PRAGMA|AND)\b"
)


def texts(source: str) -> list[str]:
    """Return the SQL of a module: its string literals without docstrings;
    what an f-string inserts becomes ``x``.
    """
    if not SQL.search(source):
        return []  # as of most modules, which need not be parsed
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    found = []
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            found.append(
                "".join(
                    part.value if isinstance(part, ast.Constant) else "x" for part in node.values
                )
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings | parts
        ):
            found.append(node.value)
    return [text for text in found if SQL.search(text)]


def test_no_statement_outside_of_the_store_is_of_sqlite_alone():
    paths = [path for folder in FOLDERS for path in sorted((ROOT / "svc" / folder).rglob("*.py"))]
    statements = [(path.name, text) for path in paths for text in texts(path.read_text("utf-8"))]
    assert len(statements) > 1
    assert [(name, text) for name, text in statements if OF_SQLITE.search(text)] == []


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        "SELECT * FROM a INDEXED BY b WHERE c",
        "SELECT * FROM a WHERE b IS :c",
        "SELECT * FROM a WHERE b IS NOT b.d",
        "UPDATE a SET b = iif(c, 1, 2)",
        "SELECT count(*) FROM (SELECT 1 FROM a LIMIT 5)",
        "INSERT INTO a (b, c) VALUES (?, ?) ON CONFLICT (b) DO UPDATE SET c = c + excluded.c",
        "PRAGMA page_count",
        "INSERT INTO a VALUES (1) ON CONFLICT DO UPDATE SET b = 1",
        "UPDATE a SET b = lower(hex(randomblob(16)))",
    ],
)
def test_a_word_of_sqlite_is_seen(statement):
    assert OF_SQLITE.search(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM a WHERE b IS NULL AND c IS NOT NULL AND d IS NOT DISTINCT FROM :e",
        "SELECT count(*) FROM (SELECT 1 FROM a LIMIT 5) AS newest WHERE TRUE",
        "INSERT INTO a (b, c) VALUES (?, ?) ON CONFLICT (b) DO UPDATE SET c = a.c + excluded.c",
    ],
)
def test_what_both_databases_say_is_let_pass(statement):
    assert not OF_SQLITE.search(statement)


WITHOUT_COLUMNS = re.compile(
    r"\bINSERT\s+(?:OR\s+\w+\s+)?INTO\s+[\w.]+\s+(?:AS\s+\w+\s+)?(?!AS\b|\s|\()"
)


def test_every_insert_names_its_columns():
    """Otherwise a column that a newer release adds would break the programs of this one,
    which go on working.
    """
    sources = [
        (path.name, path.read_text("utf-8")) for path in sorted((ROOT / "svc").rglob("*.py"))
    ]
    modules = [
        (name, text) for name, source in sources if "INSERT" in source for text in texts(source)
    ]
    scripts = [ROOT / "schema.sql", *sorted((ROOT / "svc").rglob("*.sql"))]
    statements = [*modules, *((path.name, path.read_text("utf-8")) for path in scripts)]
    assert sum("INSERT" in text for _, text in statements) > 20
    assert [(name, text) for name, text in statements if WITHOUT_COLUMNS.search(text)] == []


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO a VALUES (1)",
        "INSERT OR IGNORE INTO a\n SELECT * FROM b",
        "INSERT INTO service.a AS b VALUES (1)",
    ],
)
def test_an_insert_without_columns_is_seen(statement):
    assert WITHOUT_COLUMNS.search(statement)


@pytest.mark.parametrize(
    "statement", ["INSERT INTO a (b) VALUES (1)", "INSERT INTO a AS c\n (b) SELECT 1"]
)
def test_an_insert_with_columns_is_let_pass(statement):
    assert not WITHOUT_COLUMNS.search(statement)


BEGINNING = re.compile(r"\s*(SELECT|INSERT INTO|UPDATE(?! (OF|ON)\b)|DELETE FROM|WITH)\b\s*\S")
# What a statement reads or changes, unless that is the database's own catalog or pragma.
OF_TABLES = re.compile(
    r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?!pg_|sqlite_|pragma_|current_|clock_|\()[\w.{\"]"
)
LISTED = re.compile(r"^\| `(svc/\S+)` \| `([^`]+)` \|", re.MULTILINE)


def statements() -> set[tuple[str, str]]:
    """Every statement on rows that stands as SQL in a string: its module and its text."""
    sources = {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for path in (ROOT / "svc").rglob("*.py")
    }
    listed = [
        (name, text)
        for name, source in sources.items()
        for text in texts(source)
        if BEGINNING.match(text)
    ]
    assert len(listed) > 30  # those of catalogs, locks and settings among them
    return {(name, " ".join(text.split())) for name, text in listed if OF_TABLES.search(text)}


def test_the_statements_that_peewee_does_not_write_are_those_of_the_list_and_fifteen_at_most():
    section = (
        (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("<!-- statements -->")[2]
    )
    listed = LISTED.findall(section.partition("<!-- /statements -->")[0])
    assert statements() == set(listed)
    assert len(listed) <= 15


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 FROM accounts",
        "UPDATE a SET b = 1",
        "DELETE FROM x",
        "INSERT INTO meta (name) VALUES (1)",
        "WITH a AS (SELECT 1 FROM b) SELECT 1 FROM a",
        "SELECT 1 FROM pg_class JOIN meta ON TRUE",
    ],
)
def test_a_statement_on_rows_is_seen(statement):
    assert BEGINNING.match(statement) and OF_TABLES.search(statement)


@pytest.mark.parametrize(
    "statement", ["SELECT pg_advisory_lock(1)", "SELECT name FROM pragma_table_info(?)"]
)
def test_what_a_database_is_asked_about_itself_is_let_pass(statement):
    assert BEGINNING.match(statement) and not OF_TABLES.search(statement)


def test_no_statement_of_ours_asks_for_all_columns():
    """A process of an earlier release would fail on a table with a column more: "cached plan must
    not change result type". Prepared queries are looked at in test_prepared.py.
    """
    asks = re.compile(r"\b(SELECT|DISTINCT|RETURNING)\s+(\w+\.)?\*|^(\w+\.)?\*$", re.IGNORECASE)
    sources = [*sorted((ROOT / "svc").rglob("*.py")), ROOT / "app.py"]
    statements = [(path.name, text) for path in sources for text in texts(path.read_text("utf-8"))]
    statements += [
        (path.name, path.read_text("utf-8")) for path in sorted((ROOT / "svc").rglob("*.sql"))
    ]
    assert len(statements) > 20
    assert [(name, text) for name, text in statements if asks.search(text)] == []
