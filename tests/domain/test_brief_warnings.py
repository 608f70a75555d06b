"""What a trigger warns of: pictures that are not there, notes that are missing,
content that is simplified.
"""

import unicodedata

import pytest
from support import plain_sql
from support.cast import body
from support.sampling import sampled
from support.tables import each_of

from svc.domain.lifecycle import brief_warnings
from svc.domain.lifecycle.brief_warnings import CONTENT_SIMPLIFIED, NOTES_EMPTY, PICTURE_NOT_FOUND
from svc.domain.lifecycle.briefs import Brief
from svc.media.model import Upload
from svc.media.script import markdown
from svc.media.script.from_brief import write_script
from svc.media.text import tokens as words
from svc.media.text.reading import is_speakable
from svc.store.database import db
from tests.media.conftest import brief_of


@pytest.fixture
def codes(monkeypatch):
    """Return the codes of the warnings about notes, for an account with one picture;
    and count the looks at its pictures.
    """
    looks = []

    def pictures(account_id):
        looks.append(account_id)
        return [{"name": "boat.png"}]

    monkeypatch.setattr(brief_warnings.assets, "list_pictures_of_account", pictures)
    monkeypatch.setattr(
        brief_warnings.briefs,
        "find_account",
        lambda brief, account_id: {"title_template": "{topic}"},
    )

    def of(notes, has_model=False):
        brief = Brief("Tea", "", "", "", metadata_md=notes)
        return [
            warning.code for warning in brief_warnings.find_warnings(brief, "account", has_model)
        ]

    of.looks = looks
    return of


@pytest.mark.parametrize("notes", [None, "", " \n", "---\nsandbox:\n  failAt: video\n---\n"])
def test_a_topic_alone_is_warned_of_unless_a_model_writes_the_script(codes, notes):
    assert codes(notes) == [NOTES_EMPTY] and codes(notes, has_model=True) == []


LEFT_OUT = (
    "# Tea", "# T*E*A #", "Tea\n===", "# Tea\n\n## Tea", "---", "***\n\n---", "🎉", "- 🎉\n- 🎊",
    "[^1]: x", "[^1]: x\ny", "<!-- c -->", "<!-- a\n\nb -->\n\n<!-- c -->", "![x](none.png)",
    "![x](none.png)\n\n# Tea", "~~old~~", "-", "1.\n2.", ">", "> >", "```\n```", "| |\n|-|\n| |",
    "# Tea[^1]\n\n[^1]: ![x](boat.png)", "[a]: https://a.example 'b'", "&nbsp;", "[^1]", "<br>",
    "<script>\nx\n</script>", "<del>x</del>", "...", "|", "~~", "🎉→",
    "---\nsandbox:\n  failAt: video\n---\n# Tea",
)  # fmt: skip
SAID = (
    "Boil it.",
    "# Water",
    "Tea",
    "- Tea",
    "# Tea\n\nBoil it.",
    "5",
    "½",
    "水",
    "%",
    "✓",
    "→",
    "`x`",
    "`[^1]`",
    "    x",
    "- [ ] boil",
    "```\nx\n```",
    "- [x]",
    "\ufeff# Tea",
    "x[^1]\n\n[^1]: y",
    "![](none.png)[^1]\n\n[^1]: y",
    "![x](boat.png)",
    "$$x$$",
    "| a |\n|-|",
    "<p>x</p>",
    "<b>x</b>",
    "[a](b)",
    "https://a.example",
    "One\nor two\nor three",
    "Pot\n: a thing",
    "~~old~~ new",
    "<!-- c --> x",
    "# Tea\n\n![x](asset:boat.png)",
    "# Tea ![x](boat.png)",
    "> x",
    "- " * 30 + "x",
    ">" * 40 + "x",
    "Pot\n: # Tea",
)


@each_of("notes", LEFT_OUT)
def test_notes_that_leave_only_the_topic_are_warned_of_as_none(codes, notes):
    assert NOTES_EMPTY in codes(notes) and NOTES_EMPTY not in codes(notes, has_model=True)


@each_of("notes", SAID)
def test_notes_that_say_or_show_anything_are_not_empty(codes, notes):
    assert NOTES_EMPTY not in codes(notes)


@pytest.mark.parametrize("notes", sampled([*LEFT_OUT, *SAID], 4))
def test_the_video_is_that_of_the_topic_alone_exactly_where_that_is_warned_of(codes, notes):
    """As the writer of scripts sees it, to whom the signs of emoji are no words."""
    uploads = (Upload("boat.png", "boat.png"),)
    alone, noted = (
        write_script(brief_of(title="Tea", topic="Tea", uploads=uploads, metadata_md=text))
        for text in ("", notes)
    )
    same = [(scene.words, scene.points, scene.sight) for scene in alone.scenes] == [
        (scene.words, scene.points, scene.sight) for scene in noted.scenes
    ]
    assert same == (NOTES_EMPTY in codes(notes))


def test_the_warnings_know_which_signs_are_spoken():
    signs = (
        chr(code) for code in range(0x20, 0x20000) if unicodedata.category(chr(code))[0] in "PS"
    )
    assert [sign for sign in signs if is_speakable(sign) and not brief_warnings.is_said(sign)] == []
    assert not any(map(brief_warnings.is_said, ("🎉", "—", "...", "# *", "|", "~", "\u200d")))


def test_notes_of_many_plain_lines_are_not_parsed(codes, monkeypatch):
    monkeypatch.setattr(brief_warnings, "_PARSER", None)
    assert codes("# Tea\n\nBoil it.\n\n- Pour it\n1. Wait") == []


