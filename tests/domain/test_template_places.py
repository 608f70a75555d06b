"""A value is the text that it is wherever its variable stands in Markdown: in code, diagrams,
formulas and addresses, too.
"""

import itertools

import pytest

from svc.base.text.markdown import build_brief_reader
from svc.domain.briefing.template_values import ReadTemplate

PARSER = build_brief_reader()
VARIABLE = {"name": "a", "type": "text", "required": False, "default": None, "choices": []}
DIAGRAM = '```mermaid\npie\n"Beer" : {{a}}\n"Wine" : 3\n```'


def fill(notes: str, value: str, kind: str = "text") -> str:
    template = ReadTemplate({"metadataMD": notes}, [VARIABLE | {"type": kind}])
    return template.fill({"a": value})["metadataMD"]


def read(notes: str) -> list[tuple[str, str]]:
    """The kinds of what Markdown has, in order, with their texts."""
    found = []
    for token in PARSER.parse(notes):
        found += [(each.type, each.content) for each in token.children or [token]]
    return found


@pytest.mark.parametrize(
    ("notes", "value", "kind", "text"),
    [
        (
            "```\npip install {{a}}\n```",
            "foo_bar[x]==1.5*",
            "fence",
            "pip install foo_bar[x]==1.5*\n",
        ),
        ("~~~sh\n{{ a }}\n~~~", "a && b | c", "fence", "a && b | c\n"),
        ("    x = {{a}}", "a_b", "code_block", "x = a_b\n"),
        ("- one\n\n      x = {{a}}", "a_b", "code_block", "x = a_b\n"),
        ("Run `{{a}} -v` now", "a_b.c", "code_inline", "a_b.c -v"),
        ("Run `{{a}}` now", "a`b", "code_inline", "aˋb"),
        ("Run `{{a}}` now", "", "code_inline", " "),
        ("|a|\n|---|\n|`{{a}}`|", "x|y_z", "code_inline", "x|y_z"),
        (DIAGRAM, "12.5", "fence", 'pie\n"Beer" : 12.5\n"Wine" : 3\n'),
        ("It is $x = {{a}}$ here", "12.5", "math_inline", "x = 12.5"),
        ("It is \\(x = {{a}}\\) here", "-3", "math_inline", "x = -3"),
        ("See <https://e.org/{{a}}>", "a_b-c", "text", "https://e.org/a_b-c"),
        ("See <{{a}}>", "https://e.org/a_b", "text", "https://e.org/a_b"),
    ],
)
def test_what_is_no_plain_text_has_no_marks_of_escapes(notes, value, kind, text):
    found = read(fill(notes, value))
    if kind == "text":
        assert text in "".join(each for _, each in found)
    else:
        assert (kind, text) in found


def test_an_address_is_one_whatever_the_value():
    for value, address in (("New York (x)", "New%20York%20%28x%29"), ("a_b", "a_b"), ("&", "&")):
        for notes in ("[d](https://e.org/{{a}})", "![d](https://e.org/{{a}})"):
            [paragraph] = [each for each in PARSER.parse(fill(notes, value)) if each.children]
            attrs = paragraph.children[0].attrs
            assert attrs.get("href") or attrs.get("src") == f"https://e.org/{address}"


def test_the_value_of_a_field_of_front_matter_has_no_marks_of_escapes():
    notes = "---\nsandbox:\n  failCode: {{a}}\n---\n# One"
    assert fill(notes, "RENDER_FAILED") == notes.replace("{{a}}", "RENDER_FAILED")


AROUND = (
    "```\n{{a}}\nx\n```\n\nend",
    "``` \nx {{a}} y\n```\n\nend",
    "~~~\n{{a}}{{a}}\n~~~\n\nend",
    "    x {{a}}\n\nend",
    "Run `{{a}}` or `b` *now*",
    "Run ``x {{a}}`` or `b` *now*",
    "|a|b|\n|---|---|\n|`{{a}}`|`b`|\n\nend",
    "> ```\n> {{a}}\n> ```\n\nend",
    "See <https://e.org/{{a}}> *now*",
    "See [d](https://e.org/{{a}}) *now*",
    "<p>Hi {{a}}</p>\n\nend",
    "Hi {{a}} *now*",
)
HOSTILE = (
    *("`", "``", "```", "~~~", "``` x", "a`b``c", "*b*", "_b_", "<b>", "</p>", "-->", "|", "\\"),
    *("a b", ")", "(", "](https://x.example)", ">", "<", '"', "'", "&amp;", "&", "\n\n# x", "\\`"),
    *("[x]", "---", "- x", "1. x", "# x", "$x$", "\\(x\\)", "    x", "", "![x](y)", "{{a}}", "]]>"),
)


def test_no_value_changes_what_stands_around_it():
    for notes, value in itertools.product(AROUND, HOSTILE):
        kinds = [kind for kind, _ in read(fill(notes, value)) if kind != "text"]
        usual = [kind for kind, _ in read(fill(notes, "usual")) if kind != "text"]
        assert kinds == usual, (notes, value)


def test_a_value_in_a_diagram_is_no_part_of_its_structure():
    filled = fill("```mermaid\ngraph TD\nA[{{a}}] --> B\n```", 'x] --> C["y"] | z;')
    assert filled.split("\n")[2] == "A[x］ --＞ C［”y”］ ｜ z；] --> B"


def test_what_is_no_number_or_name_in_a_formula_stays_escaped():
    assert fill("It is $x = {{a}}$", "\\frac{1}{2}") == "It is $x = \\\\frac\\{1\\}\\{2\\}$"


def test_markdown_stays_markup_wherever_it_stands():
    assert fill("```\n{{a}}\n```", "a_b\n*c*", "markdown") == "```\na_b\n*c*\n```"


def test_plain_notes_are_not_parsed(monkeypatch):
    monkeypatch.setattr("svc.domain.briefing.template_places._parser", None)
    assert fill("# Of {{a}}\n\n- one: {{a}}", "a_b") == "# Of a\\_b\n\n- one: a\\_b"
