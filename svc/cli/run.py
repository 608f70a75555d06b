"""Runs a command of the command line; every failure that is not a bug becomes a sentence and an exit status."""

import json
import os
import sys
import time
from collections.abc import Callable

import click

from svc.base import trouble
from svc.base.errors import CommandError, ServiceError, SettingsError, StartRefused
from svc.cli import commands

INTERRUPTED = 130  # as shells say of a process that Ctrl-C ended
FAILED = 2
_DAMAGED = {11, 26}  # SQLITE_CORRUPT, SQLITE_NOTADB


def run(make_app: Callable) -> None:
    """Run the command that the arguments name. SystemExit: with its status, after a sentence on standard error."""
    try:
        status = commands.main(obj=make_app, standalone_mode=False, prog_name="app.py")
        sys.stdout.flush()
    except BaseException as failure:
        status = _status(failure)
    if isinstance(status, int) and status:
        raise SystemExit(status)


def _status(failure: BaseException) -> int | str | None:
    """Say what failed: the exit status. Whatever is a bug is raised again."""
    if isinstance(failure, click.exceptions.NoArgsIsHelpError):
        failure.show()
        return FAILED
    if isinstance(failure, click.ClickException):
        _say(failure.format_message(), getattr(failure, "ctx", None))
        return FAILED
    if isinstance(failure, click.Abort | KeyboardInterrupt | EOFError):
        _without_output()
        return INTERRUPTED
    if isinstance(failure, SystemExit):
        return _end(failure)
    if isinstance(failure, BrokenPipeError | commands.OutputClosed):
        _without_output()
    if text := sentence(failure):
        _say(text)
        return FAILED
    raise failure


def _end(ended: SystemExit) -> int | str | None:
    """The status of a command that ends by itself."""
    try:
        sys.stdout.flush()
    except BrokenPipeError as closed:
        return _status(closed)
    if ended.code is None or isinstance(ended.code, int):
        return ended.code
    _say(str(ended.code))
    return FAILED


def sentence(failure: BaseException) -> str | None:
    """What to tell an operator of a failure; None: it is a bug, of which a traceback says more."""
    if isinstance(failure, CommandError | SettingsError | StartRefused | ServiceError):
        return str(failure)
    if isinstance(failure, BrokenPipeError):
        return "Standard output was closed before everything was written to it."
    if isinstance(failure, UnicodeEncodeError):
        return f"The terminal cannot show {failure.object[failure.start]!r} in {failure.encoding}; set PYTHONUTF8=1."
    code = getattr(failure, "sqlite_errorcode", None) or getattr(failure.__cause__, "sqlite_errorcode", None)
    if code is not None and code & 0xFF in _DAMAGED:
        return f"The database is damaged: {failure}. Restore a backup into an empty directory: python app.py restore."
    if (found := trouble.recognise(failure)) is not None:
        return f"{found.mend} ({failure})"
    if isinstance(failure, OSError) and str(failure):
        named = f": {failure.filename}" if failure.filename else ""
        return f"{failure.strerror or failure}{named}."
    return None


def _say(text: str | None, context: click.Context | None = None) -> None:
    """A sentence on standard error: as a line of JSON where logs are JSON, as whatever collects them expects."""
    try:
        if os.environ.get("SVC_LOG_FORMAT") == "json" and sys.argv[1:2] in ([], ["serve"]):
            now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
            line = {"time": now, "level": "critical", "logger": "svc.cli", "message": text}
            print(json.dumps(line, ensure_ascii=False), file=sys.stderr)
            return
        if context is not None:
            click.echo(context.get_usage(), err=True)
        click.echo(f"error: {text}", err=True)
    except OSError:
        pass  # nobody reads standard error either


def _without_output() -> None:
    """Keep Python from writing what is left to a standard output that nobody reads, which would be a message of its own."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        pass
