"""Every code that a production can fail with is in the guide that partners read,
and the guide names no other.
"""

import ast
import re
from pathlib import Path

SVC = Path(__file__).parents[1] / "svc"
SOURCES = [
    *(SVC / "media").rglob("*.py"),
    *(SVC / "work").rglob("*.py"),
    *(
        SVC / "domain" / f"{name}.py"
        for name in (
            "briefing/rejection",
            "lifecycle/endings",
            "lifecycle/lifecycle",
            "lifecycle/losses",
            "productions/distribution",
            "productions/progress",
        )
    ),
]
CODE = re.compile(r"[A-Z]+(_[A-Z]+)+|EXPIRED")
IN_QUOTES = re.compile(rf"[\"']({CODE.pattern})[\"']")  # most sources have none and are not parsed
NOT_CODES = {  # two bases, never raised; names
    "MEDIA_FAILED",
    "SCRIPT_FAILED",
    "OMP_NUM_THREADS",
    "CLOCK_BOOTTIME",
    "STREET_ABBRVS",
}


def listed() -> set[str]:
    guide = (SVC / "api" / "document" / "guide.md").read_text("utf-8")
    table = guide.partition("## Why a production fails")[2].partition("\n## ")[0]
    return {
        code
        for row in table.splitlines()
        if row.startswith("| `")
        for code in re.findall(r"`(\w+)`", row.split("|")[1])
    }


def raised() -> set[str]:
    models = re.findall(r'code = "(MODEL_\w+)"', (SVC / "base" / "errors.py").read_text("utf-8"))
    sources = (text for path in SOURCES if IN_QUOTES.search(text := path.read_text("utf-8")))
    nodes = (node for text in sources for node in ast.walk(ast.parse(text)))
    texts = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {text for text in texts if CODE.fullmatch(text)} - NOT_CODES | set(models)


def test_the_guide_lists_every_code_that_is_raised_and_no_other():
    assert listed() == raised()
