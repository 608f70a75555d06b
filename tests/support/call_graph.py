"""Which functions of svc a function may call, directly or through others, read from the source.

Each reference counts as a call, so that callbacks are followed too. Methods are found by what names
their class: ``self``, the annotation of a parameter or of a field, or a constant's module.
"""

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
# those that know the database, and those in which people act; the others are not followed
PACKAGES = ("api", "cli", "console", "domain", "public", "store", "work")
TRANSACTION = "svc.store.database.db.transaction"


@functools.cache
def _modules() -> dict[str, ast.Module]:
    paths = sorted(path for name in PACKAGES for path in (ROOT / "svc" / name).rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return {
        name.removesuffix(".__init__"): ast.parse(path.read_text("utf-8"))
        for name, path in zip(names, paths, strict=True)
    }


@functools.cache
def _functions() -> dict[str, tuple[str, ast.FunctionDef]]:
    """Every function and method by its full name, with its module."""
    found = {}
    for module, tree in _modules().items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                found[f"{module}.{node.name}"] = (module, node)
            elif isinstance(node, ast.ClassDef):
                for each in node.body:
                    if isinstance(each, ast.FunctionDef):
                        found[f"{module}.{node.name}.{each.name}"] = (module, each)
    return found


def all_functions() -> list[str]:
    """The full names of every function and method of svc."""
    return list(_functions())


@functools.cache
def _methods() -> dict[str, dict[str, list[str]]]:
    """The full names of methods, by the name of their class or the module, and their own."""
    found: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    for full, (module, _) in _functions().items():
        *_, kind, name = full.split(".")
        if f"{module}.{name}" != full:
            for whose in (kind, module):
                found[whose].setdefault(name, []).append(full)
    return dict(found)


@functools.cache
def _fields() -> dict[str, set[str]]:
    """The names of the classes that fields of classes have, by the field's name."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for tree in _modules().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[node.target.id] |= _classes_in(node.annotation)
    return dict(found)


def _classes_in(annotation: ast.expr | None) -> set[str]:
    nodes = ast.walk(annotation) if annotation is not None else ()
    names = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
    }
    return names & _methods().keys()


@functools.cache
def _imports(module: str) -> dict[str, str]:
    """What a name in a module was imported as, within functions too."""
    found = {}
    for node in ast.walk(_modules()[module]):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.asname or each.name: each.name for each in node.names}
    return found


@functools.cache
def calls_of(name: str) -> frozenset[str]:
    """The full names of what a function refers to: functions of svc, and what it imports."""
    module, function = _functions()[name]
    scope = _Scope(module, function)
    return frozenset(each for node in ast.walk(function) for each in scope.named_by(node))


class _Scope:
    """What the names in a function stand for."""

    def __init__(self, module: str, function: ast.FunctionDef):
        self.module, self.imports = module, _imports(module)
        arguments = (each for each in ast.walk(function.args) if isinstance(each, ast.arg))
        self.kinds = {each.arg: _classes_in(each.annotation) for each in arguments}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                for target, value in _pairs(node.targets[0], node.value):
                    if isinstance(target, ast.Name):
                        self.kinds[target.id] = self.kinds_of(value)

    def named_by(self, node: ast.AST) -> Iterator[str]:
        """Yield the full names of what a name or an attribute may stand for."""
        if isinstance(node, ast.Name):
            yield self.imports.get(node.id, f"{self.module}.{node.id}")
        elif isinstance(node, ast.Attribute):
            target = self.imports.get(node.value.id) if isinstance(node.value, ast.Name) else None
            if target:
                yield f"{target}.{node.attr}"
            for kind in self.kinds_of(node.value):
                yield from _methods().get(kind, {}).get(node.attr, ())

    def kinds_of(self, node: ast.expr) -> set[str]:
        """Return the classes, or the modules of classes, of which an expression may be."""
        match node:
            case ast.Name(id="self" | "cls"):
                return {self.module}
            case ast.Name():
                target = self.imports.get(node.id, "")
                return self.kinds.get(node.id, set()) | {target.rpartition(".")[0]}
            case ast.Attribute():
                target = self.imports.get(getattr(node.value, "id", ""), "")
                return _fields().get(node.attr, set()) | {target}
            case ast.Call():
                called = list(self.named_by(node.func))
                known = [_functions()[each][1].returns for each in called if each in _functions()]
                made = {each.rpartition(".")[2] for each in called} & _methods().keys()
                return made.union(*map(_classes_in, known))
        return set()


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return what each target of an assignment is assigned."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


@functools.cache
def reached_from(name: str, but: frozenset[str] = frozenset()) -> frozenset[str]:
    """The full names of all that a function may call, directly or through others. ``but``: what is
    not followed."""
    reached, waiting = {name}, [name]
    while waiting:
        current = waiting.pop()
        if current in _functions() and current not in but:
            new = calls_of(current) - reached
            reached |= new
            waiting += new
    return frozenset(reached)


def entries_from(name: str, layers: tuple[str, ...]) -> set[str]:
    """The full names of the functions of other packages that a function calls, itself or through
    others of ``layers``; and of the functions of ``layers`` that begin a transaction."""
    inside, entries, waiting = {name}, set(), [name]
    while waiting:
        current = waiting.pop()
        for each in calls_of(current) - inside:
            if each in _functions() and each.startswith(layers):
                inside.add(each)
                waiting.append(each)
            elif each in _functions():
                entries.add(each)
            elif each == TRANSACTION:
                entries.add(current)
    return entries


def name_of(function: object) -> str:
    """The full name of a function, or of what decorators have wrapped."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return f"{function.__module__}.{function.__qualname__}"
