"""Runs the health checks once a minute: raises the alert of each that finds a problem, and sends a
sign of life while there are none.
"""

import logging
from collections.abc import Callable, Iterator
from ipaddress import ip_network

from svc.adapters.http import Sender
from svc.base import clock
from svc.base.settings import Settings
from svc.domain.monitoring import alerts, health_checks
from svc.domain.monitoring.health_checks import HealthCheck, Installation, Problem
from svc.domain.monitoring.readiness import Probe

log = logging.getLogger("svc.self_check")

# Everywhere: the operator's own address may be private.
_EVERYWHERE = (ip_network("0.0.0.0/0"), ip_network("::/0"))


class SelfCheck:
    """The checks of the engine's process."""

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], int],
        files_problem: Callable[[], str | None] = lambda: None,
    ):
        self._settings, self._now, self._files_problem = settings, now, files_problem
        self._probe = Probe(settings, files_problem)
        self._sign_due = 0

    def run(self) -> None:
        """Raise an alert for each problem, at most a few times a day; without any,
        send the sign of life when it is due.
        """
        now = self._now()
        problems = list(self._find_problems(now))
        for check, problem in problems:
            if check.alert:
                alerts.raise_once(
                    check.alert,
                    check.find_severity(problem),
                    check.describe_problem(problem),
                    now,
                    subject_id=problem.of or None,
                    is_for_each_subject=True,
                )
        if self._settings.alive_url and not problems and now >= self._sign_due:
            self._sign_due = now + self._settings.alive_minutes * clock.MINUTE - clock.SECOND
            self._give_sign()

    def _find_problems(self, now: int) -> Iterator[tuple[HealthCheck, Problem]]:
        of_readiness = self._probe.find_problems(now)
        installation = Installation(self._settings, now, self._files_problem)
        for check in health_checks.list_checks():
            problems = (
                of_readiness.get(check.name, [])
                if check.is_readiness
                else check.find_problems(installation)
            )
            yield from ((check, problem) for problem in problems)

    def _give_sign(self) -> None:
        sender = Sender(_EVERYWHERE)
        try:
            outcome = sender.post(self._settings.alive_url, b"", {"Content-Type": "text/plain"})
        finally:
            sender.close()
        if outcome.error:
            log.warning("the heartbeat could not be sent to SVC_ALIVE_URL: %s", outcome.error)
