"""Numbers of things in sentences for operators: ``1 webhook``, ``2 webhooks``."""


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with what is counted. ``many``: of any other number than 1, with an ``s`` by
    default."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
