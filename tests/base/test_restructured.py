"""reStructuredText that was pasted as Markdown."""

import pytest
from support.sampling import sampled

from svc.base.text.markdown import build_brief_reader
from svc.base.text.restructured import as_markdown

MARK = "\n\n.. _Home: https://a.example/"  # without a directive or a target nothing is changed
TWO_TEAS = "[Tea](https://t.example/black) and [black tea](https://t.example/black)."

READ = [
    (
        ".. image:: https://a.example/b.svg\n   :target: https://a.example\n   :alt: Build\n\nTea.",
        "Tea.",
    ),
    (".. image::\n   https://a.example/b.svg\n   :target: https://a.example\n\nTea.", "Tea."),
    (
        (
            "|build| |docs|\n\nTea.\n\n.. |build| image:: https://a.example/b.svg\n   :alt: B\n"
            ".. |docs| image:: x"
        ),
        "Tea.",
    ),
    ("Tea of |year|.\n\n.. |year| replace:: 2026", "Tea of 2026."),
    ("|tea|\n\n.. |tea| replace:: Hot tea", "Hot tea"),
    (
        ".. code-block:: python\n\n    import tea\n\n    tea.pour()\n\nAnd so on.",
        "```python\nimport tea\n\ntea.pour()\n```\n\nAnd so on.",
    ),
    ("..  code:: bash\n\n    $ tea\n", "```bash\n$ tea\n```"),
    (".. code::\n\n    ```\n    tea\n", "~~~~~~~~~\n```\ntea\n~~~~~~~~~"),
    (
        "Use the tools::\n\n  $ make\n\n  $ test\n\nDone." + MARK,
        "Use the tools:\n\n```\n$ make\n\n$ test\n```\n\nDone.",
    ),
    ("Use ::\n\n  $ make" + MARK, "Use\n\n```\n$ make\n```"),
    ("::\n\n  $ make" + MARK, "```\n$ make\n```"),
    (">>> tea()\n'hot'\n\nDone." + MARK, "```pycon\n>>> tea()\n'hot'\n```\n\nDone."),
    (
        "See `the docs <https://b.example/x>`_ and `Home`_." + MARK,
        "See [the docs](https://b.example/x) and [Home](https://a.example/).",
    ),
    ("See `the docs <https://b.example/x>`_.", "See [the docs](https://b.example/x)."),
    (
        "Home_ is where `the guide`_ and other_ stay, and snake_case too." + MARK,
        "[Home](https://a.example/) is where the guide and other stay, and snake_case too.",
    ),
    ("At https://a.example/b_?c_&d=e_ now." + MARK, "At https://a.example/b_?c_&d=e_ now."),
    (
        "Set A_<b>_C, d_{e} and f_=1 of Home_." + MARK,
        "Set A_<b>_C, d_{e} and f_=1 of [Home](https://a.example/).",
    ),
    ("Call :func:`pour` or ``tea_``." + MARK, "Call `pour` or ``tea_``."),
    (":pep:`8`, :ref:`the end <end>`, :class:`~tea.Pot`." + MARK, "PEP 8, the end, `Pot`."),
    ("The ``pot``\\ s." + MARK, "The ``pot``s."),
    ("The ``pot``\\s, the :tea:`cup`\\s and C:\\x." + MARK, "The ``pot``s, the `cup`s and C:\\x."),
    (
        ":PEP:`8`, H\\ :sub:`2`\\ O, :strong:`hot`, :math:`x_{i}`." + MARK,
        "PEP 8, H~2~O, **hot**, $x_{i}$.",
    ),
    ("See `the docs <https://b.example/\nx>`_." + MARK, "See [the docs](https://b.example/x)."),
    (
        "See `the docs <home_>`_ and a _`kettle`." + MARK,
        "See [the docs](https://a.example/) and a kettle.",
    ),
    (
        "Tea_ and `black tea`_.\n\n.. _tea:\n.. _black tea:\n   https://t.example/\n   black",
        TWO_TEAS,
    ),
    (
        (
            "    Tea_ and `black tea`_.\n\n    .. _tea: `Black  tea`_\n"
            "    .. _black tea: https://t.example/black"
        ),
        TWO_TEAS,
    ),
    (
        "`This`__, `that <x>`__ and those__.\n\n__ https://t.example/\n   1\n\n.. __: Home_" + MARK,
        "[This](https://t.example/1), [that](x) and [those](https://a.example/).",
    ),
    ("a_ and b_.\n\n.. _a: b_\n.. _b: a_\n\n__ __" + MARK, "a and b.\n\n__ __"),
    ("See `the\ndocs <x>`__ of ```." + MARK, "See [the\ndocs](x) of ```."),
    ("|CI Status| |PyPI|_\n\n| A line of\n  verse." + MARK, "A line of verse."),
    ("| One\n| two" + MARK, "| One\n| two"),
    (".. warning:: The plate is hot.", "**Warning:** The plate is hot."),
    (".. note::\n\n   Hot.\n\n   - Very.", "**Note:** Hot.\n\n- Very."),
    (".. start\n\nTea.\n\n..\n   hidden\n\n.. end" + MARK, "Tea."),
    (".. versionadded:: 2.0 With milk.", "2.0 With milk."),
    (".. contents:: Inside\n   :depth: 2\n\nTea.", "Tea."),
    (".. only:: html\n\n   Tea.", "Tea."),
    (".. math:: a = b", "$$a = b$$"),
    ("Tea\n###\nHot.\n\nMilk\n~~~~\nCold." + MARK, "# Tea\n\nHot.\n\n## Milk\n\nCold."),
    ("=====\n Tea\n=====\n\nPots\n====\n\n~~~~\n\nx" + MARK, "# Tea\n\n## Pots\n\n---\n\nx"),
    (
        "Tea [#f]_ and milk [1]_ [2]_.\n\n.. [#f] Hot.\n   Green.\n.. [1] Cold." + MARK,
        "Tea[^f] and milk[^1].\n\n[^f]: Hot.\n    Green.\n\n[^1]: Cold.",
    ),
    (
        "Tea [#]_, milk [#]_.\n\n.. [#] A.\n\n.. [#] B." + MARK,
        "Tea[^1], milk[^2].\n\n[^1]: A.\n\n[^2]: B.",
    ),
    ("Tea.\n\n    - Hot\n    - Green" + MARK, "Tea.\n\n- Hot\n- Green"),
    ("tea\n  A drink.\n\n  Hot." + MARK, "tea\n\n:   A drink.\n\n    Hot."),
    (
        "#. Pour::\n\n     pour()\n\n#. Drink." + MARK,
        "1. Pour:\n\n   ```\n   pour()\n   ```\n\n1. Drink.",
    ),
    (":Author: Ada\n:Version: 2\n   or 3" + MARK, "- **Author:** Ada\n- **Version:** 2\n  or 3"),
    (
        ":Teas:\n\n   * Hot\n   * Green\n\n:Pot:\n   Tea.\n\n   More.\n:Empty:\n\nDone." + MARK,
        "- **Teas:**\n  * Hot\n  * Green\n\n- **Pot:** Tea.\n\n  More.\n- **Empty:**\n\nDone.",
    ),
    (":Use:\n\n   ::\n\n      pour()" + MARK, "- **Use:**\n  ```\n  pour()\n  ```"),
    (
        "The `pot`:tea:, `2`:sup:, `hot`:strong: and `8`:pep:." + MARK,
        "The `pot`, ^2^, **hot** and PEP 8.",
    ),
    ("The `pot`:tea:\\s, `a`: b, ``c``:d: e." + MARK, "The `pot`s, `a`: b, ``c``:d: e."),
    (
        (
            "-a          Pour.\n-f FILE     Read\n            it.\n--hot=N, -h N\n"
            "            Heat.\n\n/V  Old.\n\nx"
        )
        + MARK,
        "- `-a`: Pour.\n- `-f FILE`: Read\n  it.\n- `--hot=N, -h N`: Heat.\n\n- `/V`: Old.\n\nx",
    ),
    ("- Tea\n\n  -a  Hot.\n  -b  Cold." + MARK, "- Tea\n\n  - `-a`: Hot.\n  - `-b`: Cold."),
    ("-a\n\n-b c\n\n--  d\n\n/usr/bin  e" + MARK, "-a\n\n-b c\n\n--  d\n\n/usr/bin  e"),
    (
        (
            ".. list-table:: Teas\n   :header-rows: 1\n\n   * - Tea\n     - Price\n   * - Green\n"
            "     - 3 \n       euros"
        ),
        "Teas\n\n| Tea | Price |\n|---|---|\n| Green | 3 euros |",
    ),
    (
        (
            ".. list-table::\n   :stub-columns: 1\n\n   * - docs\n     - |docs|\n   * - tests\n"
            "     - | |ci|"
        ),
        "",
    ),
    (
        '.. csv-table::\n   :header: Tea, Price\n\n   "Green, hot", 3',
        "| Tea | Price |\n|---|---|\n| Green, hot | 3 |",
    ),
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
        "=====\nUsage\n=====\n\n.. image:: x\n\nPour tea::\n\n   pour\n\nParts\n~~~~~\n\nMilk_.\n"
        "\n.. _Milk: https://a.example"
    )
    kinds = [token.type for token in build_brief_reader().parse(text)]
    assert (
        kinds.count("heading_open") == 2
        and kinds.count("fence") == 1
        and kinds.count("paragraph_open") == 2
    )


@pytest.mark.parametrize("name", ["|a|", "a_", "`a`_"])
def test_what_stands_for_names_is_no_longer_than_the_notes(name):
    text = (
        ".. |a| replace:: " + "x" * 1500 + "\n.. _a: " + "y" * 1500 + "\n\n" + f"{name} and " * 500
    )
    read = as_markdown(text)
    assert len(read) < 2 * len(text) and ("xxx" in read or "yyy" in read)


@pytest.mark.parametrize(
    "piece",
    sampled(
        [
            "`a ",
            "`a <",
            "|a",
            "a_ ",
            "_`a",
            ":a:`",
            ".. a::\n",
            ".. _a: b\n",
            ".. _a:\n",
            "__ a\n",
            "__ a\n b\n",
            "a::\n\n b\n",
            "   :a:\n",
            ":a:\n\n b\n",
            "-a  b\n c\n",
            "-a     ",
            "`a`:b:",
            "`a`:",
        ],
        6,
    ),
)
def test_long_texts_are_read_at_once(piece):
    assert isinstance(as_markdown(".. a::\n\n" + piece * (90_000 // len(piece))), str)
