"""Reads the scalars of one mapping in untrusted YAML, without the features that make a short text
costly to parse.
"""

import re
from collections.abc import Iterable
from typing import TypeGuard

import yaml

MOST_CHARACTERS = 4096
MOST_DEPTH = 10  # levels of nested collections
# The most open brackets: the scanner visits each again for every token, and 4,000 of them take
# eight seconds.
MOST_BRACKETS = 64
_LONGEST_NUMBER = 18  # digits
_NUMBER = re.compile(r"[-+]?\d+", re.ASCII)
_TAGS = "tag:yaml.org,2002:"

Scalar = str | int | bool | None


class Refused(ValueError):
    """The text uses a feature that is not supported here; the message names it."""


def read_mapping(text: str, key: str) -> dict[str, Scalar] | None:
    """Return the scalars of the mapping ``key`` at the top level of ``text``; None if there is no
    such key or no valid YAML.

    Refused: the text has the key, and it has an anchor, an alias, a merge key, a tag, or exceeds a
    limit; or the key or one within it occurs twice; or its value is not a mapping of scalars.
    """
    if not re.search(rf"(?:^|[{{,?])[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*:", text, re.MULTILINE):
        return None
    if len(text) > MOST_CHARACTERS:
        raise Refused(f"it has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read")
    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise Refused(f"it has more than {MOST_BRACKETS} brackets and braces")
    try:
        _check(yaml.parse(text, Loader=yaml.SafeLoader))
        root = yaml.compose(text, Loader=yaml.SafeLoader)  # nodes only: no values are constructed
    except yaml.YAMLError:
        return None  # not an error: it may be meant for another tool
    if not isinstance(root, yaml.MappingNode):
        return None
    values = [value for name, value in root.value if _is_scalar(name) and name.value == key]
    if len(values) > 1:
        raise Refused(f"{key} occurs twice")
    return _read_scalars(values[0], key) if values else None


def _check(events: Iterable[yaml.Event]) -> None:
    """Check the events of the parser, which does not resolve aliases.

    Refused: see :func:`read_mapping`.
    """
    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise Refused("anchors (&) and aliases (*) are not read; write the values out")
        if getattr(event, "tag", None) is not None:
            raise Refused("tags (!) are not read; write plain values")
        if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.style is None:
            raise Refused("merge keys (<<) are not read; write the values out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(
            event, yaml.CollectionEndEvent
        )
        if depth > MOST_DEPTH:
            raise Refused(f"its lists and mappings are nested more than {MOST_DEPTH} deep")


def _read_scalars(node: yaml.Node, key: str) -> dict[str, Scalar] | None:
    if _is_scalar(node) and node.tag == f"{_TAGS}null":
        return None
    if not isinstance(node, yaml.MappingNode):
        raise Refused(f"{key} must be a mapping")
    for name, value in node.value:
        if not (_is_scalar(name) and _is_scalar(value)):
            raise Refused(f"{key} may hold single values alone, no lists or mappings")
    fields = {name.value: _read_value(value) for name, value in node.value}
    if len(fields) < len(node.value):  # YAML 1.2.2, section 3.2.1.3: keys are unique
        names = [name.value for name, _ in node.value]
        repeated = next(name for name in names if names.count(name) > 1)
        raise Refused(f"{repeated[:60]!r} occurs twice in {key}")
    return fields


def _is_scalar(node: yaml.Node) -> TypeGuard[yaml.ScalarNode]:
    return isinstance(node, yaml.ScalarNode)


def _read_value(node: yaml.ScalarNode) -> Scalar:
    """Return text or a whole number, None for null, and False for any other type."""
    if node.tag == f"{_TAGS}str":
        return str(node.value)
    if (
        node.tag == f"{_TAGS}int"
        and len(node.value) <= _LONGEST_NUMBER
        and _NUMBER.fullmatch(node.value)
    ):
        return int(node.value)
    return None if node.tag == f"{_TAGS}null" else False
