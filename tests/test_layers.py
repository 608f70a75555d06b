"""The layers of docs/architecture.md: imports point down, frameworks stay where they belong, nothing is imported on the sly."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("*.py"), *(ROOT / "svc").rglob("*.py")], key=str)
BENEATH = {
    "base": set(),
    "store": {"base"},
    "adapters": {"base"},
    "media": {"base"},
    "platforms": {"base", "adapters"},
    "domain": {"base", "store"},
    "work": {"base", "store", "adapters", "media", "platforms", "domain"},
    "api": {"base", "domain"},
    "console": {"base", "domain"},
    "public": {"base", "domain"},
    "serving": {"base", "domain"},
    "cli": {"base", "domain", "store", "work", "media", "serving"},
    "deploy": set(),  # files that are printed, no programs
}
KEPT_TO = {  # a library, and where alone it may be imported; "" is the top level
    "flask": {"api", "console", "public", ""},
    "flask_smorest": {"api", "console", ""},
    "marshmallow": {"api", "console", ""},
    "webargs": {"api", "console", ""},
    "peewee": {"store"},
    "prometheus_client": {"api"},
    "obstore": {"adapters"},
    "pyrage": {"base"},
    "av": {"media"},
    "PIL": {"media"},
    "numpy": {"media"},
    "docx": {"media"},
    "typst": {"media"},
    "pypdf": {"media"},
    "srt": {"media"},
    "webvtt": {"media"},
    "c2pa": {"media"},
    "cryptography": {"media"},
    "espeakng_loader": {"media"},
}
REQUIREMENTS = {f"requirements{whose}.{kind}" for whose in ("", "-test") for kind in ("txt", "lock")}
SQL = re.compile(
    r"\bSELECT\s|\bINSERT\s+(?:OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\w+\s+SET\b|\bDELETE\s+FROM\b|\b(?:CREATE|ALTER|DROP)\s+\w+\s"
    r"|\b(?:PRAGMA|VACUUM|SAVEPOINT|ROLLBACK|COMMIT|BEGIN IMMEDIATE)\b|\bWITH\s+\w+\s+AS\s"
)
TOP_LEVEL = {"app.py", "wsgi.py", "schema.sql", *REQUIREMENTS, "README.md", "LICENSE", "docs", "svc", "tests"}
MADE_BY_RUNNING = {"data", "demo-data", "venv", "node_modules", "__pycache__"}  # as .gitignore has them


def layer(path: Path) -> str:
    """The layer of a source file: the folder under ``svc``; empty at the top level."""
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "svc" and len(parts) > 2 else ""


def imported(path: Path) -> set[str]:
    """The dotted names of all modules that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names |= {f"{node.module}.{each.name}" for each in node.names}
    return names


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [each for each in SOURCES if layer(each)], ids=name_of)
def test_imports_point_down(path):
    mine = layer(path)
    reached = {name.split(".")[1] for name in imported(path) if name.startswith("svc.")}
    assert reached - {mine} <= BENEATH[mine]
    assert not imported(path) & {"app", "wsgi"}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_frameworks_stay_where_they_belong(path):
    libraries = {name.split(".")[0] for name in imported(path)}
    misplaced = {library for library in libraries & KEPT_TO.keys() if layer(path) not in KEPT_TO[library]}
    assert misplaced == set()


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nothing_is_imported_inside_a_function(path):
    functions = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    hidden = [node.lineno for each in functions for node in ast.walk(each) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert hidden == []


@pytest.mark.parametrize("path", [each for each in SOURCES if each.stat().st_size], ids=name_of)
def test_a_module_opens_with_one_sentence(path):
    assert (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n")[0].endswith((".", ":"))


def sql_in(source: str) -> list[str]:
    """The strings of a module that look like SQL, but for docstrings."""
    nodes = list(ast.walk(ast.parse(source)))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose]
    return [node.value for node in texts if SQL.search(node.value)]


@pytest.mark.parametrize("path", [each for each in SOURCES if layer(each) == "work"], ids=name_of)
def test_there_is_no_sql_in_the_work(path):
    assert sql_in(path.read_text("utf-8")) == []


@pytest.mark.parametrize("text", [
    "SELECT 1", "\n  WITH found AS (SELECT 1) SELECT * FROM found", "INSERT INTO meta VALUES (1)", "UPDATE meta SET value = 1",
    "DELETE FROM meta", "PRAGMA data_version", "BEGIN IMMEDIATE", "x = 1 AND status IN (SELECT value FROM y)",
])  # fmt: skip
def test_sql_in_the_work_is_seen(text):
    assert sql_in(f"sql = {text!r}") and sql_in(f"sql = f{'{x} ' + text!r}") and not sql_in(f"def f():\n    {text!r}")


def test_every_folder_is_a_layer():
    assert {each.name for each in (ROOT / "svc").iterdir() if each.is_dir()} - {"__pycache__"} == BENEATH.keys()
    assert (ROOT / "svc" / "__init__.py").read_text() == ""


def test_the_top_level_holds_what_the_design_says_and_nothing_else():
    there = {each.name for each in ROOT.iterdir() if not each.name.startswith(".")}
    assert there - MADE_BY_RUNNING == TOP_LEVEL


@pytest.mark.slow
def test_the_command_line_starts_without_the_media_libraries():
    """Reached by imports alone: the media steps run in children, and the serving process stays small."""
    reached, waiting = set(), [ROOT / "svc" / "application.py", *(ROOT / "svc" / "cli").rglob("*.py")]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for name in imported(path):
            waiting += [file for file in files_of(name) if file.exists()]
    assert ROOT / "svc" / "media" / "model.py" in reached
    heavy = {"av", "PIL", "numpy", "docx", "typst", "pypdf", "c2pa", "cryptography"}
    assert not {name.split(".")[0] for each in reached for name in imported(each)} & heavy


def files_of(name: str) -> list[Path]:
    """The files that importing ``svc.a.b`` may run: its own, or its parent's where the last part is a name within."""
    parts = name.split(".")
    if parts[0] != "svc":
        return []
    stems = [ROOT.joinpath(*parts), ROOT.joinpath(*parts[:-1])]
    return [file for stem in stems for file in (stem.with_suffix(".py"), stem / "__init__.py")]
