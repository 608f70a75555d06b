"""What the SDKs take from the OpenAPI document is as it is today,
and they reach every operation.
"""

import ast
import re
import sys

import pytest
from partner_production import API_VERSION, Client, models
from partner_production._sync.accounts import Places

from sdk import generate
from tests.support.documents import require_names

# Operations without a method of their own, and what does the same.
ELSEWHERE = {
    "list_partner_accounts": "list_accounts",
    "get_partner_account": "get_account",
    "get_production_of_account": "get_production",
    "list_deliverables_of_account": "list_deliverables",
    "download": "the address is sasUrl",
}
METHODS = {"get", "put", "post", "patch", "delete"}


def shape(path: str) -> str:
    """A path without the names of its identifiers."""
    return re.sub(r"\{\w+\}", "{}", path)


def operations(document: dict) -> set[tuple[str, str]]:
    """Every operation that an SDK must reach: method and shape of the path."""
    return {
        (method.upper(), shape(path))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method in METHODS and operation["operationId"] not in ELSEWHERE
    }


def require_operations(folder: str, reached: set[tuple[str, str]], document: dict) -> None:
    """Require that an SDK calls each operation by a method, and no other."""
    require_names(
        f"methods in {folder} (or ELSEWHERE in tests/sdk/test_generated_files.py)",
        map(" ".join, reached),
        map(" ".join, operations(document)),
    )


def reached_by_python() -> set[tuple[str, str]]:
    """The method and path of every call in the asynchronous half."""
    sources = [path.read_text("utf-8") for path in (generate.PYTHON / "_async").glob("*.py")]
    found = set()
    for node in (node for source in sources for node in ast.walk(ast.parse(source))):
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", "") == "Call"
            and isinstance(node.args[0], ast.Constant)
        ):
            address = node.args[1]
            if isinstance(address, ast.Name):  # made in the line before
                continue
            [text] = [
                each
                for each in [address, *getattr(address, "args", [])]
                if isinstance(each, ast.Constant)
            ] or [None]
            if text is not None:
                found.add((node.args[0].value, shape(text.value)))
    made_before = re.findall(r'address = path\(\s*"([^"]+)"', "".join(sources))
    for method, after in re.findall(
        r'(?:Call\(\s*"(\w+)",\s+)?path\(\s*_TEMPLATE(?: \+ "([^"]+)")?', "".join(sources)
    ):
        found.add((method or "POST", shape("/v1/accounts/{account}/templates/{template}" + after)))
    return found | {("POST", shape(each)) for each in made_before}


def test_generated_files_are_those_of_the_document(document):
    """Without the tools that write them: by the digests that were written with them."""
    assert generate.digests(document) == generate.DIGESTS.read_text("utf-8"), (
        'run sdk/generate.py (docs/contributing.md, "Change the clients")'
    )


def test_the_operations_of_agents_are_those_of_the_document(document):
    assert generate.OPERATIONS.read_text("utf-8") == generate.operations(document), (
        'run sdk/generate.py (docs/contributing.md, "Change the clients")'
    )


@pytest.mark.slow
@pytest.mark.contract
def test_the_tools_write_the_generated_files_as_they_are(document, npm_folder):
    program = str(npm_folder / "node_modules" / ".bin" / "openapi-typescript")
    made = generate.generated(document, [program])
    assert len(made) > 8
    changed = [str(path) for path, text in made.items() if path.read_text("utf-8") != text]
    assert changed == []


def test_the_models_have_each_field_of_the_document(document):
    schemas = document["components"]["schemas"]
    require_names(
        "classes in models.py of the Python SDK, by sdk/generate.py",
        schemas.keys() & {*vars(models)},
        schemas,
    )
    for name, schema in schemas.items():
        model = getattr(models, name)
        require_names(
            f"{name} in models.py of the Python SDK, by sdk/generate.py",
            model.__annotations__,
            schema["properties"],
        )
        assert [*model.__annotations__] == [*schema["properties"]], name
        required = {key for key in model.__annotations__ if key in schema.get("required", ())}
        optional = {
            key for key, kind in model.__annotations__.items() if "NotRequired[" in str(kind)
        }
        assert required | optional == model.__annotations__.keys(), name
        assert not required & optional, name


