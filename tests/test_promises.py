"""A comment below each heading of a document that promises names the tests that prove its section,
or that it explains.
"""

import ast
import functools
import re
from pathlib import Path

import pytest

from tests.support.documents import PROMISING, read

TESTS = Path(__file__).parent
_COMMENT = re.compile(r"<!-- (?:explanation|proved by:\s+([^<>]+?)) -->\n")


def sections(document: str) -> list[tuple[str, str]]:
    """Return the headings of a document, each with the lines below it."""
    # a shell's comments begin with too
    text = re.sub(r"^```.*?^```$", "", read(document), flags=re.DOTALL | re.MULTILINE)
    parts = re.split(r"^(#+ .+)\n", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@functools.cache
def functions(path: str) -> frozenset[str]:
    file = TESTS / path
    if not file.is_file():
        return frozenset()
    return frozenset(
        node.name
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    )


@pytest.mark.parametrize("document", PROMISING)
def test_each_section_names_tests_that_prove_it_or_is_an_explanation(document):
    assert sections(document)
    wrong = []
    for heading, text in sections(document):
        comment = _COMMENT.match(text)
        if comment is None:
            wrong.append(
                f"{heading}: put <!-- proved by: folder/test_file.py::test_name --> or <!-- "
                "explanation --> below it"
            )
            continue
        for name in re.split(r",\s+", comment[1] or ""):
            path, _, function = name.partition("::")
            if name and function not in functions(path):
                wrong.append(f"{heading}: there is no test {name}")
    assert not wrong, f"in {document}:\n" + "\n".join(wrong)
