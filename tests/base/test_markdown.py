"""Markdown that asks for more than it has: wide tables, deep nests."""

import itertools

import pytest
from markdown_it import helpers
from markdown_it.rules_inline import image, link
from support.counting import lines_run
from support.sampling import sampled

from svc.base.text import html_text, markdown

BOMBS = {
    "short rows": "|a" * 300 + "|\n" + "|-" * 300 + "|\n" + "x\n" * 1400,
    "empty rows": "a|" * 680 + "\n" + "-|" * 680 + "\n" + "|\n" * 680,
    "many columns": "|" * 1300 + "\n" + "-|" * 1300 + "\n",
    "without pipes in its head": "a\n-|-\n" + "x\n" * 2040,
    "lines after a row that is too wide for its head": "|b\n-|-\n" + "x|y\n" * 1020,
    "heads": "a|b\n-|-\n" * 500,
    "quotations": ">" * 4096,
    "lists": "- " * 2048,
    "both": "> - " * 1024,
    "emphasis": "*a_ " * 1024,
    "brackets": "![" * 2048,
    "back ticks": "".join("`" * length + " " for length in range(1, 89)),
}


@pytest.mark.parametrize("html, name", sampled(itertools.product((True, False), BOMBS), 12))
def test_the_work_for_a_hostile_text_is_in_proportion_to_its_length(name, html):
    """The bound is for each character: an algorithm that grows with the square runs ten times
    as many lines.
    """
    text, tokens = BOMBS[name][:4096], []
    lines = lines_run(lambda: tokens.extend(markdown.build_reader(html).parse(text)))
    assert lines < 300 * len(text)
    assert len(tokens) < 3 * markdown.MOST_CELLS + 20_000


def test_ordinary_tables_stay_tables():
    rows = "".join(f"| {number} | b | c |\n" for number in range(150))
    long, followed = (
        "| a | b | c |\n|---|---|:-:|\n" + rows,
        "a\n\n" + "b|c\n-|-\nx\n" + "\nprose" * 900,
    )
    for text in ("a|b\n-|-\nc|d", "| a |\n|---|\n| b |", long, followed):
        assert "<table>" in markdown.build_reader().render(text)


def test_a_table_that_would_be_too_large_is_read_as_lines():
    html = markdown.build_reader().render(BOMBS["short rows"])
    assert "<table>" not in html and html.count("x") == 1400


@pytest.mark.parametrize(
    "text",
    [
        "> - <script>\n> ",
        "===\t<script>  a\n>- - <![CDATA[\n>\t",
        "> | a | b |\n> |---|---|\n>",
        "> ",
        "",
    ],
)
@pytest.mark.parametrize("html", [True, False])
def test_a_text_may_end_anywhere(text, html):
    markdown.build_reader(html).render(text)


@pytest.mark.parametrize(
    "piece",
    sampled(["<a ", "<!--", "<a b='", "</a ", "<a b<" + "a" * 2000, "<script>", "<![CDATA["], 3),
)
def test_the_work_for_html_without_ends_is_in_proportion_to_its_length(piece):
    def of_length(length: int) -> str:
        return "<div>\n" + piece * (length // len(piece))

    assert lines_run(lambda: html_text.list_paragraphs(of_length(4096))) < 10 * 4096
    # What patterns do is not counted: were that to grow with the square, this would take half an
    # hour, and not a moment.
    assert html_text.list_paragraphs(of_length(500_000)) is not None


def test_much_html_is_read_as_little_is():
    html = (
        "<p>One <b>two</b> &amp; <del>no</del>3 < 4<br/>five<!-- <!-- <p>no</p> "
        "--><script>no()</script> <?no?>six</P>"
    )
    html += "\n<DIV id='x'>end</div>"
    assert html_text.list_paragraphs(html) == ["One two & 3 < 4", "five six", "end"]
    assert html_text.list_paragraphs(html * 30) == ["One two & 3 < 4", "five six", "end"] * 30


@pytest.mark.parametrize("keyword", ["CDATA[", "CCDATA[ x ", "if !IE", "", "\\"])
def test_a_section_in_brackets_is_a_comment(keyword):
    assert html_text.list_paragraphs(f"a <![{keyword}]> b") == ["a b"]
    html_text.list_paragraphs(f"a <![{keyword}")
    html_text.list_paragraphs(f"<![CDATA[<![{keyword}" * 20)


def test_brackets_without_an_address_are_not_searched_for_their_ends(monkeypatch):
    searched = []
    label = helpers.parseLinkLabel
    monkeypatch.setattr(
        helpers, "parseLinkLabel", lambda *more: searched.append(more) or label(*more)
    )
    for text in ("[" * 4096, "![" * 2048, "[a] " * 1000, "![a]" * 1000, "[a](b)" + "![" * 2000):
        markdown.build_brief_reader().parse(text)
    assert len(searched) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[a](b) ![c](d)",
        "![a [b](c) d](e)",
        "[a\n\n](b)",
        "[a][b] ![b] [b][]\n\n[b]: /c 'd'",
        "[a]\n\n> [a]: b",
        "[a[b](c)",
        "[x]: y\n" + "[" * 30 + "x" + "]" * 30,
        "[a](b",
        "[a]\n(b)",
        "a[^1] ^[b [c](d)]\n\n[^1]: [e](f)",
        "[`](`](b)",
        "\\[a](b)",
    ],
)
def test_links_and_pictures_are_those_of_commonmark(text):
    ours, plain = markdown.build_brief_reader(), markdown.build_brief_reader()
    plain.inline.ruler.at("link", link)
    plain.inline.ruler.at("image", image)
    assert ours.render(text) == plain.render(text)
