"""Refuses options of gunicorn under which the service does not work, wherever they come from: a
command, a file, GUNICORN_CMD_ARGS.
"""

from typing import Any

from svc.base import settings
from svc.serving.worker import Worker

_PRELOAD = (
    "--preload cannot be used: threads and connections of the database do not survive the fork of "
    "a worker, so nothing would be made or sent. Remove it from the command, the configuration "
    "file or GUNICORN_CMD_ARGS."
)


class Refused(RuntimeError):
    """An option cannot be used; the text says why. gunicorn prints a RuntimeError of its start as
    one line, and ends.
    """


def check_options(cfg: Any) -> None:
    """Raise Refused if an option of gunicorn's configuration breaks the service."""
    if problems := [sentence for is_wrong, sentence in _list_problems(cfg) if is_wrong]:
        raise Refused(" ".join(problems))


def refuse_preload(cfg: Any) -> None:
    """Raise Refused if the application would be loaded before the fork.

    This has to be asked before gunicorn starts.
    """
    if cfg.preload_app:
        raise Refused(_PRELOAD)


def _list_problems(cfg: Any) -> tuple[tuple[bool, str], ...]:
    return (
        (cfg.preload_app, _PRELOAD),
        (
            cfg.workers < 1,
            "--workers 0 (also of WEB_CONCURRENCY) would accept connections and answer none: give "
            "at least 1.",
        ),
        (
            not issubclass(cfg.worker_class, Worker),
            f"The worker class {cfg.settings['worker_class'].get()} cannot be used: slow clients "
            "would hold all threads, and the engine would not end with its worker. Leave "
            "--worker-class out.",
        ),
        (
            cfg.graceful_timeout < (drain := settings.read_drain_seconds()),
            f"--graceful-timeout {cfg.graceful_timeout} would kill steps that SVC_DRAIN_SECONDS "
            f"({drain}) lets end. Leave the option out.",
        ),
        (
            bool({"SCRIPT_NAME", "PATH_INFO"}.intersection(cfg.forwarder_headers)),
            "--forwarder-headers cannot have SCRIPT_NAME or PATH_INFO, by which clients would "
            "choose paths: the path of SVC_BASE_URL is the one below which a proxy serves the "
            "service. Leave the option out.",
        ),
        (
            cfg.header_map == "dangerous",
            "--header-map dangerous cannot be used: clients could send headers that count as "
            "those of the proxy, such as X_Forwarded_For. Leave the option out.",
        ),
    )
