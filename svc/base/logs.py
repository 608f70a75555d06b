"""Log lines as text or JSON: time, level, message, and the correlation id,
partner and production as context.
"""

import functools
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from svc.base import key_texts, secret_addresses, systemd_journal

_log = logging.getLogger("svc.logs")
_LOST_EVERY = 60.0  # seconds
_CONTEXT = ("correlation", "partner", "production", "subscription")

# What records are about, as pairs of name and value.
_about: ContextVar[tuple[tuple[str, str | None], ...]] = ContextVar("about", default=())
_providers: list[Callable[[], dict[str, Any]]] = []


@contextmanager
def log_context(**names: str | None) -> Iterator[None]:
    """Add context to every line that this thread logs inside: correlation,
    partner, production, subscription.
    """
    token = _about.set((*_about.get(), *names.items()))
    try:
        yield
    finally:
        _about.reset(token)


def set_context_provider(provider: Callable[[], dict[str, Any]]) -> None:
    """Set the function that is called for the context of each line when it is logged."""
    _providers[:] = [provider]


class _Human(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = f"{_format_stamp(record)} {record.levelname.lower():8} {record.name}: "
        line += _format_message(record)
        for name, value in _find_context(record).items():
            line += f" {name}={value}"
        line = _escape_controls(line)
        if not record.exc_info:
            return line
        lines = _format_exception(record, self).split("\n")
        # indented: no line begins like a record
        return "\n".join([line, *("    " + _escape_controls(text) for text in lines)])


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _format_stamp(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _format_message(record),
        }
        line |= _find_context(record)
        if record.exc_info:
            line["exception"] = _format_exception(record, self)
        text = json.dumps(line, ensure_ascii=False)
        if text.isprintable():
            return text
        return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


class _Journal(logging.Formatter):
    """The lines of another formatter, with the priority that the journal takes from the beginning
    of each line and does not show.
    """

    def __init__(self, lines: logging.Formatter):
        super().__init__()
        self._lines = lines

    def format(self, record: logging.LogRecord) -> str:
        before = systemd_journal.find_priority(record.levelno)
        return before + self._lines.format(record).replace("\n", f"\n{before}")


def _find_context(record: logging.LogRecord) -> dict[str, str]:
    attributes = record.__dict__
    names: dict[str, Any] = {}
    if "production" not in attributes:
        for provider in _providers:
            names |= provider()
    names |= _about.get()
    context = {}
    for name in _CONTEXT:  # a loop, as events are logged at each trigger
        value = attributes.get(name)
        if value is None:
            value = names.get(name)
        if value is not None:
            context[name] = str(value)
    return context


def _format_message(record: logging.LogRecord) -> str:
    return mask_secrets(record.getMessage())


def _format_exception(record: logging.LogRecord, formatter: logging.Formatter) -> str:
    return mask_secrets(formatter.formatException(record.exc_info)) if record.exc_info else ""


def mask_secrets(text: str) -> str:
    """Return a text with its API keys and the secret parts of its addresses masked."""
    text = key_texts.mask_keys(text)
    return secret_addresses.redact(text) if "/" in text else text


def _escape_controls(text: object) -> str:
    """Escape line breaks and other control characters, so that untrusted text cannot forge
    a log line.
    """
    text = str(text)
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    )


def _format_stamp(record: logging.LogRecord) -> str:
    return f"{_second(int(record.created))}.{int(record.msecs):03d}Z"


@functools.lru_cache(maxsize=2)
def _second(since_1970: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(since_1970))


def install(log_format: str) -> None:
    """Send all log lines to standard error. ``log_format``: "human" or "json".

    Where that is systemd's journal, each line has its priority.
    """
    # No line shows these, so they are not collected for each record (Python's logging HOWTO,
    # "Optimization").
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    if sys.version_info >= (3, 12):
        logging.logAsyncioTasks = False
    handler = logging.StreamHandler(sys.stderr)
    formatter = _Json() if log_format == "json" else _Human()
    handler.setFormatter(
        _Journal(formatter) if systemd_journal.is_journal(sys.stderr) else formatter
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    gunicorn = logging.getLogger("gunicorn.error")  # has its own handlers with another format
    gunicorn.handlers.clear()
    gunicorn.propagate = True
    if log_format == "json":
        _catch_what_python_writes()


def report_lost_lines(handler: logging.Handler, clock: Callable[[], float]) -> None:
    """Let a handler whose file cannot be written, as on a full disk, say so once a minute, in a
    line of this log. By default, each lost line is a traceback on standard error.

    ``clock``: monotonic seconds.
    """
    told_at: list[float] = []
    report = handler.handleError

    def report_briefly(record: logging.LogRecord) -> None:
        failure = sys.exc_info()[1]
        if not isinstance(failure, OSError):
            report(record)
        elif not told_at or clock() - told_at[-1] >= _LOST_EVERY:
            told_at[:] = [clock()]
            file = getattr(handler, "baseFilename", "a log")
            _log.error("lines of %s are lost: %s", file, failure.strerror or failure)

    handler.handleError = report_briefly  # type: ignore[method-assign] # for this one alone


def _catch_what_python_writes() -> None:
    """Log the warnings and tracebacks that Python itself would write to standard error in
    its own format.
    """
    logging.captureWarnings(True)
    python = logging.getLogger("python")
    sys.excepthook = lambda *failure: python.critical("uncaught exception", exc_info=failure)
    threading.excepthook = lambda failure: python.error(
        "uncaught exception in a thread", exc_info=failure.exc_value
    )
