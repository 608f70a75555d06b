"""Lists and quotations that are nested deeper than the parser follows:
all of their words are read.
"""

import pytest
from support.counting import lines_run
from support.tables import each_of

from svc.base.text import markdown
from svc.media.script.completeness import list_lost
from svc.media.script.from_brief import write_script
from svc.media.script.markdown import parse_blocks
from tests.media.conftest import brief_of


def bullets(depth: int, mark: str = "-") -> str:
    """A list in a list …, each with one item."""
    width = len(mark) + 1
    return "\n".join(f"{' ' * width * at}{mark} item {at}" for at in range(depth))


def points(text: str) -> list[tuple[str, int]]:
    return [(block.text, block.level) for block in parse_blocks(text) if block.kind == "point"]


@each_of("mark", ["-", "*", "+", "1."])
@each_of("depth", [8, 9, 10, 11, 25, 60])
def test_items_of_lists_too_deep_are_items_of_the_deepest_one(depth, mark):
    assert points(bullets(depth, mark)) == [(f"item {at}", min(at, 8)) for at in range(depth)]


def test_what_follows_a_deep_list_stands_where_it_stood():
    text = (
        f"{bullets(12)}\n\n{' ' * 26}beside 11\n{'  ' * 10}- [x] done\n    - up again\n\n- first\n"
        "\nThe end."
    )
    assert points(text)[-4:] == [("item 11", 8), (" done", 8), ("up again", 2), ("first", 0)]
    assert [block.text for block in parse_blocks(text) if block.kind == "prose"] == [
        "beside 11",
        "The end.",
    ]


def test_a_deep_item_keeps_its_number_its_tick_and_its_further_lines():
    deep = bullets(9) + f"\n{' ' * 18}7. seven\n{' ' * 20}goes on\n{' ' * 18}8) [x] eight **bold**"
    assert [(block.text.strip("\ue000\ue001"), block.label) for block in parse_blocks(deep)][
        -2:
    ] == [
        ("seven goes on", "7."),
        (" eight \ue000bold", "8) ☑"),
    ]


@pytest.mark.parametrize("depth", [15, 16, 19, 20, 21, 40, 300])
def test_quotations_too_deep_are_quotations(depth):
    text = ">" * depth + " deep\n" + "> " * depth + "er\n\nAfter."
    assert [(block.kind, block.text) for block in parse_blocks(text)] == [
        ("quote", "deep\ner"),
        ("prose", "After."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- " * 40 + "x",
        "> - " * 20 + "x",
        "1. > " * 20 + "x",
        "- " * 9 + "> x",
        ">" * 30 + "- x\n- y",
    ],
)
def test_both_may_be_mixed_in_one_line(text):
    assert "x" in " ".join(block.text for block in parse_blocks(text)).split()


@each_of(
    "more",
    [
        "Pot\n: a thing",
        "[^1]: note",
        "```\ncode\n```",
        "| a |\n|-|\n| b |",
        "# Head",
        "* * *",
        "    code",
    ],
)
@each_of("depth", [7, 8, 9, 12])
def test_other_blocks_in_a_deep_list_lose_no_word(more, depth):
    inner = "\n".join("  " * depth + line for line in more.split("\n"))
    text = f"x[^1]\n\n{bullets(depth)}\n\n{inner}"
    seen = " ".join(
        [block.text + block.label + " ".join(sum(block.rows, ())) for block in parse_blocks(text)]
    )
    assert not [
        word for word in ("a thing", "note", "code", "Head") if word in more and word not in seen
    ]


def test_a_term_whose_definition_is_code_is_read():
    read = [(block.kind, block.text) for block in parse_blocks("Pot\n:     code\n\nLid\n: a thing")]
    assert read == [("prose", "Pot"), ("code", "code"), ("point", "\ue000Lid\ue001: a thing")]
    assert [block.text for block in parse_blocks("Pot\n: # Head\n\nLid\n: <!-- c -->")] == [
        "Head",
        "Pot",
        "Lid",
    ]


def test_an_outline_of_the_usual_depth_is_read_as_commonmark_has_it():
    """Seven lists, and fifteen quotations, as the parser alone reads them."""
    plain = markdown.build_brief_reader()
    plain.block.ruler.disable("deep_nesting")
    for text in (
        bullets(7),
        bullets(7) + "\n\n              more",
        ">" * 15 + " x\nlazy",
        "> - " * 5 + "x",
    ):
        assert markdown.build_brief_reader().render(text) == plain.render(text)


def test_a_script_of_a_deep_outline_has_all_of_it():
    brief = brief_of(metadata_md=f"{bullets(14)}\n\n{'>' * 25} deep said.")
    script = write_script(brief)
    assert list_lost(brief, script) == []
    assert {f"item {at}" for at in range(14)} <= {
        point.text for scene in script.scenes for point in scene.points
    }


@pytest.mark.parametrize(
    "text",
    [
        "> " * 2048,
        "- " * 2048,
        bullets(60),
        "\n".join("  " * (at % 40) + "- x" for at in range(100)),
        ("- " * 20 + "\n\n") * 100,
    ],
)
def test_the_work_is_in_proportion_to_the_length(text):
    """The bound is for each character; an algorithm that grows with the square runs many times
    as many lines.
    """
    parse_blocks(text)
    assert lines_run(lambda: parse_blocks(text)) < 100 * len(text)
