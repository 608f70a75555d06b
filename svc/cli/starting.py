"""Notes why a command that serves an installation could not start, where those that look from
outside find it (svc.domain.monitoring.start_notes).
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from svc.base import clock
from svc.base.data_dir import find_data_dir
from svc.base.errors import StartRefused
from svc.base.processes import owner
from svc.cli import run
from svc.domain.monitoring import start_notes
from svc.work.doctor import findings


class Start:
    """The start of a process, which is not complete yet."""

    def __init__(self) -> None:
        self.is_complete = False
        self._data_dir = find_data_dir()

    def complete(self) -> None:
        """The process has started: remove the note of earlier tries, and write none any more."""
        self.is_complete = True
        start_notes.forget(self._data_dir)

    def record_failure(self, failure: Exception) -> None:
        """Note why the process could not start.

        Where another one runs, such as the server whose port this one would have had, nothing is
        amiss with the service, and the one who started this one reads why.
        """
        if findings.is_driven(self._data_dir) or start_notes.is_served(self._data_dir):
            return
        with suppress(StartRefused, OSError):  # the note is the service's, also if root makes it
            owner.become_owner(self._data_dir)
        why = run.describe_failure(failure) or f"{type(failure).__name__}: {failure}"
        start_notes.record(self._data_dir, why, clock.now())


@contextmanager
def note_failure() -> Iterator[Start]:
    """Note why the block failed, if it does before its start is complete.

    Options that make no sense are told to the one who gave them alone.
    """
    start = Start()
    try:
        yield start
    except click.ClickException:
        raise
    except Exception as failure:
        if not start.is_complete:
            start.record_failure(failure)
        raise
