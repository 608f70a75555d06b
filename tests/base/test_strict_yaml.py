"""YAML from strangers: the scalars that are looked for, and nothing that grows."""

import pytest
from support.counting import lines_run
from support.sampling import sampled

from svc.base.text import front_matter, strict_yaml

LEVELS = "abcdefghi"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip(LEVELS, LEVELS[1:])
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n"
    for before, name in zip(LEVELS, LEVELS[1:])
)
HEAD = "sandbox:\n  failAt: video\n"


def test_scalars_are_read_as_what_they_are():
    text = (
        "title: x\nsandbox: # ours\n  word: video\n  number: 12\n  quoted: '12'\n  flag: true\n"
        "  none:\n  share: 1.5\n"
    )
    text += "  base: 0x10\n"
    assert strict_yaml.read_mapping(text, "sandbox") == {
        "word": "video",
        "number": 12,
        "quoted": "12",
        "flag": False,
        "none": None,
        "share": False,
        "base": False,
    }
    assert strict_yaml.read_mapping("{sandbox: {failAt: video}}", "sandbox") == {"failAt": "video"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "title: sandbox",
        "- sandbox: {}",
        "sandbox:",
        "sandbox: {",
        "a: &a [*a]",
        BOMB,
        MERGES,
        "[" * 4000,
    ],
)
def test_a_text_without_the_mapping_has_none(text):
    assert strict_yaml.read_mapping(text, "sandbox") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD + BOMB, "anchors"),
        (MERGES + HEAD, "anchors"),
        (HEAD + "x: *a", "anchors"),
        (HEAD + "<<: {a: b}", "merge keys"),
        (HEAD + "x: !!python/object/apply:os.system [id]", "tags"),
        (HEAD + "x: !!str 1", "tags"),
        ("sandbox:\n  a: 1\n  a: 2", "'a' occurs twice in sandbox"),
        ("sandbox:\n  a: 1\nsandbox:\n  b: 2", "sandbox occurs twice"),
        ("sandbox: [a]", "must be a mapping"),
        ("sandbox: word", "must be a mapping"),
        ("sandbox: 1", "must be a mapping"),
        ("sandbox:\n  a: [b]", "single values"),
        ("sandbox:\n  a: {b: c}", "single values"),
        ("sandbox: {[a]: b}", "single values"),
        (HEAD + "x: " + "[" * 4000, "brackets"),
        (HEAD + "x: " + "[" * 20 + "]" * 20, "nested"),
        (HEAD + "".join(" " * depth + "a:\n" for depth in range(40)), "nested"),
        (HEAD + "#" * 5000, "characters"),
    ],
)
def test_a_mapping_beside_what_is_not_read_is_refused(text, why):
    def read() -> None:
        with pytest.raises(strict_yaml.Refused, match=why):
            strict_yaml.read_mapping(text, "sandbox")

    assert lines_run(read) < 20_000  # 4,000 brackets that are scanned take millions


@pytest.mark.parametrize(
    "line",
    sampled(
        ["- :", "- a:", "a:", "-", "[", "# a: b", "\t- :", "'a': ", '"', "-" * 249_999 + " "], 3
    ),
)
def test_front_matter_without_an_end_costs_no_more_than_its_length(line):
    def of_length(length: int) -> str:
        return "---\n" + (line + "\n") * max(1, length // (len(line) + 1)) + "prose"

    assert front_matter.split_front_matter(of_length(4000)) == (None, of_length(4000))
    assert lines_run(lambda: front_matter.split_front_matter(of_length(4000))) < 10 * 4000
    # What patterns do is not counted: were that to grow with the square, this would take minutes,
    # and not a moment.
    assert front_matter.split_front_matter(of_length(250_000))[0] is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_is_what_stands_between_the_dashes(end):
    matter = [
        "title: x",
        "",
        "# why",
        "sandbox:",
        "list:",
        "  - a",
        "- b",
        "-",
        "'key': c",
        "{a: b}",
        "]",
    ]
    text = end.join(["---", *matter, "--- ", "", "# Notes", "---"])
    found, rest = front_matter.split_front_matter("\ufeff" + text)
    assert found.replace("\r", "").split("\n") == matter
    assert rest == end.join(["", "# Notes", "---"])
    for prose in (
        "",
        "words",
        "--- \nSome prose.\n---\nMore.",
        "\n" + text,
        "----\na: b\n----",
        "---\na: b\n----\n",
    ):
        assert front_matter.split_front_matter(prose) == (None, prose)


@pytest.mark.parametrize(
    "key",
    [
        "sandbox:",
        "sandbox: {}",
        "'sandbox': {}",
        '"sandbox" : {}',
        "{sandbox: {failAt: video}}",
        "{a: b, sandbox: {}}",
    ],
)
def test_a_mapping_with_the_key_is_front_matter(key):
    assert front_matter.split_front_matter(f"---\n{key}\n---\nwords") == (key, "words")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Opening hours: 9 to 5",
        "- first\n- second",
        "# Heading",
        "title: Tides\nauthor: Ada",
        "meta:\n  sandbox: x",
        "the sandbox: a toy",
        "sandboxes: two",
        "# sandbox: x",
        "- sandbox: x",
        "{a: sandbox}",
    ],
)
def test_ordinary_notes_between_rules_are_text(text):
    notes = f"---\n{text}\n---\nwords"
    assert front_matter.split_front_matter(notes) == (None, notes)
