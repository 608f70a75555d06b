"""What a server does also while another one on the same database drives: it sends webhooks,
and watches the others.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack

from svc.adapters.http import Sender
from svc.base.crypto.signing import KeyRing
from svc.base.settings import Settings
from svc.store import database, wake
from svc.store.claims import Driver
from svc.work.delivery import Dispatcher
from svc.work.machines import same_time
from svc.work.machines.presence import Presence
from svc.work.machines.watch import Watch
from svc.work.outages import Outages, guarded

_SECONDS = 1.0  # of one turn, after which the server tries again to drive


class Standby:
    """A context manager, for as long as the process holds its data directory: what it began goes on
    when it takes over.

    ``alarm``: rings at each commit that makes work; ``dispatcher``: sends; ``watch``: knows who is
    silent.
    """

    def __init__(
        self,
        driver: Driver,
        settings: Settings,
        ring: KeyRing,
        clock: Callable[[], int],
        presence: Presence,
        outages: Outages,
    ):
        self._driver, self._presence, self._outages, self._ends = (
            driver,
            presence,
            outages,
            ExitStack(),
        )
        self.watch, self.alarm = Watch(clock=clock, own=driver.boot), wake.Alarm()
        sender = Sender(settings.webhook_allow_cidrs)
        self.dispatcher = Dispatcher(
            driver, sender, ring, workers=settings.webhook_workers, clock=clock
        )

    def __enter__(self) -> "Standby":
        """ClockDiffers: this machine must not begin yet."""
        same_time.require()
        self._ends.callback(self.alarm.close)
        self._ends.enter_context(database.listening(wake.wake_engine))
        self._ends.callback(self.dispatcher.stop)
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def turn(self) -> None:
        """Send what is due, at once after each wake-up, for a second or until the process
        is to stop.
        """
        self._presence.show(self._driver, "standby", 0)
        guarded(self._outages, self._look)()
        deliver = guarded(self._outages, self._deliver)
        deliver()
        end = time.monotonic() + _SECONDS
        while (left := end - time.monotonic()) > 0 and not self._outages.stopping.is_set():
            if self.alarm.wait(left):
                deliver()
        self._outages.end_quiet_ones()

    def _look(self) -> None:
        self.watch.look()

    def _deliver(self) -> None:
        self.dispatcher.turn()
