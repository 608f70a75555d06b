"""Briefs that ask for much more than they hold: a corpus, and hypothesis' mutations of it."""

from dataclasses import dataclass

from hypothesis import strategies as st

from svc.base.text.languages import LANGUAGES
from svc.domain.lifecycle.briefs import METADATA, SUBJECT, TOPIC

_LETTERS = "abcdefghi"


def _yaml(first: str, one: str) -> str:
    """Front matter in which each of nine levels names the one before nine times."""
    levels = (
        one.format(name=name, many=", ".join([f"*{before}"] * 9))
        for before, name in zip(_LETTERS, _LETTERS[1:])
    )
    return "---\n" + "\n".join((first, *levels)) + "\nsandbox:\n  failAt: video\n---\nwords"


YAML = {
    "merge keys": _yaml("a: &a {x: 1}", "{name}: &{name} {{<<: [{many}]}}"),
    "aliases": _yaml("a: &a [x, x, x, x, x, x, x, x, x]", "{name}: &{name} [{many}]"),
    "merge keys in the mapping": "---\nsandbox:\n"
    + "\n".join(f"  k: &k{n} {{<<: [*k{n}]}}" for n in range(99))
    + "\n---",
    "itself": "---\na: &a [*a]\nsandbox: *a\n---",
    "open brackets": "---\nsandbox: " + "[" * 4000 + "\n---",
    "open braces": "---\nsandbox: " + "{" * 4000 + "\n---",
    "questions": "---\nsandbox:\n" + "? " * 1900 + "\n---",
    "dashes in dashes": "---\nsandbox:\n  " + "- " * 1900 + "\n---",
    "many keys": "---\nsandbox:\n" + "  a: b\n" * 560 + "---",
    "a long number": "---\nsandbox:\n  slowSeconds: " + "9" * 4000 + "\n---",
    "a long hexadecimal": "---\nsandbox:\n  deliverables: 0x" + "f" * 3900 + "\n---",
    "base 60": "---\nsandbox:\n  slowSeconds: " + "1:" * 1900 + "1\n---",
    "a date": "---\nsandbox:\n  failAt: 9999-99-99\n---",
    "tags of YAML": "---\nsandbox: !!python/object/apply:os.system [id]\n---",
    "deep mappings": "---\nsandbox:\n" + "\n".join(" " * n + "a:" for n in range(1, 85)) + "\n---",
    "no end": "---\n" + "- :\n" * 1000 + "x",
    "no end, dots": "---\n" + "." * 4000,
    "no end, keys": "---\n" + "a:\n" * 1300,
    "no end, dashes": "--- \n" + "----\n" * 800,
    "folded": "---\nsandbox:\n  failMessage: >\n" + "    x\n" * 640 + "---",
    "empty": "---\n---",
}
MARKDOWN = {
    "quotations": ">" * 4096,
    "lists": "- " * 2048,
    "numbers": "1. " * 1365,
    "both": "> - " * 1024,
    "lists by indent": "\n".join(" " * n + "- a" for n in range(88)),
    "emphasis": "*_" * 2048,
    "open emphasis": "**a " * 1024,
    "crossed emphasis": "*a_ " * 1024,
    "triple": "***" * 1365 + "a",
    "brackets": "[" * 4096,
    "links": "[a](" * 1024,
    "links with titles": '[a](b "' * 585,
    "pointed links": "[a](<b" * 680,
    "images": "![" * 2048,
    "closing brackets": "]" * 4096,
    "references": "".join(f"[{n}]:b\n" for n in range(450)) + "[1]" * 100,
    "a reference": "[x]: " + "(" * 4000,
    "back ticks": "".join("`" * n + " " for n in range(1, 89)),
    "two rows of ticks": "`" * 2048 + " " + "`" * 2047,
    "tags": "<a " * 1365,
    "comments": "<!--" * 1024,
    "instructions": "<?" * 2048,
    "declarations": "<!A " * 1000,
    "cdata": "<![CDATA[" * 455,
    "attributes": "<a href='" * 455,
    "an address": "<" + "a:" * 2040,
    "entities": "&" * 4096,
    "numbered entities": "&#" * 2048,
    "entities of nothing": "&#0;&#xD800;&#x10FFFF;&#9999999;" * 128,
    "backslashes": "\\" * 4096,
    "headings": "# a\n" * 1024,
    "underlined": "a\n=\n" * 1000,
    "one heading of many lines": "a\n" * 2000 + "===",
    "rules": "***\n" * 1000,
    "fences": "```\n" * 1000,
    "html blocks": "<div>\n" * 680,
    "scripts": "<script>\n" * 455,
    "white": " " * 4095 + "a",
    "line ends": "\n" * 4096,
    "spaces at line ends": ("a" + " " * 60 + "\n") * 66,
    "tabs": "\t" * 4096,
    "lazy lines": ">>>>>>>>>>a\nb\n" * 300,
    "short rows": "|a" * 300 + "|\n" + "|-" * 300 + "|\n" + "x\n" * 1400,
    "empty rows": "a|" * 680 + "\n" + "-|" * 680 + "\n" + "|\n" * 680,
    "a tall table": "a|b\n-|-\n" + "x|y\n" * 1000,
    "a chart": "|a|b|\n|-|-|\n" + "|x|9e999|\n|y|-1|\n" * 200,
    "pipes": "|" * 4096,
    "an open block at the end of a quotation": "> - <script>\n> ",
    "quoted tables": "> a|b\n> -|-\n> c|d\n\n" * 200,
}
TEXT = {
    "ligatures": "\ufdfa" * 4096,
    "more ligatures": "\ufdfb\ufb03" * 2048,
    "stacked marks": "a" + "".join(chr(0x300 + n % 100) for n in range(4095)),
    "double marks": "\u0344" * 4096,
    "jamo": "\u1100\u1161\u11a8" * 1365,
    "overrides": "\u202e\u2066" * 2048,
    "zero width": "a\u200b" * 2048,
    "joiners": "a\u200d" * 2048,
    "tags of flags": "\U0001f3f4" + "\U000e0067" * 4095,
    "families": "👩‍👩‍👧‍👦" * 585,
    "mathematical": "𝐇𝓮𝕝" * 1365,
    "full width": "ｗ" * 4096,
    "look-alikes": "аb " * 1365,
    "dotted capital": "İ" * 4096,
    "sharp s": "ß" * 4096,
    "fractions": "¼ⅷ①㍿" * 1024,
    "unassigned": "\U000e0fff\u0378" * 2048,
    "private": "\ue000\ue001\ue002" * 1365,
    "digits": "9" * 4096,
    "numbers in words": ("9" * 27 + " ") * 146,
    "groups": "1 000 " * 680,
    "endless groups": "1" + " 000" * 1000,
    "telephone": "+" + "1 " * 2047,
    "powers": "1e999999999 " * 340,
    "amounts": "$9,999,999,999,999,999.99 " * 150,
    "ordinals": "1st 2nd 3rd " * 340,
    "dates": "2026-01-01 " * 370,
    "times": "23:59:59 " * 450,
    "units": "5km " * 1024,
    "per cent": "9%" * 2048,
    "roman": "M" * 4096,
    "ranges": "1-" * 2048,
    "halves": "1/2 " * 1024,
    "superscripts": "²" * 4096,
    "versions": "1." * 2048,
    "mail": "a.a@a." * 680,
    "a long mail": "a" * 2000 + "@" + "a" * 2000,
    "hosts": "a." * 2048,
    "addresses": "http://" * 585,
    "an address with users": "http://" + "a@" * 2040,
    "abbreviations": "e.g. " * 800,
    "initials": "A.B." * 1024,
    "sentences": "a. " * 1365,
    "signs": "?!" * 2048,
    "one word": "a" * 4096,
    "hyphens": "a-" * 2048,
    "a figure in bold": "**" + "1," * 2000 + "** y",
    "everything stressed": "**" + "a b. " * 800 + "**",
    "arabic digits": "٣" * 4096,
    "thai": "ก่" * 2048,
    "cjk": "戦" * 4096,
    "words that patterns like": "a" * 61 + " bomb " * 10,
    "spaces that patterns like": ("a " * 30 + "b") * 60,
    "sorrow": "unholy **gr&#97;il**",
}
CORPUS = {name: text[: METADATA.longest] for name, text in {**YAML, **MARKDOWN, **TEXT}.items()}

