"""Runs the child process that ships database changes to
the backups (``SVC_BACKUP_SHIP_SECONDS``).
"""

import logging
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import IO

from svc.base.processes import module_process, pipes
from svc.base.processes.entry_points import Process
from svc.base.settings import Settings
from svc.domain.monitoring import alerts
from svc.work.backup import unsent_bases

log = logging.getLogger("svc.shipping")

_AGAIN_SECONDS = 60.0
_GRACE_SECONDS = 15


class Shipping:
    """Keeps the shipping process running while this process runs the engine."""

    def __init__(self, settings: Settings, now: Callable[[], int]):
        self._settings, self._now = settings, now
        self._child: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._again = 0.0
        self._is_tidy = False

    def keep_running(self) -> None:
        """Start the process; if it has ended, raise an alert and start it again after a while."""
        if not self._settings.backup_ship_seconds:
            self._tidy()
            return
        if time.monotonic() < self._again:
            return
        if self._child is not None and self._child.poll() is None:
            return
        if self._child is not None:
            pipes.end_of_pipe(self._child.stdin).close()
            self._say(self._read_last_lines())
            self._child, self._again = None, time.monotonic() + _AGAIN_SECONDS
            return
        config = self._settings
        self._child = subprocess.Popen(
            module_process.make_command(
                Process.SHIPPING,
                str(config.data_dir),
                config.backup_place,
                str(config.backup_ship_seconds),
                str(config.backup_keep),
                ",".join(config.backup_recipients),
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._open_log(),
            start_new_session=True,
            env=module_process.make_environment(),
        )

    def _tidy(self) -> None:
        """Remove, once, what a process left that was killed before shipping was switched off."""
        if not self._is_tidy:
            self._is_tidy = True
            unsent_bases.remove_if_idle(self._settings.data_dir)

    def _open_log(self) -> IO[bytes]:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        return self._log

    def _read_last_lines(self) -> str:
        lines = []
        if self._log is not None:
            self._log.seek(0)
            lines = self._log.read()[-4096:].decode("utf-8", "replace").strip().splitlines()
            self._log.close()
        return (
            lines[-1]
            if lines
            else (
                "The process that sends the database's commits to the backups ended without a "
                "message."
            )
        )

    def _say(self, problem: str) -> None:
        log.error(problem)
        alerts.raise_once("ShippingFailed", "critical", problem, self._now())

    def stop(self) -> None:
        """Let the process send the rest and end; kill it after _GRACE_SECONDS."""
        if self._child is None:
            return
        pipes.end_of_pipe(self._child.stdin).close()
        try:
            self._child.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        if self._log is not None:
            self._log.close()
        self._child = None
