"""Scheduled incremental backups, made by a child process (:mod:`svc.work.backup.process`)."""

import calendar
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from svc.base import clock
from svc.base.processes import module_process
from svc.base.processes.entry_points import Process
from svc.base.processes.exit_status import WITH_WARNING
from svc.base.settings import Settings
from svc.domain.monitoring import alerts, backlog
from svc.store import meta
from svc.store.database import db

log = logging.getLogger("svc.backups")

_NAME = "backup-%Y%m%dT%H%M%SZ.tar"
_LOOK_EVERY = 0.25  # seconds between checks of the process and of whether the service stops


class Backups:
    """Makes a backup when the newest one is ``settings.backup_every_hours`` old."""

    def __init__(self, settings: Settings, stopping: threading.Event, now: Callable[[], int]):
        self._settings, self._stopping, self._now = settings, stopping, now

    def back_up_if_due(self) -> None:
        """Make a backup if one is due, and remove the oldest over ``settings.backup_keep``;
        returns when that is done.
        """
        interval, now = self._settings.backup_every_hours * clock.HOUR, self._now()
        if not interval:
            return
        backlog.bring_back_backup_times(self._settings.backup_every_hours, now)
        newest = self._find_newest()
        if newest is not None and now - newest < interval:
            return
        try:
            status, output = self._run()
        except OSError as error:
            status = 1
            output = f"The backup in {self._settings.backup_place} could not be made: {error}."
        if status not in (0, WITH_WARNING):
            self._say("BackupFailed", "critical", output, now)
        elif not self._stopping.is_set():
            log.info("made a backup in %s", self._settings.backup_place)
            with db.transaction(durable=False):
                meta.put("backup", now)
            self._remove_files()
            if status == WITH_WARNING:
                self._say("BackupIncomplete", "warning", output, now)

    def _find_newest(self) -> int | None:
        """Return when the newest backup was made; None: there is none,
        or their directory was emptied.
        """
        if not self._settings.backup_url and not any(
            self._settings.backups.glob("manifests/*.json")
        ):
            return None
        return backlog.find_newest_backup_time()

    def _run(self) -> tuple[int, str]:
        """Run the backup process and return its exit status, 0 if the service stops,
        and the last line of its errors.
        """
        child = subprocess.Popen(
            module_process.make_command(
                Process.BACKUP,
                str(self._settings.data_dir),
                self._settings.backup_place,
                str(self._settings.backup_keep),
                ",".join(self._settings.backup_recipients),
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=module_process.make_environment(),
        )
        while True:
            try:
                _, errors = child.communicate(timeout=_LOOK_EVERY)
                otherwise = "Its process ended without a message."
                return child.returncode, module_process.find_last_line(errors, otherwise)
            except subprocess.TimeoutExpired:
                if self._stopping.is_set():
                    os.killpg(child.pid, signal.SIGTERM)
                    child.communicate()
                    return 0, ""

    def _remove_files(self) -> None:
        """Remove the full-copy files of earlier releases, but keep the newest while there are
        too few backups.
        """
        folder = self._settings.backups
        files = sorted(folder.glob("backup-*.tar"), key=parse_backup_time, reverse=True)
        room = self._settings.backup_keep - sum(1 for _ in folder.glob("manifests/*.json"))
        for file in files[max(0, room) :]:
            file.unlink(missing_ok=True)

    def _say(self, name: str, severity: str, problem: str, now: int) -> None:
        log.error(problem)
        alerts.raise_once(name, severity, problem, now)


def parse_backup_time(path: Path) -> int:
    """Return the time in the name of a backup file, in milliseconds;
    0: the file has another name.
    """
    try:
        return calendar.timegm(time.strptime(path.name, _NAME)) * 1000
    except ValueError:
        return 0
