"""Front matter: YAML with the key `sandbox` between two lines of three dashes at the beginning of a
Markdown text.

Whatever else stands between such lines is text: a rule, a table of somebody's notes, the front
matter of another tool.
"""

import re

_BOUNDARY = re.compile(r"---[ \t]*")
# A line of YAML: empty, indented, a comment, an item, a key, or one that begins with an indicator
# of YAML. Each alternative is tried once per line, so the time is linear in the length of the text.
_YAML_LINE = re.compile(r"(?:[ \t].*|#.*|-(?:[ \t].*)?|[{}\[\]?&*!%\"'].*|[\w.-]+[ \t]*:.*)?")
# The key at the top level of a mapping: at the beginning of a line, or within braces.
_KEY = re.compile(r"[\"']?sandbox[\"']?[ \t]*:")
_KEY_IN_BRACES = re.compile(r"[{,][ \t]*[\"']?sandbox[\"']?[ \t]*:")


def split_front_matter(source: str) -> tuple[str | None, str]:
    """Return the front matter of ``source`` (None if there is none) and the text after it."""
    text = source.removeprefix("\ufeff")
    lines = text.split("\n")
    if not _BOUNDARY.fullmatch(_strip_return(lines[0])):
        return None, source
    is_ours = False
    for number, line in enumerate(lines[1:], 1):
        line = _strip_return(line)
        if _BOUNDARY.fullmatch(line):
            if not is_ours:
                break
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
        if not _YAML_LINE.fullmatch(line):
            break
        is_ours = (
            is_ours
            or (_KEY_IN_BRACES.search(line) if line[:1] == "{" else _KEY.match(line)) is not None
        )
    return None, source


def _strip_return(line: str) -> str:
    return line.removesuffix("\r")
