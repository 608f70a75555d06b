"""The README is true: its commands, its calls and its layout."""

import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cast import body

from svc.cli import commands, receiver

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
SHELL = "".join(text for kind, text in BLOCKS if kind == "sh").replace("\\\n", " ")
CALLS = [each for each in re.findall(r"^curl (?:[^'\n]|'[^']*')*", SHELL, re.MULTILINE) if "$BASE" in each]


def test_two_commands_do_all_the_set_up():
    whole = [line for line in SHELL.splitlines() if line.startswith("python3 -m venv")]
    set_up = "python3 -m venv .venv && .venv/bin/pip install -r {} && .venv/bin/python "
    assert whole == [
        set_up.format("requirements.txt") + "app.py demo", set_up.format("requirements-test.txt") + "-m pytest",
    ]  # fmt: skip


def test_the_first_screen_says_what_it_is_shows_it_and_runs_it():
    first_screen = README[:2000]
    assert first_screen.index("![") < first_screen.index("app.py demo") < first_screen.index("curl ")


def test_the_pictures_are_there():
    pictures = re.findall(r"^!\[[^]]+\]\(([^)]+)\)", README, re.MULTILINE)  # not one that is shown as an example
    assert pictures
    for each in pictures:
        assert (ROOT / each).read_bytes().startswith(b"\x89PNG")
        assert (ROOT / each).stat().st_size < 300_000


@pytest.fixture
def names(partner) -> dict[str, str]:
    """What ``demo.env`` holds, for the calls of the README."""
    seeded = partner.seeded
    production = body(partner.trigger())["productionId"]
    return {
        "BASE": "http://localhost", "KEY": partner.key, "ACCOUNT": partner.account, "PRODUCTION": production,
        "LANGUAGE_ID": seeded["languageId"], "COUNTRY_ID": seeded["countryId"], "AVATAR_ID": seeded["avatarId"],
    }  # fmt: skip


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_call_works_as_it_stands(app, names, number, monkeypatch):
    monkeypatch.setattr("svc.adapters.addresses.socket.getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("93.184.215.14", 443))])
    words = shlex.split(re.sub(r"\$(\w+)", lambda found: names[found[1]], CALLS[number]), comments=True)
    given = {flag: [] for flag in ("-H", "-d")}
    while len(words) > 2:
        flag, value = words[1:3]
        given[flag].append(value)
        del words[1:3]
    path = urlsplit(words[1]).path
    headers = dict(each.split(": ", 1) for each in given["-H"])
    answer = app.test_client().open(path, method="POST" if given["-d"] else "GET", headers=headers, data="".join(given["-d"]))
    assert answer.status_code in (200, 201, 202), body(answer)
    assert json.loads(answer.get_data())


def test_there_are_calls_to_try():
    assert len(CALLS) >= 6


def test_the_commands_exist():
    named = set(re.findall(r"python app\.py ([\w-]+)", README)) | set(re.findall(r"bin/python app\.py ([\w-]+)", README))
    assert {"demo", "serve", "seed", "listen", "render", "production"} <= named
    assert named <= set(commands.main.commands)


def test_the_options_exist():
    listen = {option for each in commands.main.commands["listen"].params for option in each.opts}
    assert {"--key", "--forward-to", "--answer", "--delay"} <= listen


def test_the_verification_is_right():
    [program] = [text for kind, text in BLOCKS if kind == "python"]
    scope: dict = {}
    exec(program, scope)
    secret, signed = "c2VjcmV0LW9mLXRoZS1zdWJzY3JpcHRpb24", b'{"eventId": "1"}'
    header = "sha256=3a92e5d5e7682275c7f03ab91b7bc3a722e3009286400543631629a9dcffa28a"
    for check in (scope["is_signed"], receiver.is_signed):
        assert check(secret, signed, header)
        assert not check(secret, signed + b" ", header)
        assert not check(secret, signed, header.upper())


def test_the_layout_is_that_of_the_tree():
    [layout] = [text for kind, text in BLOCKS if kind == "text"]
    names = [line.split()[0] for line in layout.splitlines()]
    folder, told = "", set()
    for line, name in zip(layout.splitlines(), names, strict=True):
        folder = folder if line.startswith(" ") else ""
        told.add(folder + name)
        folder = name if name == "svc/" else folder
    assert [each for each in told if not (ROOT / each).exists()] == []
    assert {f"svc/{each.name}/" for each in (ROOT / "svc").iterdir() if each.is_dir() and each.name != "__pycache__"} <= told


def test_the_continuous_integration_takes_its_commands_from_here():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "README.md" in script
    assert "pip install -r requirements" not in script
