"""Looks once a minute for what fails without anybody noticing: alerts for it, and a sign of life while there is nothing."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_network

from svc.adapters.http import Sender
from svc.base import clock
from svc.base.settings import Settings
from svc.domain.monitoring import alerts, backlog
from svc.domain.monitoring.readiness import Probe
from svc.store import database

log = logging.getLogger("svc.self_check")

_EVERYWHERE = (ip_network("0.0.0.0/0"), ip_network("::/0"))  # the operator's own address may be private
_MUCH_OLDER = 4  # times the setting, from which on an old queue is critical
_NAMES = {
    "database": ("DatabaseNotReady", "critical", "The database"),
    "disk": ("DiskNearlyFull", "warning", "The data directory"),
    "secret": ("SecretWrong", "critical", "The secret"),
}


@dataclass(frozen=True)
class Worry:
    """One thing that fails in silence. ``severity``: of its alert."""

    name: str
    severity: str
    message: str


class SelfCheck:
    """Of the process that drives the work."""

    def __init__(self, settings: Settings, now: Callable[[], int]):
        self._settings, self._now = settings, now
        self._probe = Probe(settings.disk_floor_megabytes)
        self._sign_due = 0

    def turn(self) -> None:
        """Raise an alert for each worry, at most a few times a day; without any, give the sign of life when it is due."""
        now = self._now()
        worries = list(self._worries(now))
        for worry in worries:
            with database.write():
                alerts.raise_once(worry.name, worry.severity, worry.message, now)
        if self._settings.alive_url and not worries and not self._probe.problems(now) and now >= self._sign_due:
            self._sign_due = now + self._settings.alive_minutes * clock.MINUTE - clock.SECOND
            self._give_sign()

    def _worries(self, now: int) -> Iterator[Worry]:
        for part, problem in self._probe.problems(now).items():
            if part in _NAMES:
                name, severity, what = _NAMES[part]
                yield Worry(name, severity, f"{what}: {problem}.")
        yield from self._old_queues(now)
        made, every = backlog.newest_backup(), self._settings.backup_every_hours * clock.HOUR
        if every and made is not None and now - made > 2 * every:
            message = f"The newest backup is of {clock.text(made)}; `python app.py doctor` says more."
            yield Worry("BackupOld", "critical", message)

    def _old_queues(self, now: int) -> Iterator[Worry]:
        most = self._settings.queue_alert_minutes * clock.MINUTE
        for queue, since in backlog.oldest_ready(now).items():
            waits = now - since
            if waits > most:
                severity = "critical" if waits > _MUCH_OLDER * most else "warning"
                yield Worry("QueueOld", severity, f"A {queue} has been waiting for {waits // clock.MINUTE} minutes to be done.")

    def _give_sign(self) -> None:
        sender = Sender(_EVERYWHERE)
        try:
            outcome = sender.post(self._settings.alive_url, b"", {"Content-Type": "text/plain"})
        finally:
            sender.close()
        if outcome.error:
            log.warning("the sign of life could not be given at the address of SVC_ALIVE_URL: %s", outcome.error)
