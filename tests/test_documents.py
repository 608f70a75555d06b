"""The documents are true: their commands, calls, layout, paths and links,
and the citations that lead to them.
"""

import ast
import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest
from support.cast import body

from svc.cli import commands
from svc.cli.demo import receiver
from svc.domain.webhooks import event_types
from svc.platforms import PLACES
from tests.support.documents import (
    ALL,
    EXPLAINING,
    PROMISING,
    ROOT,
    blocks,
    read,
    require_names,
    shell,
)
from tests.test_layers import BENEATH, PACKAGES

_OWN_TEST = "docs/reference.md"  # whose calls tests/test_reference.py makes
_SHELL = shell(*(name for name in PROMISING if name != _OWN_TEST))
CALLS = [
    each
    for each in re.findall(r"^curl (?:[^'\n]|'[^']*')*", _SHELL, re.MULTILINE)
    if "$BASE" in each
]
SOURCES = [*ROOT.glob("*.py"), ROOT / "schema.sql", *(ROOT / "svc").rglob("*.py")]
TESTS = [*(ROOT / "tests").rglob("*.py")]
_OTHERS = ("C2PA", "Standard Webhooks")  # specifications that are not ours


def prose(name: str) -> str:
    """A document without its code blocks, and without what says that it is not there yet."""
    return re.sub(r"^```\w*\n.*?^```$", "", read(name), flags=re.DOTALL | re.MULTILINE)


def test_every_document_promises_or_explains():
    assert sorted(ALL) == sorted([*PROMISING, *EXPLAINING])


@pytest.mark.parametrize("name", ALL)
def test_every_path_that_a_document_names_exists(name):
    named = set(re.findall(r"`((?:svc|tests|docs)/[\w./-]*)`", prose(name)))
    named |= {f".ci/{each}" for each in re.findall(r"`\.ci/([\w.-]+)", prose(name))}
    assert sorted(each for each in named if not (ROOT / each).exists()) == []


def test_there_are_paths_to_look_for():
    named = {each for name in ALL for each in re.findall(r"`(svc/[\w./-]+)`", prose(name))}
    assert named


@pytest.mark.parametrize("name", ALL)
def test_every_relative_link_of_a_document_leads_somewhere(name):
    links = [
        each
        for each in re.findall(r"\]\(([^)\s]+)\)", prose(name))
        if not re.match(r"[a-z]+:", each)
    ]
    places = [urlsplit(each) for each in links]
    assert [each.path for each in places if not ((ROOT / name).parent / each.path).exists()] == []


def test_the_pictures_are_there():
    pictures = [
        (ROOT / name).parent / each
        for name in ALL
        for each in re.findall(r"^!\[[^]]+\]\(([^)]+)\)", read(name), re.MULTILINE)
    ]
    assert pictures
    for each in pictures:
        assert each.read_bytes().startswith(b"\x89PNG")
        assert each.stat().st_size < 300_000


@pytest.fixture
def names(partner) -> dict[str, str]:
    """What ``demo.env`` holds, and a production, for the calls of the documents."""
    seeded = partner.seeded
    production = body(partner.trigger())["productionId"]
    return {
        "BASE": "http://localhost",
        "KEY": partner.key,
        "ACCOUNT": partner.account,
        "PRODUCTION": production,
        "LANGUAGE_ID": seeded["languageId"],
        "COUNTRY_ID": seeded["countryId"],
        "AVATAR_ID": seeded["avatarId"],
    }


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_call_works_as_it_stands(app, names, number, monkeypatch):
    monkeypatch.setattr(
        "svc.adapters.addresses.socket.getaddrinfo",
        lambda *_, **__: [(0, 0, 0, "", ("93.184.215.14", 443))],
    )
    words = shlex.split(
        re.sub(r"\$(\w+)", lambda found: names[found[1]], CALLS[number]), comments=True
    )
    given = {flag: [] for flag in ("-H", "-d", "-X")}
    while len(words) > 2:
        flag, value = words[1:3]
        given[flag].append(value)
        del words[1:3]
    path = urlsplit(words[1]).path
    headers = dict(each.split(": ", 1) for each in given["-H"])
    method = given["-X"][0] if given["-X"] else "POST" if given["-d"] else "GET"
    answer = app.test_client().open(path, method=method, headers=headers, data="".join(given["-d"]))
    assert answer.status_code in (200, 201, 202), body(answer)
    assert json.loads(answer.get_data())


