"""The pipes to a child process."""

from typing import IO


def end(of_child: IO[bytes] | None) -> IO[bytes]:
    """Return an end of a pipe that a child was started with: its ``stdin``, ``stdout`` or ``stderr``. ValueError: none."""
    if of_child is None:
        raise ValueError("the child was started without this pipe")
    return of_child
