"""Sends alerts and outages to the operator's addresses: to each by itself,
so that a dead one holds up none of the others.
"""

import hashlib
import logging
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from svc.adapters import notify
from svc.domain.monitoring import alerts
from svc.domain.tables.usage import Alert
from svc.work.outages import Outages

log = logging.getLogger("svc.alerts.sending")

NOT_SENT = "AlertNotSent"
_SENDERS = 8  # addresses that are sent to at the same time
# After how many tries an alert is raised about the address, for the other addresses and the
# console.
_TRIES = 5

Send = Callable[[tuple[str, ...], str, str], bool]


class AlertSender:
    """The addresses of ``SVC_ALERT_URLS``.

    Which alerts each has taken is stored; which outages, only remembered.
    """

    def __init__(self, urls: tuple[str, ...], now: Callable[[], int], send: Send = notify.notify):
        self._urls, self._now, self._send = dict.fromkeys(urls), now, send
        self._marks = [fingerprint_address(url) for url in self._urls]
        # By address and alert: how often it was refused. Such a message is tried after the others.
        self._tries: Counter[tuple[str, int]] = Counter()
        self._turn = threading.Lock()
        self._beside: threading.Thread | None = None

    def send_alerts(self) -> None:
        """Send each address the alerts that it has not taken.

        What fails is tried again at the next call, for a day.
        """
        self._call_for_each(self._send_alerts)

    def send_outages(self, outages: Outages) -> None:
        """Send each address the outages that it was not told of yet,
        because they may prevent storing an alert.
        """
        self._call_for_each(lambda number, url: self._send_outages(number, url, outages))

    def send_outages_beside(self, outages: Outages) -> None:
        """Begin to send them, and return at once: a dead address must not delay the
        engine's next start.
        """
        if self._beside is None or not self._beside.is_alive():
            self._beside = threading.Thread(
                target=self.send_outages, args=(outages,), name="outages", daemon=True
            )
            self._beside.start()

    def _call_for_each(self, call: Callable[[int, str], None]) -> None:
        """Call it with the number, from 1, and the URL of each address, side by side:
        a dead one takes a minute.
        """
        if self._urls:
            with ThreadPoolExecutor(min(len(self._urls), _SENDERS), "alerts") as threads:
                list(threads.map(call, range(1, len(self._urls) + 1), self._urls))

    def _send_alerts(self, number: int, url: str) -> None:
        address = fingerprint_address(url)
        waiting = alerts.list_unsent(address, self._now())
        waiting.sort(key=lambda alert: self._tries[address, alert["id"]])
        for alert in waiting:
            if not self._send(
                (url,), f"{alert['severity'].upper()}: {alert['name']}", alert["message"]
            ):
                self._note_failure(number, url, alert)
                return
            self._tries.pop((address, alert["id"]), None)
            with self._turn:  # the marks of all addresses are one column
                alerts.mark_sent(alert["id"], address, self._marks, self._now())

    def _note_failure(self, number: int, url: str, alert: Alert) -> None:
        key = fingerprint_address(url), alert["id"]
        self._tries[key] += 1
        which = f"Address number {number} of SVC_ALERT_URLS ({find_scheme(url)}://…)"
        log.warning("%s did not take the alert %s", which, alert["id"])
        if self._tries[key] == _TRIES and alert["name"] != NOT_SENT:
            message = (
                f"{which} did not take the alert {alert['name']} in {_TRIES} tries; `python "
                "app.py alert test` tries it."
            )
            alerts.raise_once(
                NOT_SENT,
                "warning",
                message,
                self._now(),
                subject_id=str(number),
                is_for_each_subject=True,
            )

    def _send_outages(self, number: int, url: str, outages: Outages) -> None:
        for outage in outages.list_unreported(fingerprint_address(url)):
            if not self._send((url,), f"CRITICAL: {outage.name}", outage.mend):
                log.warning(
                    "address number %d of SVC_ALERT_URLS was not told of the outage %s",
                    number,
                    outage.name,
                )
                return
            outages.mark_reported(outage, fingerprint_address(url))


def fingerprint_address(url: str) -> str:
    """Return a fingerprint by which addresses are distinguished.

    It is short, so that it confirms no guess of a password in them.
    """
    return hashlib.sha256(url.encode()).hexdigest()[:8]


def find_scheme(url: str) -> str:
    """Return what may be shown of an address: its scheme; the rest is secret."""
    return url.partition(":")[0]


def send_test_message(urls: tuple[str, ...], text: str) -> list[tuple[str, bool]]:
    """Send a message to each of the operator's addresses; return the scheme of each
    and its success.
    """
    return [(find_scheme(url), notify.notify((url,), "INFO: Test", text)) for url in urls]
