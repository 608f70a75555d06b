"""Runs the operator's commands in this process, beside an application that it has open."""

from click.testing import CliRunner, Result

from svc.application import Application
from svc.cli import commands


def invoke(app: Application, *words: str, typed: str | None = None) -> Result:
    """Run a command on the data directory of ``app``, which SVC_DATA_DIR names; its exceptions are
    in the result.

    A command opens the database anew and closes it. The thread that writes the history would find
    it closed, so it has nothing left to write.
    """
    app.extensions["svc"].recorder.flush()
    return CliRunner().invoke(commands.main, words, input=typed, standalone_mode=False)
