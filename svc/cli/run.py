"""Runs the command line; turns every failure that is not a bug into a sentence and
an exit status.
"""

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from svc.base import outage as trouble
from svc.base import systemd_journal
from svc.base.data_dir import find_data_dir
from svc.base.errors import CommandError, ServiceError, SettingsError, StartRefused
from svc.cli import commands, output

INTERRUPTED = 130  # the status that shells report for a process ended by Ctrl-C
FAILED = 2
_DAMAGED = {11, 26}  # SQLITE_CORRUPT, SQLITE_NOTADB


def run(make_app: Callable) -> None:
    """Run the command that the arguments name.

    SystemExit: always, with its status, after any sentence on standard error.
    """
    try:
        status = commands.main(obj=make_app, standalone_mode=False, prog_name="app.py")
        sys.stdout.flush()
    except BaseException as failure:
        status = _report_failure(failure)
    if isinstance(status, int) and status:
        raise SystemExit(status)


def _report_failure(failure: BaseException) -> int | str | None:
    """Report a failure and return the exit status. A bug is raised again."""
    if isinstance(failure, click.exceptions.NoArgsIsHelpError):
        failure.show()
        return FAILED
    if isinstance(failure, click.ClickException):
        _write_sentence(failure.format_message(), getattr(failure, "ctx", None))
        return FAILED
    if isinstance(failure, click.Abort | KeyboardInterrupt | EOFError):
        output.discard()
        return INTERRUPTED
    if isinstance(failure, SystemExit):
        return _end(failure)
    if isinstance(failure, BrokenPipeError | commands.OutputClosed):
        output.discard()
    if text := describe_failure(failure):
        _write_sentence(text)
        return FAILED
    raise failure


def _end(system_exit: SystemExit) -> int | str | None:
    """Return the status of a command that exits by itself."""
    try:
        sys.stdout.flush()
    except BrokenPipeError as closed:
        return _report_failure(closed)
    if system_exit.code is None or isinstance(system_exit.code, int):
        return system_exit.code
    _write_sentence(str(system_exit.code))
    return FAILED


def describe_failure(failure: BaseException) -> str | None:
    """Return the sentence that describes a failure to an operator; None: it is a bug,
    which needs a traceback.
    """
    if isinstance(failure, CommandError | SettingsError | StartRefused | ServiceError):
        return str(failure)
    if isinstance(failure, BrokenPipeError):
        return "Standard output was closed before all output was written."
    if isinstance(failure, UnicodeEncodeError):
        character = failure.object[failure.start]
        if "\udc80" <= character <= "\udcff":  # how Python keeps a byte of an argument or a name
            return f"{failure.object[:100]!r} is not in UTF-8."
        return f"The terminal cannot show {character!r} in {failure.encoding}; set PYTHONUTF8=1."
    code = getattr(failure, "sqlite_errorcode", None) or getattr(
        failure.__cause__, "sqlite_errorcode", None
    )
    if code is not None and code & 0xFF in _DAMAGED:
        return (
            f"The database is damaged: {failure}. Restore a backup into an empty directory: "
            "python app.py restore."
        )
    may_be_any_file = trouble.find_path(failure) is not None or _is_elsewhere(failure)
    if not may_be_any_file and (outage := trouble.recognise(failure)) is not None:
        return f"{outage.mend} ({failure})"
    if isinstance(failure, OSError) and str(failure):
        file_phrase = f": {failure.filename}" if failure.filename else ""
        return f"{failure.strerror or failure}{file_phrase}."
    return None


def _is_elsewhere(failure: BaseException) -> bool:
    """Return whether a failure names a file outside of the data directory."""
    filename = getattr(failure, "filename", None)
    if not isinstance(filename, str | bytes):
        return False
    data_dir = find_data_dir()
    return not Path(os.fsdecode(filename)).absolute().is_relative_to(data_dir.absolute())


def _writes_log(arguments: list[str]) -> bool:
    """Return whether a command's standard error is a log: that of a server, also where only its
    options are given, or of a worker.
    """
    return not arguments or arguments[0].startswith("-") or arguments[0] in ("serve", "worker")


def _write_sentence(text: str | None, context: click.Context | None = None) -> None:
    """Write a sentence to standard error, as a line of JSON if the log format is JSON."""
    try:
        if os.environ.get("SVC_LOG_FORMAT") == "json" and _writes_log(sys.argv[1:]):
            timestamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
            line = {"time": timestamp, "level": "critical", "logger": "svc.cli", "message": text}
            is_journal = systemd_journal.is_journal(sys.stderr)
            before = systemd_journal.find_priority(logging.CRITICAL) if is_journal else ""
            print(before + json.dumps(line, ensure_ascii=False), file=sys.stderr)
            return
        if context is not None:
            click.echo(context.get_usage(), err=True)
        click.echo(f"error: {text}", err=True)
    except OSError:
        pass  # standard error is closed too
