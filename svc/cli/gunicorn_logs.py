"""gunicorn's own lines in the format of ours, from its first one on: in the parent, too, which loads no application."""

import os

from gunicorn.glogging import Logger as _Logger

from svc.base import logs


class Logger(_Logger):
    """``gunicorn --logger-class svc.cli.gunicorn_logs.Logger``. A file that ``--error-logfile`` names stays gunicorn's own."""

    def setup(self, cfg) -> None:
        super().setup(cfg)
        if cfg.errorlog == "-":
            log_format = os.environ.get("SVC_LOG_FORMAT")
            logs.install("json" if log_format == "json" else "human")
