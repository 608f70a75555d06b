"""The registry of what is started or imported by its name is complete,
and nothing else does either.
"""

import ast
import re
from pathlib import Path

import click
import pytest

from svc.base.processes import entry_points
from svc.base.processes.entry_points import ROOT, SPEAKING, Process
from svc.cli import commands
from tests.test_layers import BENEATH, SOURCES, name_of, nodes_of, sources_of

REGISTRY = ROOT / "svc" / "base" / "processes" / "entry_points.py"
NAMED = [
    *Process,
    SPEAKING,
    *(
        each.removeprefix("python:").removesuffix(f".{last}")
        for each, last in (
            (entry_points.GUNICORN_CONFIG, "-"),
            (entry_points.GUNICORN_WORKER, "Worker"),
            (entry_points.GUNICORN_LOGGER, "Logger"),
        )
    ),
]
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in SOURCES}
OTHERS = {"pip", "shiv", "gunicorn"}  # programs of others, that are run by their names


def test_each_named_module_exists():
    assert [name for name in NAMED if name not in MODULES] == []


def test_each_command_is_where_its_table_says():
    for place, _ in commands._COMMANDS.values():
        assert isinstance(entry_points.load_command(place), click.Command), place


def test_every_module_that_can_be_run_is_a_named_process():
    run = {
        name
        for name, path in MODULES.items()
        if '__name__ == "__main__"' in path.read_text("utf-8")
    }
    assert run - {"app"} == set(Process)


# what stands in a source that starts or imports something by its name: most need not be parsed
MENTIONED = re.compile(r"importlib|__import__|runpy|\bexec\b|\beval\b|-m\b|[\"'](python:)?svc\.")


def starts(path: Path) -> list[str]:
    """What a module starts or imports by a name in a string of its own."""
    if not MENTIONED.search(path.read_text("utf-8")):
        return []
    nodes = nodes_of(path)
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = []
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if "importlib" in (*names, getattr(node, "module", None)):
                found += [name for name in names if name in ("importlib", "import_module", "util")]
        if isinstance(node, ast.Name) and node.id in ("__import__", "runpy", "exec", "eval"):
            found.append(node.id)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            found += names_in(node.value)
    return found


def names_in(text: str) -> list[str]:
    """The modules of ours that a string names, unless it is the name of a logger or says so
    within a sentence.
    """
    found = [text] if text == "-m" else re.findall(r"-m (\w+)", text)
    name = text.removeprefix("python:")
    if re.fullmatch(r"svc(\.\w+)+", name) and (
        name in MODULES or name.rpartition(".")[0] in MODULES
    ):
        found.append(text)
    return [each for each in found if each not in OTHERS]


ALLOWED = {
    "svc/cli/installation/bundle.py": ["-m"],  # pip and shiv, by their names
    "svc/cli/records/voice.py": ["-m"],  # pip
    # what the registry names, where `-m` cannot find it
    "svc/media/speech/trained/start.py": ["import_module"],
}


def test_no_other_module_starts_or_imports_one_by_its_name():
    started = {name_of(path): starts(path) for path in SOURCES if path != REGISTRY}
    assert {path: names for path, names in started.items() if names} == ALLOWED


@pytest.mark.parametrize(
    "source",
    [
        "from importlib import import_module",
        "import importlib",
        "run = ['-m', name]",
        "name = 'svc.media.video.render'",
        "run = f'{python} -m svc.media.video.render'",
        "worker = 'svc.serving.worker.Worker'",
        "config = 'python:svc.serving.gunicorn_config'",
        "module = __import__(name)",
    ],
)
def test_a_name_elsewhere_is_seen(tmp_path, source):
    (tmp_path / "module.py").write_text(source)
    assert starts(tmp_path / "module.py")


@pytest.mark.parametrize("name", sorted(BENEATH))
def test_what_is_started_is_of_a_layer_beneath(name):
    nodes = [
        node
        for path in sources_of(name)
        if path != REGISTRY and "Process." in path.read_text("utf-8")
        for node in nodes_of(path)
    ]
    named = {
        (ast.unparse(node.value).rpartition(".")[2], node.attr)
        for node in nodes
        if isinstance(node, ast.Attribute)
    }
    modules = [
        Process[part] for of, part in named if of == "Process" and part in Process.__members__
    ]
    assert {module.split(".")[1] for module in modules} - {name} <= BENEATH[name]