def test_the_synchronous_half_has_no_module_that_the_asynchronous_one_has_not():
    halves = [
        {path.name for path in (generate.PYTHON / half).glob("*.py")}
        for half in ("_async", "_sync")
    ]
    assert halves[0] == halves[1]


def test_nothing_asynchronous_is_left_in_the_synchronous_half():
    for path in (generate.PYTHON / "_sync").glob("*.py"):
        assert not re.search(r"async|await|anyio", path.read_text("utf-8").split("\n", 3)[3]), (
            path.name
        )


def test_the_python_sdk_reaches_every_operation(document):
    require_operations("sdk/python/src/partner_production/_async", reached_by_python(), document)


def list_filters(document: dict) -> dict[str, set[str]]:
    """Return the query parameters of each operation, by the shape of its path, without those
    that every list has.
    """
    return {
        shape(path): {
            each["name"]
            for each in methods["get"].get("parameters", ())
            if each.get("in") == "query"
        }
        - {"limit", "cursor"}
        for path, methods in document["paths"].items()
        if "get" in methods and methods["get"]["operationId"] not in ELSEWHERE
    }


def list_sent_by_python() -> dict[str, set[str]]:
    """Return the texts in each method that gets something, by the shape of its path."""
    sent = {}
    for file in (generate.PYTHON / "_async").glob("*.py"):
        for method in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                texts = {
                    each.value
                    for each in ast.walk(method)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
                sent |= {
                    shape(text): sent.get(shape(text), set()) | texts
                    for text in texts
                    if text.startswith("/v1/")
                }
    return sent


def list_sent_by_typescript() -> dict[str, set[str]]:
    """Return the words in each method that gets something, by the shape of its path."""
    sent = {}
    for file in (generate.HERE / "typescript" / "src").glob("*.js"):
        for method in re.split(r"^  }$", file.read_text("utf-8"), flags=re.MULTILINE):
            for text in re.findall(r"[\"`](/v1/[^\"`]+)", method):
                address = shape(text.replace("${", "{"))
                sent[address] = sent.get(address, set()) | set(re.findall(r"\w+", method))
    return sent


@pytest.mark.parametrize(
    ("folder", "list_sent"),
    [
        ("sdk/python/src/partner_production/_async", list_sent_by_python),
        ("sdk/typescript/src", list_sent_by_typescript),
    ],
)
def test_both_sdks_send_every_filter(document, folder, list_sent):
    sent, filters = list_sent(), list_filters(document)
    assert sum(map(len, filters.values())) > 10
    for address, names in filters.items():
        known = names & sent.get(address, set())
        require_names(f"{folder}, the method that gets {address}, its filters", known, names)


def test_every_operation_that_is_left_out_exists(document):
    known = {
        each["operationId"]
        for methods in document["paths"].values()
        for each in methods.values()
        if "operationId" in each
    }
    assert ELSEWHERE.keys() <= known


def test_the_python_sdk_imports_nothing_of_the_service():
    for path in generate.PYTHON.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            tops = {name.partition(".")[0] for name in names}
            assert tops <= {"httpx", "anyio", "partner_production", *sys.stdlib_module_names}, path


@pytest.mark.parametrize("name", ["python", "typescript"])
def test_the_readme_of_an_sdk_names_the_version_that_it_was_made_for(document, name):
    told = (generate.HERE / name / "README.md").read_text("utf-8")
    assert document["info"]["x-apiVersion"] == API_VERSION
    assert API_VERSION in told


def test_the_readme_of_the_python_sdk_names_every_method_and_no_other():
    table = (
        (generate.HERE / "python" / "README.md")
        .read_text("utf-8")
        .partition("| of the client |")[2]
        .partition("##")[0]
    )
    told = set(re.findall(r"`(\w+)(?:\(|`)", table))
    with Client("https://media.example.com", "key") as client:
        parts = {name: part for name, part in vars(client).items() if not name.startswith("_")}
        places = {name for name in vars(Places) if not name.startswith("_")}
    methods = {
        name for part in parts.values() for name in vars(type(part)) if not name.startswith("_")
    }
    existing = parts.keys() | methods | places | {"request"}
    require_names("sdk/python/README.md, the table of the client", told, existing)
