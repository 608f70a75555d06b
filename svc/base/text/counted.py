"""Numbers of things in sentences for operators: ``1 webhook``, ``2 webhooks``."""


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun. ``many``: the plural; by default ``one`` with an ``s``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
