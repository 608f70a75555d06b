"""A child process that deletes a webhook when its parent process ends for any reason."""

import os
import signal
from types import TracebackType

from svc.base.errors import CommandError
from svc.cli.demo.client import Client


class SubscriptionCleanup:
    """Watch this process from a child through a pipe, which the kernel closes when this process
    ends; a context manager.

    Enter it before starting any thread, because it forks. ``endpoint_url``: webhooks to this URL
    are deleted at the end.
    """

    def __init__(self, base_url: str, key: str, endpoint_url: str):
        self._base_url, self._key, self._endpoint_url = base_url, key, endpoint_url
        self._pipe, self._child = 0, 0

    def __enter__(self) -> "SubscriptionCleanup":
        read_end, self._pipe = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os.close(self._pipe)
            self._watch(read_end)
        os.close(read_end)
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._pipe)
        os.waitpid(self._child, 0)

    def _watch(self, read_end: int) -> None:
        """Run in the child: wait for the end of the pipe, delete the webhooks, exit."""
        try:
            os.setsid()  # only the parent handles Ctrl-C in the terminal
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            os.read(read_end, 1)
            delete_all(Client(self._base_url, self._key), self._endpoint_url)
        finally:
            os._exit(0)  # skip the parent's cleanup, which the child has inherited


def delete_all(client: Client, endpoint_url: str) -> None:
    """Delete every webhook to ``endpoint_url``; do nothing if the service cannot be reached."""
    try:
        for subscription in list(client.list_all("/v1/webhooks")):
            if subscription["endpointUrl"] == endpoint_url:
                client.delete(f"/v1/webhooks/{subscription['subscriptionId']}")
    except CommandError:
        return