def test_a_heading_that_is_the_title_by_its_template_is_nothing_beyond_the_topic(partner):
    with db.transaction():
        plain_sql.execute(
            "UPDATE project_types SET title_template = 'How {topic} works: {subject}'"
        )
    given = {"topic": "Tea", "subjectOverride": "a view", "metadataMD": "# How tea works:  A view"}
    assert [each["code"] for each in body(partner.trigger(**given))["warnings"]] == [NOTES_EMPTY]
    assert body(partner.trigger(**given | {"metadataMD": "# How coffee works"}))["warnings"] == []


@pytest.mark.parametrize("environment", ["sandbox", "live"])
def test_the_warning_is_the_same_in_the_sandbox_and_in_live(partner, environment):
    account = partner.seeded["sandboxAccountId" if environment == "sandbox" else "liveAccountId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE accounts SET environment = ? WHERE id = ?", (environment, account)
        )
    brief = Brief("Tea", "", "", "", metadata_md="# Tea\n\n---\n\n![x](none.png)")
    warnings = brief_warnings.find_warnings(brief, account, False)
    assert [warning.code for warning in warnings] == [NOTES_EMPTY, PICTURE_NOT_FOUND]
    assert (
        "the video will be its title alone" in warnings[0].message
        and "metadataMD" in warnings[0].message
    )


def test_a_picture_that_the_account_has_not_is_warned_of_by_its_name(codes):
    assert codes("![a](boat.png) ![b](asset:boat.png)") == []
    assert (
        codes("Look: ![a](none.png) ![again](./none.png) ![c](https://a.example/x.png)")
        == [PICTURE_NOT_FOUND] * 2
    )


def test_what_is_written_as_code_is_no_picture(codes):
    assert codes("Write `![a](none.png)`.\n\n```\n![a](none.png) <b> ~~x~~ $$y$$\n```") == []
    assert codes.looks == []


@pytest.mark.parametrize(
    "notes",
    [
        "~~old~~ new",
        "<table><tr><td>x</td></tr></table>",
        "a <b>bold</b> word",
        "$$e = \\unknown$$",
    ],
)
def test_what_is_simplified_is_warned_of_once(codes, notes):
    assert codes(f"{notes}\n\n{notes}") == [CONTENT_SIMPLIFIED]


@pytest.mark.parametrize(
    "notes",
    ["Plain.", "a < b and 5 > 3", "one<br>two", "- [x] done", "~5, ~10", "| a |\n|-|\n| b |"],
)
def test_ordinary_notes_are_not_warned_of(codes, notes):
    assert codes(notes) == []


@pytest.mark.parametrize(
    "formula", ["$$\\frac{1}{2}$$", "$$e = mc^2$$", "$$\n\\sqrt{x} + 1\n$$", "\\[x^2\\]"]
)
def test_a_formula_that_is_typeset_is_not_warned_of(codes, formula):
    assert codes(f"Look:\n\n{formula}\n\nThat is it.") == []


@pytest.mark.parametrize(
    "notes",
    [
        "So $$\\frac{1}{2}$$ it is.",
        "- $$x$$",
        "> $$x$$",
        "# $$x$$",
        "a[^1]\n\n[^1]: $$x$$",
        "| a |\n|-|\n| $$x$$ |",
        "Pot\n: $$x$$",
        "\\(x\\)",
        "So $e$ is.",
        "It costs $5, or $6.",
        "```mermaid\ngraph TD\nA-->B\n```",
    ],
)
def test_a_formula_within_a_line_is_read_and_not_warned_of(codes, notes):
    assert codes(notes) == []


@pytest.mark.parametrize(
    "notes",
    [
        "$$\\unknown{1}$$",  # LaTeX that is not understood
        "So $$\\unknown{1}$$ it is.",
        "- $$\\unknown$$",
        "\\(\\unknown\\)",
        "$$x$$\n\n$$\\unknown$$",
        "So $$x$$ and $$\\unknown$$.",
        "```mermaid\nsequenceDiagram\nA->>B: x\n```",
    ],
)
def test_a_formula_that_is_shown_as_it_is_written_is_warned_of(codes, notes):
    assert CONTENT_SIMPLIFIED in codes(notes)


@pytest.mark.parametrize(
    "formula",
    ["$$\\frac{1}{2}$$", "$$\\unknown{1}$$", "- $$x$$", "> $$x$$", "So $$x$$ it is.", "# $$x$$"],
)
def test_a_formula_is_warned_of_exactly_where_the_reader_of_briefs_sets_none(codes, formula):
    is_set = "$" not in words.clean(
        " ".join(block.text for block in markdown.parse_blocks(f"Look.\n\n{formula}"))
    )
    assert codes(f"Look.\n\n{formula}") == ([] if is_set else [CONTENT_SIMPLIFIED])


def test_a_comment_is_no_html_that_is_shown(codes):
    assert codes("x\n\n<!-- a\n\nb -->") == [] and codes("x\n\n<!-- a --><p>y</p>") == [
        CONTENT_SIMPLIFIED
    ]


def test_many_missing_pictures_give_a_bounded_list_of_short_sentences(codes):
    notes = " ".join(f"![x]({'n' * 300}{number})" for number in range(60))
    warnings = brief_warnings.find_warnings(
        Brief("Tea", "", "", "", metadata_md=notes), "account", False
    )
    assert len(warnings) <= 20 and max(len(warning.message) for warning in warnings) < 220
