"""Parts of statements that are written for both databases."""

LAST_CHARACTER = "\U0010ffff"  # a text that begins with another is sorted before that one with this character added


def by_index(name: str) -> str:
    """Return the hint that makes SQLite use an index, for a FROM clause; for PostgreSQL it is dropped, which needs none."""
    return f"INDEXED BY {name}"
