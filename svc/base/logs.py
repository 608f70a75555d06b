"""Log lines for people or machines: time, level, what, and the correlation id, partner and production it is about."""

import json
import logging
import sys
import time

_CONTEXT = ("correlation", "partner", "production", "subscription")


class _Human(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        context = "".join(f" {name}={_one_line(value)}" for name, value in _context(record).items())
        line = f"{_stamp(record)} {record.levelname.lower():8} {record.name}: {_one_line(record.getMessage())}{context}"
        return line + (f"\n{self.formatException(record.exc_info)}" if record.exc_info else "")


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _stamp(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= _context(record)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def _context(record: logging.LogRecord) -> dict[str, str]:
    return {name: str(getattr(record, name)) for name in _CONTEXT if getattr(record, name, None) is not None}


def _one_line(text: object) -> str:
    """What somebody sent must not begin a line of its own."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def _stamp(record: logging.LogRecord) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


def install(log_format: str) -> None:
    """Send the service's log lines to standard error. ``log_format``: "human" or "json"."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if log_format == "json" else _Human())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
