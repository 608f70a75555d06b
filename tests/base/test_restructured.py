"""reStructuredText that was pasted as Markdown."""

import pytest

from svc.base.text.markdown import brief_reader
from svc.base.text.restructured import as_markdown

MARK = "\n\n.. _Home: https://a.example/"  # without a directive or a target nothing is changed

READ = [
    (
        ".. image:: https://a.example/b.svg\n   :target: https://a.example\n   :alt: Build\n\nTea.",
        "\n\nTea.",
    ),
    (
        "|build| |docs|\n\nTea.\n\n.. |build| image:: https://a.example/b.svg\n   :alt: B\n.. |docs| image:: x",
        "\n\nTea.\n\n\n",
    ),
    (
        ".. code-block:: python\n\n    import tea\n\n    tea.pour()\n\nAnd so on.",
        "\n```python\nimport tea\n\ntea.pour()\n```\n\n\nAnd so on.",
    ),
    (".. code::\n\n    ```\n    tea\n", "\n~~~~~~~~~\n```\ntea\n~~~~~~~~~\n\n"),
    (
        "Use the tools::\n\n  $ make\n  $ make install\n\nDone." + MARK,
        "Use the tools:\n\n```\n$ make\n$ make install\n```\n\n\nDone.\n",
    ),
    (
        "See `the docs <https://b.example/x>`_ and `Home`_." + MARK,
        "See [the docs](https://b.example/x) and [Home](https://a.example/).\n",
    ),
    (
        "Home_ is where snake_case_ and other_ stay." + MARK,
        "[Home](https://a.example/) is where snake_case_ and other_ stay.\n",
    ),
    ("Call :func:`pour` or ``tea_``." + MARK, "Call `pour` or ``tea_``.\n"),
    ("See `the\ndocs <x>`__ of ```." + MARK, "See [the\ndocs](x) of ```.\n"),
    ("|CI Status| |PyPI|_\n\n| A line of\n  verse." + MARK, "\n\nA line of\n  verse.\n"),
    (".. warning:: The plate is hot.", "**Warning:** The plate is hot."),
    (".. start\n\nTea.\n\n.. end" + MARK, "\nTea.\n\n"),
    (".. versionadded:: 2.0 With milk.", "2.0 With milk."),
    (".. contents:: Inside\n   :depth: 2\n\nTea.", "\n\nTea."),
]
KEPT = [
    "Tea_ and `milk`_::\n\n    pour",
    ".. and so on.\nTea.",
    "Wait...\n.. what?",
    "```\n.. image:: x\n```",
    "a::b",
    ".. start of a comment\n\nTea.",
]


@pytest.mark.parametrize(("text", "markdown"), READ)
def test_directives_targets_and_literal_blocks_become_markdown(text, markdown):
    assert as_markdown(text) == markdown


@pytest.mark.parametrize("text", KEPT)
def test_what_has_no_directive_and_no_target_stays_as_it_is(text):
    assert as_markdown(text) == text


def test_briefs_are_read_so():
    text = (
        "=====\nUsage\n=====\n\n.. image:: x\n\nPour tea::\n\n   pour\n\nParts\n~~~~~\n\nMilk_.\n\n.. _Milk: https://a.example"
    )
    kinds = [token.type for token in brief_reader().parse(text)]
    assert kinds.count("heading_open") == 2 and kinds.count("fence") == 1 and kinds.count("paragraph_open") == 2


@pytest.mark.parametrize(
    "piece",
    ["`a ", "`a <", "|a", "a_ ", ":a:`", ".. a::\n", ".. _a: b\n", "a::\n\n b\n", "   :a:\n"],
)
def test_long_texts_are_read_at_once(piece):
    assert isinstance(as_markdown(".. a::\n\n" + piece * (90_000 // len(piece))), str)
