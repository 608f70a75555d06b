"""Progress bars on standard error, if that is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def show_bytes(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar of bytes; yield a function that takes the number done and the total."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with _make_progress(*columns) as progress:
        task = progress.add_task(label, total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)


@contextmanager
def show_steps(number: int) -> Iterator[Callable[[str], None]]:
    """Show the progress of ``number`` steps; yield a function that takes the name of each step
    as it begins.
    """
    with _make_progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    ) as progress:
        task = progress.add_task("", total=number)
        steps_begun: list[str] = []

        def begin(name: str) -> None:
            progress.update(task, description=name, completed=len(steps_begun))
            steps_begun.append(name)

        yield begin
        progress.update(task, completed=number)


def _make_progress(*columns) -> Progress:
    screen = Console(stderr=True)
    return Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
