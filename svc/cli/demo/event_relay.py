"""Follows the event feed of a server and passes each event on as a signed delivery."""

import json
import time
from collections.abc import Callable

from svc.base import ids
from svc.base.crypto import signing
from svc.base.processes.ending import Ending
from svc.cli.demo.client import Client, Unreachable
from svc.cli.demo.receiver import Received

WAIT_SECONDS = 20  # the server's long-poll time; less than the client's timeout
_AGAIN = (1, 2, 5, 10, 30)  # seconds before each retry while the server cannot be reached


class Follower:
    """Reads events and passes each to ``take`` as a delivery signed with ``secret``."""

    def __init__(
        self, client: Client, secret: bytes, take: Callable[[Received], object], ended: Ending
    ):
        self._client, self._secret, self._take, self._ended = client, secret, take, ended
        self._failures = 0
        self.cursor = "latest"

    def begin(self) -> None:
        """Find the current end of the feed.

        CommandError: the server cannot be reached, or refuses the key.
        """
        self.cursor = self._client.get("/v1/events", cursor="latest", limit=1)["nextCursor"]

    def follow(self, say: Callable[[str], None]) -> None:
        """Pass new events on until the end is signalled.

        ``say``: called on a pause. CommandError: a request is refused.
        """
        while not self._ended.is_set():
            try:
                part = self._client.get(
                    "/v1/events", cursor=self.cursor, limit=100, waitSeconds=WAIT_SECONDS
                )
            except Unreachable as failed:
                self._pause(failed, say)
                continue
            self._failures = 0
            for event in part["data"]:
                self._take(self.make_delivery(event))
            self.cursor = part["nextCursor"]
            self._ended.wait(part["pollAfterSeconds"])

    def _pause(self, failure: Unreachable, say: Callable[[str], None]) -> None:
        seconds = _AGAIN[min(self._failures, len(_AGAIN) - 1)]
        self._failures += 1
        say(f"{failure}; trying again in {seconds} s")
        self._ended.wait(seconds)

    def make_delivery(self, event: dict) -> Received:
        """Return an event as a webhook delivers it.

        Its eventId is the same each time the feed is read.
        """
        event_id = ids.derive_id("event", f"{event['productionId']}:{event['sequenceNumber']}")
        payload = {"eventId": event_id, **event}
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
        at = int(time.time())
        headers = {
            "content-type": "application/json",
            "x-service-signature": signing.make_service_signature(self._secret, body),
            "webhook-id": event_id,
            "webhook-timestamp": str(at),
            "webhook-signature": signing.make_standard_signature(self._secret, event_id, at, body),
        }
        return Received(headers, body, payload)
