"""The code samples that partners are shown: real files, which the tests run against
a real server.
"""

from functools import cache
from pathlib import Path

LANGUAGES = {
    ".sh": ("shell", "curl"),
    ".py": ("python", "Python"),
    ".mjs": ("javascript", "Node.js"),
}


@cache
def read_sample(name: str) -> str:
    """The text of a sample, such as ``verify.py``."""
    return Path(__file__).with_name(name).read_text("utf-8")