def test_there_are_calls_to_try():
    assert CALLS


def test_the_commands_exist():
    named = {each for name in ALL for each in re.findall(r"python app\.py ([\w-]+)", read(name))}
    assert named and named <= set(commands.main.commands)


def find_command(words: list[str]) -> click.Command:
    """The command that ``words`` begin with; the program itself if there is none."""
    found: click.Command = commands.main
    for word in words:
        inner = (
            found.get_command(click.Context(found), word)
            if isinstance(found, click.Group)
            else None
        )
        if inner is None:
            break
        found = inner
    return found


@pytest.mark.parametrize("name", ALL)
def test_the_options_of_commands_exist(name):
    spans = re.findall(r"`([a-z][\w-]*(?: [^`\n]+)?)`", prose(name))
    missing = []
    for call in [*re.findall(r"python app\.py ([^\n`|&;]*)", read(name)), *spans]:
        command = find_command(call.split())
        known = {each for given in command.params for each in (*given.opts, *given.secondary_opts)}
        if command is not commands.main:
            missing += [
                (call, each) for each in re.findall(r" (--[a-z-]+)", call) if each not in known
            ]
    assert missing == []


def test_the_event_types_that_only_webhooks_that_name_them_hear_are_those_of_the_code():
    [named] = re.findall(
        r"types are told only to webhooks that name them: (.*?)\n\n",
        read("docs/webhooks.md"),
        re.DOTALL,
    )
    require_names(
        "docs/webhooks.md, the types that are told only to webhooks that name them",
        re.findall(r"`([a-z.]+)`", named),
        event_types.FURTHER,
    )


def test_each_kind_of_place_has_a_section_with_the_command_that_connects_it():
    named = re.findall(r"app\.py connection add ACCOUNT (\w+)", read("docs/platforms.md"))
    require_names("docs/platforms.md, commands `connection add ACCOUNT …`", named, PLACES)


def test_the_verification_is_right():
    [program] = [
        lines for language, lines in blocks(read("docs/webhooks.md")) if language == "python"
    ]
    scope: dict = {}
    exec(program, scope)
    secret, signed = "c2VjcmV0LW9mLXRoZS1zdWJzY3JpcHRpb24", b'{"eventId": "1"}'
    header = "sha256=3a92e5d5e7682275c7f03ab91b7bc3a722e3009286400543631629a9dcffa28a"
    for check in (scope["is_signed"], receiver.is_signed):
        assert check(secret, signed, header)
        assert not check(secret, signed + b" ", header)
        assert not check(secret, signed, header.upper())


def test_the_layout_is_that_of_the_tree():
    [layout] = [
        lines for language, lines in blocks(read("docs/architecture.md")) if language == "text"
    ]
    names = [line.split()[0] for line in layout.splitlines()]
    folder, told = "", set()
    for line, name in zip(layout.splitlines(), names, strict=True):
        folder = folder if line.startswith(" ") else ""
        told.add(folder + name)
        folder = name if name == "svc/" else folder
    assert [each for each in told if not (ROOT / each).exists()] == []
    assert {
        f"svc/{each.name}/"
        for each in (ROOT / "svc").iterdir()
        if each.is_dir() and each.name != "__pycache__"
    } <= told


def test_the_table_of_layers_is_what_the_imports_are_held_to():
    rows = re.findall(
        r"^\| ((?:`svc/\w+`(?:, )?)+) \| ([\w, ]+) \|$", read("docs/architecture.md"), re.MULTILINE
    )
    told = {
        layer: set() if may == "nothing of ours" else set(may.split(", "))
        for layers, may in rows
        for layer in re.findall(r"svc/(\w+)", layers)
    }
    # no programs
    assert told == {layer: may for layer, may in BENEATH.items() if layer != "deploy"}


def citations(pattern: str) -> list[tuple[Path, tuple[str, ...]]]:
    found = [
        (path, each) for path in SOURCES for each in re.finditer(pattern, path.read_text("utf-8"))
    ]
    return [
        (path, each.groups())
        for path, each in found
        if not each.string[: each.start()].rstrip().endswith(_OTHERS)
    ]


def test_every_section_of_the_specification_that_the_code_cites_is_there():
    headings = set(
        re.findall(r"^(?:#+ (?=.)|(?=.+:$))(.+?):?$", read("docs/specification.md"), re.MULTILINE)
    )
    cited = citations(r'specification, "([^"]+)"')
    assert len(cited) > 20
    named = [(path.name, " ".join(heading.split())) for path, (heading,) in cited]
    assert [(name, heading) for name, heading in named if heading not in headings] == []


