"""Formats gunicorn's log lines like the service's own, in the parent process too,
which loads no application.
"""

import os
import time
from typing import Any

from gunicorn.glogging import Logger as _Logger

from svc.base import logs, secret_addresses
from svc.base.data_dir import find_data_dir
from svc.serving import first_start, options

_QUERIES = ("q", "{query_string}e")  # which do not say of what address they are


class Logger(_Logger):
    """The class for ``gunicorn --logger-class svc.serving.gunicorn_logs.Logger``.

    A file named by ``--error-logfile`` keeps gunicorn's format.
    """

    def setup(self, cfg) -> None:
        # here, as this is the first thing that gunicorn does with its options
        try:
            options.refuse_preload(cfg)
        except options.Refused as refused:
            first_start.record(find_data_dir(), str(refused))
            raise
        super().setup(cfg)
        if cfg.errorlog == "-":
            log_format = os.environ.get("SVC_LOG_FORMAT")
            logs.install("json" if log_format == "json" else "human")
        for each in (self.access_log, self.error_log):
            for handler in each.handlers:
                logs.report_lost_lines(handler, time.monotonic)

    def atoms(self, resp, req, environ, request_time) -> dict[str, Any]:
        """Return the values of ``--access-logformat``, without keys and secret addresses,
        wherever a format takes them from.
        """
        atoms = super().atoms(resp, req, environ, request_time)
        path = environ.get("PATH_INFO") or ""
        if secret_addresses.is_secret(path):
            atoms |= dict.fromkeys(
                (name for name in _QUERIES if atoms.get(name)), secret_addresses.REPLACEMENT
            )
        return {
            name: logs.mask_secrets(value) if isinstance(value, str) else value
            for name, value in atoms.items()
        }
