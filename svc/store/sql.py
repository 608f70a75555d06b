"""Parts of statements that are written for both databases."""

import functools

LAST_CHARACTER = "\U0010ffff"  # a text that begins with another is sorted before that one with this character added


@functools.lru_cache
def of_several(statement: str, rows: int, columns: int) -> str:
    """Return a statement with placeholders for so many rows in place of ``{rows}``: many short statements cost more."""
    row = f"({', '.join('?' * columns)})"
    return statement.format(rows=", ".join([row] * rows))
