"""Backups by the clock: made by a process of their own (:mod:`svc.work.backup.process`), incrementally, some of them kept."""

import calendar
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from svc.base import clock
from svc.base.processes import entry_points
from svc.base.processes.entry_points import Process
from svc.base.settings import Settings
from svc.domain.monitoring import alerts, backlog
from svc.store import database, meta

log = logging.getLogger("svc.backups")

_NAME = "backup-%Y%m%dT%H%M%SZ.tar"
_LOOK_EVERY = 0.25  # seconds between looks at the process and at whether the service stops


class Backups:
    """Makes a backup when the newest one is ``settings.backup_every_hours`` old."""

    def __init__(self, settings: Settings, stopping: threading.Event, now: Callable[[], int]):
        self._settings, self._stopping, self._now = settings, stopping, now

    def turn(self) -> None:
        """Make a backup if one is due, and remove the oldest over ``settings.backup_keep``; returns when that is done."""
        every, now = self._settings.backup_every_hours * clock.HOUR, self._now()
        newest = self._newest()
        if not every or (newest is not None and 0 <= now - newest < every):
            return
        try:
            problem = self._run()
        except OSError as failed:
            problem = f"The backup in {self._settings.backup_place} could not be made: {failed}."
        if problem:
            self._say(problem, now)
        elif not self._stopping.is_set():
            log.info("made a backup in %s", self._settings.backup_place)
            with database.write(durable=False):
                meta.put("backup", now)
            self._remove_files()

    def _newest(self) -> int | None:
        """When the newest one was made; None: there is none, or they have gone from their directory."""
        if not self._settings.backup_url and not any(self._settings.backups.glob("manifests/*.json")):
            return None
        return backlog.newest_backup()

    def _run(self) -> str | None:
        """What went wrong; None: nothing, or the service stops."""
        child = subprocess.Popen(
            [sys.executable, *entry_points.arguments(Process.BACKUP), str(self._settings.data_dir), self._settings.backup_place,
             str(self._settings.backup_keep), ",".join(self._settings.backup_recipients)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(entry_points.ROOT)},
        )  # fmt: skip
        while True:
            try:
                _, said = child.communicate(timeout=_LOOK_EVERY)
                return None if child.returncode == 0 else (said.strip().splitlines() or ["It ended without a word."])[-1]
            except subprocess.TimeoutExpired:
                if self._stopping.is_set():
                    os.killpg(child.pid, signal.SIGTERM)
                    child.communicate()
                    return None

    def _remove_files(self) -> None:
        """Earlier releases made files here, each a whole copy: the newest stay as long as there are too few backups."""
        folder = self._settings.backups
        files = sorted(folder.glob("backup-*.tar"), key=made_at, reverse=True)
        room = self._settings.backup_keep - sum(1 for _ in folder.glob("manifests/*.json"))
        for each in files[max(0, room) :]:
            each.unlink(missing_ok=True)

    def _say(self, problem: str, now: int) -> None:
        log.error(problem)
        with database.write():
            alerts.raise_once("BackupFailed", "critical", problem, now)


def made_at(path: Path) -> int:
    """When a backup was made, by its name; 0 for a file that is named otherwise."""
    try:
        return calendar.timegm(time.strptime(path.name, _NAME)) * 1000
    except ValueError:
        return 0
