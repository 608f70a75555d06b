"""Checks once a minute for silent failures: raises alerts, and sends a sign of life while
there are none.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_network

from svc.adapters.http import Sender
from svc.base import clock
from svc.base.settings import Settings
from svc.domain.monitoring import alerts, backlog
from svc.domain.monitoring.readiness import Probe
from svc.store.database import db

log = logging.getLogger("svc.self_check")

# the operator's own address may be private
_EVERYWHERE = (ip_network("0.0.0.0/0"), ip_network("::/0"))
_MUCH_OLDER = 4  # times the setting: from there on an old queue is critical
_NAMES = {
    "database": ("DatabaseNotReady", "critical", "The database"),
    "disk": ("DiskNearlyFull", "warning", "The data directory"),
    "directory": ("DataDirectoryReadOnly", "critical", "The data directory"),
    "secret": ("SecretWrong", "critical", "The secret"),
    "files": ("FileStoreUnavailable", "critical", "The bucket"),
}


@dataclass(frozen=True)
class SilentFailure:
    """A silent failure. ``severity``: of its alert."""

    name: str
    severity: str
    message: str


class SelfCheck:
    """The checks of the engine's process."""

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], int],
        files_problem: Callable[[], str | None] = lambda: None,
    ):
        self._settings, self._now = settings, now
        self._probe = Probe(settings.disk_floor_megabytes, files_problem)
        self._sign_due = 0

    def turn(self) -> None:
        """Raise an alert for each failure, at most a few times a day; without any,
        send the sign of life when it is due.
        """
        now = self._now()
        outages = list(self._outages(now))
        for record in outages:
            with db.transaction():
                alerts.raise_once(record.name, record.severity, record.message, now)
        if (
            self._settings.alive_url
            and not outages
            and not self._probe.problems(now)
            and now >= self._sign_due
        ):
            self._sign_due = now + self._settings.alive_minutes * clock.MINUTE - clock.SECOND
            self._give_sign()

    def _outages(self, now: int) -> Iterator[SilentFailure]:
        for part, problem in self._probe.problems(now).items():
            if part in _NAMES:
                name, severity, subject = _NAMES[part]
                yield SilentFailure(name, severity, f"{subject}: {problem}.")
        yield from self._old_queues(now)
        newest, interval = (
            backlog.backups_complete_until(),
            self._settings.backup_every_hours * clock.HOUR,
        )
        if interval and newest is not None and now - newest > 2 * interval:
            which = (
                "newest backup was made at"
                if backlog.newest_backup_at()
                else "first backup has been due since"
            )
            message = f"The {which} {clock.text(newest)}; run `python app.py doctor` for details."
            yield SilentFailure("BackupOld", "critical", message)

    def _old_queues(self, now: int) -> Iterator[SilentFailure]:
        most = self._settings.queue_alert_minutes * clock.MINUTE
        for queue, since in backlog.find_oldest_ready(now).items():
            waits = now - since
            if waits > most:
                severity = "critical" if waits > _MUCH_OLDER * most else "warning"
                yield SilentFailure(
                    "QueueOld",
                    severity,
                    f"A {queue} has been waiting for {waits // clock.MINUTE} minutes.",
                )

    def _give_sign(self) -> None:
        sender = Sender(_EVERYWHERE)
        try:
            outcome = sender.post(self._settings.alive_url, b"", {"Content-Type": "text/plain"})
        finally:
            sender.close()
        if outcome.error:
            log.warning("the heartbeat could not be sent to SVC_ALIVE_URL: %s", outcome.error)
