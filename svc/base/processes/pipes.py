"""The pipes to a child process."""

from typing import IO


def end_of_pipe(of_child: IO[bytes] | None) -> IO[bytes]:
    """Return a child's ``stdin``, ``stdout`` or ``stderr``.

    ValueError: the child was started without it.
    """
    if of_child is None:
        raise ValueError("the child was started without this pipe")
    return of_child
