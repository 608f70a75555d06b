"""What is overdue: work that waits for long, and a backup that was not made."""

from collections.abc import Sequence

from svc.base import clock
from svc.domain.monitoring import backlog
from svc.domain.monitoring.health_checks import Installation, Problem, health_check

_MUCH_OLDER = 4  # times the setting: from there on an old queue is critical


@health_check("queues", alert="QueueOld", severities=("warning", "critical"))
def check_queues(installation: Installation) -> Sequence[Problem]:
    """Look for work that could run, and has waited for longer than SVC_QUEUE_ALERT_MINUTES."""
    most = installation.settings.queue_alert_minutes * clock.MINUTE
    return [
        Problem(
            f"A {queue} has been waiting for {waits // clock.MINUTE} minutes",
            "critical" if waits > _MUCH_OLDER * most else "warning",
            of=queue,
        )
        for queue, since in backlog.find_oldest_ready(installation.now).items()
        if (waits := installation.now - since) > most
    ]


@health_check("backups", alert="BackupOld", severities=("critical",))
def check_backups(installation: Installation) -> str | None:
    """Look whether the scheduled backups are made."""
    newest = backlog.find_complete_until()
    hours = installation.settings.backup_every_hours
    if not hours or newest is None or not backlog.is_backup_old(newest, hours, installation.now):
        return None
    which = (
        "newest backup was made at"
        if backlog.find_newest_backup_time()
        else "first backup has been due since"
    )
    return f"The {which} {clock.format_time(newest)}; run `python app.py doctor` for details"