def test_every_section_of_the_decisions_that_the_code_cites_is_there():
    sections = set(re.findall(r"^## (\d+)\. ", read("docs/decisions.md"), re.MULTILINE))
    cited = citations(r"DECISIONS\.md §(\d+)")
    assert len(cited) > 5
    assert [(path.name, section) for path, (section,) in cited if section not in sections] == []


def test_the_licence_has_a_notice_for_whoever_redistributes():
    licence = (ROOT / "LICENSE").read_text("utf-8")
    assert licence.startswith(" " * 33 + "Apache License\n")
    notice = licence.split("\nNOTICE\n")[1]
    for word in ("x264", "x265", "espeak-ng", "num2words", "htmx", "corresponding source"):
        assert word in notice


def list_definitions(path: Path) -> set[str]:
    """The names of what a module defines at its top, and of the methods of its classes."""
    names = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign):
            names |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {
                f"{node.name}.{each.name}"
                for each in node.body
                if isinstance(each, ast.FunctionDef)
            }
    return names


def read_functions(table: str) -> list[tuple[str, str, list[str]]]:
    """The rows of a table of the architecture that end with a module and functions of it."""
    text = read("docs/architecture.md")
    rows = re.findall(
        r"^\| (.*) \| `(svc/[\w/.]+)` \| (.*) \|$",
        text[text.index(f"<!-- {table} -->") : text.index(f"<!-- /{table} -->")],
        re.MULTILINE,
    )
    return [(first, path, re.findall(r"`([\w.]+)`", names)) for first, path, names in rows]


@pytest.mark.parametrize("table", ["path", "packages"])
def test_a_function_to_begin_with_exists(table):
    named = {(path, name) for _, path, names in read_functions(table) for name in names}
    assert len(named) > 20
    assert sorted(each for each in named if each[1] not in list_definitions(ROOT / each[0])) == []


def test_each_package_has_its_subject_in_the_order_of_imports():
    listed = [re.match(r"`(svc/[\w/]+)/`", first)[1] for first, *_ in read_functions("packages")]
    assert listed == [
        f"svc/{layer}/{name}" for layer, names in PACKAGES.items() for name in names if name
    ]
    assert sorted(listed) == sorted(
        str(path.parent.relative_to(ROOT))
        for layer in PACKAGES
        for path in (ROOT / "svc" / layer).glob("*/__init__.py")
    )


def read_section(name: str, heading: str) -> str:
    """The text of a document below a heading of the second level."""
    return read(name).split(f"\n## {heading}\n")[1].split("\n## ")[0]


def list_instructions() -> list[str]:
    """The rows and the recipes which say what to edit where."""
    rows = [
        row
        for name, heading in (
            ("docs/architecture.md", "Where things are"),
            ("docs/contributing.md", "Rarer changes"),
        )
        for row in re.findall(r"^\|.*\|$", read_section(name, heading), re.MULTILINE)
    ]
    return rows + read_section("docs/contributing.md", "Recipes").split("\n### ")[1:]


def test_what_says_where_to_edit_names_what_its_files_have():
    """Public names may be those of any module; private ones are of a file that is named there."""
    public = " ".join(path.read_text("utf-8") for path in [*SOURCES, *TESTS])
    missing = []
    for instruction in list_instructions():
        named = re.findall(r"`((?:svc|tests)/[\w/.]+\.\w+)`", instruction)
        own = " ".join((ROOT / each).read_text("utf-8") for each in named)
        for name in re.findall(r"`@?((?:\w+\.)?[A-Za-z_]\w*)`", instruction):
            where = own if name.startswith("_") else public
            if not re.search(rf"\b{re.escape(name.split('.')[-1])}\b", where):
                missing.append((name, instruction[:80]))
    assert missing == []


def test_each_recipe_is_in_their_table_and_names_its_tests():
    recipes = read_section("docs/contributing.md", "Recipes")
    table, *each = recipes.split("\n### ")
    titles = [recipe.partition("\n")[0] for recipe in each]
    linked = re.findall(r"\]\(#([a-z-]+)\)", table)
    assert [title.lower().replace(" ", "-") for title in titles] == linked
    assert [recipe[:40] for recipe in each if "\nTests: `tests/" not in recipe] == []
