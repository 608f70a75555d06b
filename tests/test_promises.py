"""Every sentence of the documents that promise is in ``promises.md``: with the tests that prove it, or as explanation."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.documents import PROMISING, read

TESTS = Path(__file__).parent
ROOT = TESTS.parent
EXPLANATION = "explanation"
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z0-9`*(…])")
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|vs)\.|:)$")


def sentences(document: str) -> list[str]:
    """Return a document's sentences in their order: of prose and list items, and the first cells of table rows for those."""
    text = re.sub(r"^```\w*\n.*?^```$", "\n", read(document), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(#.*|!\[.*\]\(.*\))$", "\n", text, flags=re.MULTILINE)  # headings and pictures
    found = []
    for block in re.split(r"\n\s*\n|\n(?=- )", text):
        found += _rows(block) if block.lstrip().startswith("|") else _split(" ".join(block.removeprefix("- ").split()))
    return [each for each in found if each]


def _rows(table: str) -> list[str]:
    _, _, *rows = table.strip().splitlines()  # without the head and its line
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    return [first or second for first, second, *_ in cells]


def _split(paragraph: str) -> list[str]:
    parts = [""]
    for piece in _SENTENCE_END.split(paragraph):
        parts[-1] = f"{parts[-1]} {piece}".strip()
        if not _NOT_AN_END.search(piece):
            parts.append("")
    return [each for each in parts if each]


def promises() -> dict[str, str]:
    """Sentence to what is below it in ``promises.md``: tests with a comma between, or EXPLANATION."""
    text = (TESTS / "promises.md").read_text("utf-8")
    pairs = re.findall(r"^> (.+)\n(.+)$", text, re.MULTILINE)
    assert len(dict(pairs)) == len(pairs), "a sentence stands in tests/promises.md twice"
    return dict(pairs)


def named(proof: str) -> list[str]:
    return [] if proof == EXPLANATION else [each.strip() for each in proof.split(",")]


@functools.cache
def functions(path: str) -> frozenset[str]:
    file = TESTS / path
    if not file.exists():
        return frozenset()
    return frozenset(node.name for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("document", PROMISING)
def test_every_sentence_is_proved_or_an_explanation(document):
    missing = [each for each in sentences(document) if each not in promises()]
    told = "\n".join(f"{document} says: {each}\n  name the test that proves it in tests/promises.md" for each in missing)
    assert not missing, f"\n{told}\n\nas:\n\n" + "\n\n".join(f"> {each}\nfolder/test_file.py::test_name" for each in missing)


def test_every_promise_stands_in_a_document():
    known = {each for document in PROMISING for each in sentences(document)}
    gone = [each for each in promises() if each not in known]
    assert not gone, "in no document any more, remove or change it in tests/promises.md:\n" + "\n".join(gone)


@pytest.mark.slow
def test_every_test_that_a_promise_names_exists():
    missing = [
        f"{name}  (of: {sentence})"
        for sentence, proof in promises().items()
        for name in named(proof)
        if name.partition("::")[2] not in functions(name.partition("::")[0])
    ]
    assert not missing, "tests/promises.md names tests that are not there:\n" + "\n".join(missing)


def test_most_sentences_are_promises():
    proofs = list(promises().values())
    assert len(proofs) > 150 and sum(each == EXPLANATION for each in proofs) < len(proofs) / 4


@pytest.mark.slow
def test_every_test_that_a_promise_names_is_collected():
    names = {name for proof in promises().values() for name in named(proof)}
    files = sorted({f"tests/{name.partition('::')[0]}" for name in names})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-n", "0", "-m", "", *files]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    collected = {line.partition("[")[0].removeprefix("tests/") for line in told.stdout.splitlines() if "::" in line}
    assert names <= collected, sorted(names - collected)
