"""The documents that people read: the README, what is in ``docs/``, and the READMEs of the SDKs."""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
ALL = (
    "README.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "sdk").glob("*/README.md")),
    "sdk/CHANGELOG.md",
)
# Those that promise: a comment below each heading names the tests that prove its section. The
# others explain or agree.
PROMISING = (
    "README.md",
    "docs/api.md",
    "docs/webhooks.md",
    "docs/media.md",
    "docs/console.md",
    "docs/operations.md",
    "docs/benchmarks.md",
    "docs/scale.md",
    "docs/platforms.md",
    "docs/quickstart.md",
    "docs/reference.md",
    "sdk/python/README.md",
    "sdk/typescript/README.md",
)
EXPLAINING = (
    "docs/CHANGELOG.md",
    "docs/api-changelog.md",
    "docs/SECURITY.md",
    "docs/architecture.md",
    "docs/contributing.md",
    "docs/decisions.md",
    "docs/specification.md",
    "sdk/CHANGELOG.md",
)


def read(name: str) -> str:
    """Return the text of a document, named from the top of the repository."""
    return (ROOT / name).read_text("utf-8")


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the code blocks of a document in their order: the language of each, and its lines."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def shell(*names: str) -> str:
    """Return all shell blocks of the named documents, with continued lines joined."""
    found = [lines for name in names for language, lines in blocks(read(name)) if language == "sh"]
    return "".join(found).replace("\\\n", " ")


def require_names(place: str, named: Iterable[str], existing: Iterable[str]) -> None:
    """Require that ``place`` names all that exists and nothing else; the failure says what to write
    there.
    """
    named, existing = set(named), set(existing)
    steps = [
        f"{verb} {', '.join(sorted(names))}"
        for verb, names in (("add", existing - named), ("remove", named - existing))
        if names
    ]
    assert not steps, f"{place}: {'; '.join(steps)}"


def require_table(name: str, start: str, end: str, source: str, table: str) -> None:
    """Require that the document ``name`` has a table between two marks as ``source`` returns it."""
    shown = read(name).partition(start)[2].partition(end)[0].strip()
    require_names(f"{name}, by `{source}`", shown.splitlines(), table.splitlines())
    assert shown == table, f"{name}: order the rows as `{source}` does"


def read_error_table() -> dict[str, int]:
    """Return the status of each error code by the table of docs/reference.md."""
    rows = re.findall(r"^\| (\d{3}) \| (.+) \|$", read("docs/reference.md"), re.MULTILINE)
    return {code: int(status) for status, codes in rows for code in re.findall(r"`(\w+)`", codes)}