_PIECES = st.sampled_from(
    [
        "---\n",
        "sandbox:\n  ",
        "&a ",
        "*a",
        "<<: ",
        "[",
        "{",
        "|",
        "|-|\n",
        "> ",
        "- ",
        "  ",
        "\n",
        "\n\n",
        "**",
        "_",
        "`",
        "![",
        "](",
        "<",
        "&#",
        "#",
        "\u0301",
        "\u202e",
        "\u200b",
        "\ufdfa",
        "9",
        "1,000 ",
        "%",
        "$",
        "e9",
        ".",
        "a",
        "word ",
        "é",
        "й",
        "戦",
        "\\",
        "\t",
        ":",
        "@",
        "://",
    ]
)


@dataclass(frozen=True)
class Bomb:
    """A brief that a stranger might send."""

    topic: str
    subject: str | None
    notes: str
    language: str  # BCP 47


@st.composite
def texts(draw) -> str:
    """A text of the corpus after a few changes, or random text."""
    text = draw(st.one_of(st.sampled_from(list(CORPUS.values())), st.text(max_size=300)))
    for _ in range(draw(st.integers(0, 5))):
        text = draw(st.sampled_from(_CHANGES))(draw, text)[: METADATA.longest]
    return text


def _insert(draw, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(_PIECES) * draw(st.sampled_from((1, 2, 9, 60, 700))) + text[at:]


def _cut(draw, text: str) -> str:
    first, last = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text[:first] + text[last:]


def _repeat(draw, text: str) -> str:
    first = draw(st.integers(0, len(text)))
    return text[:first] + text[first : first + draw(st.integers(1, 40))] * draw(st.integers(2, 400))


def _splice(draw, text: str) -> str:
    other = draw(st.sampled_from(list(CORPUS.values())))
    return text[: draw(st.integers(0, len(text)))] + other[draw(st.integers(0, len(other))) :]


def _within(draw, text: str) -> str:
    """Each line in something: a quotation, a list, a table, a heading."""
    before = draw(st.sampled_from(("> ", "- ", "  ", "|", "# ", "1. ", "    ")))
    return "\n".join(before + line for line in text.split("\n"))


_CHANGES = (_insert, _cut, _repeat, _splice, _within)


@st.composite
def briefs(draw) -> Bomb:
    """A brief, most of it in its notes."""
    subject = draw(st.one_of(st.none(), texts().map(lambda text: text[: SUBJECT.longest])))
    topic = draw(
        st.one_of(st.just("How tides work"), texts().map(lambda text: text[: TOPIC.longest]))
    )
    return Bomb(topic, subject, draw(texts()), draw(st.sampled_from(list(LANGUAGES))))
