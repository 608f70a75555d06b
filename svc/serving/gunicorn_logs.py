"""Formats gunicorn's log lines like the service's own, in the parent process too, which loads no application."""

import os

from gunicorn.glogging import Logger as _Logger

from svc.base import logs


class Logger(_Logger):
    """The class for ``gunicorn --logger-class svc.serving.gunicorn_logs.Logger``.

    A file named by ``--error-logfile`` keeps gunicorn's format.
    """

    def setup(self, cfg) -> None:
        super().setup(cfg)
        if cfg.errorlog == "-":
            log_format = os.environ.get("SVC_LOG_FORMAT")
            logs.install("json" if log_format == "json" else "human")
