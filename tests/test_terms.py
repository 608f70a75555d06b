"""One term for one thing: the words that docs/contributing.md retires do not come back to
what people read.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from svc.cli import commands
from svc.cli.agents.tools import TOOLS

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *(ROOT / "svc/console/templates").glob("*.html"),
        *(ROOT / "svc/public/templates").glob("*.html"),
    ]
)
# The word, and what stands in its place.
RETIRED = {
    r"subscriptions?": "webhook",
    r"platforms?": "place, or connection: an account's link to one",
    r"(?<!OAuth )scopes?": "permission",  # but for those of other services
    r"await(?:s|ing)? (?:its )?approval": "a script is approved, a finished production is released",
}
_WORDS = re.compile("|".join(rf"(?<![\w-])(?:{each})(?![\w-])" for each in RETIRED), re.IGNORECASE)
_CODE = re.compile(r"`[^`]*`|<code.*?</code>|\{[^}]*\}", re.DOTALL)
_SHOWN_ATTRIBUTES = re.compile(r'\b(?:aria-label|title|placeholder|alt|content)="([^"]*)"')


def retired(text: str) -> list[str]:
    """The retired words of a text, without what is code in it."""
    return _WORDS.findall(_CODE.sub(" ", text))


def shown(template: str) -> Iterator[str]:
    """What of a template's source people read: its text, the texts in its tags, and the attributes
    that are read out.

    A text in a tag of the template has a space or begins with a capital; anything else is a name of
    the program's.
    """
    template = re.sub(r"\{#.*?#\}", "", template, flags=re.DOTALL)
    for tag in re.findall(r"\{[{%].*?[%}]\}", template, re.DOTALL):
        texts = re.findall(r'"([^"]*)"|\'([^\']*)\'', tag)
        yield from (text for pair in texts for text in pair if re.search(r"\s|^[A-Z]", text))
    markup = re.sub(r"\{[{%].*?[%}]\}", " ", template, flags=re.DOTALL)
    yield from _SHOWN_ATTRIBUTES.findall(markup)
    yield re.sub(r"<[^>]*>", " ", re.sub(r"<code.*?</code>", " ", markup, flags=re.DOTALL))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_has_a_retired_word(path):
    assert [text for text in shown(path.read_text("utf-8")) if retired(text)] == []


def described(part, path: str = "") -> Iterator[tuple[str, str]]:
    """The descriptions and summaries of a document, each with its place."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name in ("description", "summary") and isinstance(value, str):
                yield f"{path}/{name}", value
            else:
                yield from described(value, f"{path}/{name}")
    elif isinstance(part, list):
        for number, value in enumerate(part):
            yield from described(value, f"{path}/{number}")


def test_no_description_of_the_api_has_a_retired_word(app):
    document = app.test_client().get("/openapi.json").get_json()
    texts = list(described(document))
    assert len(texts) > 500
    assert [(place, text) for place, text in texts if retired(text)] == []


def helped(command: click.Command, *names: str) -> Iterator[tuple[str, str]]:
    """The help of a command and its options, and of the commands in it."""
    yield " ".join(names), command.help or ""
    for option in command.params:
        yield f"{' '.join(names)} {option.name}", getattr(option, "help", None) or ""
    for name, each in getattr(command, "commands", {}).items():
        yield from helped(each, *names, name)


def test_no_help_of_a_command_has_a_retired_word():
    texts = list(helped(commands.main))
    assert len(texts) > 200
    assert [(place, text) for place, text in texts if retired(text)] == []


def test_no_tool_of_an_agent_has_a_retired_word():
    texts = [
        text for tool in TOOLS for _, text in (("", tool.description), *described(tool.properties))
    ]
    texts += [text for tool in TOOLS for text in tool.returns.values()]
    assert [text for text in texts if retired(text)] == []


def test_no_error_has_a_retired_word():
    source = (ROOT / "svc/base/errors.py").read_text("utf-8")
    sentences = re.findall(r'"([A-Z][^"]* [^"]*)"', source)
    assert len(sentences) > 30
    assert [each for each in sentences if retired(each)] == []


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("<p>Your subscriptions</p>", True),
        ("<p>Your {{ subscription.id }}</p>", False),
        ('{{ field("name", "Name of the platform") }}', True),
        ('{{ field("platform", "Name") }}', False),
        ('<a href="/platforms" title="A scope">x</a>', True),
        ('<a href="/platforms" class="scope">x</a>', False),
        ('{# of a platform #}<th scope="col">Place</th>', False),
        ("<p>It is awaiting approval.</p>", True),
        ("<p>It is awaiting script approval.</p>", False),
        ("<p>The field <code>platform</code></p>", False),
    ],
)
def test_the_words_are_found_where_people_read_them_and_nowhere_else(source, wrong):
    assert any(retired(text) for text in shown(source)) == wrong


def test_the_glossary_says_what_is_used_instead():
    text = (ROOT / "docs/contributing.md").read_text("utf-8")
    glossary = text.partition("## Terms")[2].partition("\n## ")[0]
    for word in (
        "*approved*",
        "*released*",
        "*webhook*",
        "*place*",
        "*connection*",
        "*permission*",
    ):
        assert word in glossary


DOCUMENTS = sorted(
    path
    for path in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    # The specification decides its own words; changelogs tell what was; the glossary names what it
    # retires.
    if path.name not in ("specification.md", "CHANGELOG.md", "api-changelog.md", "contributing.md")
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_no_document_has_a_retired_word(path):
    # Code, comments, the addresses of links, and cells that list packages.
    no_prose = (
        r"\| [a-z]+(?:, [a-z]+)+ \||^```.*?^```|<!--.*?-->|\[[^\]]*\.md\]\([^)]*\)|\]\([^)]*\)"
    )
    text = re.sub(no_prose, " ", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert [line for line in _CODE.sub(" ", text).splitlines() if retired(line)] == []
