"""``python app.py listen``: show the events of a key, and forward them as webhooks."""

import base64
import json
import math
import secrets
import time

import click
import requests
from rich.console import Console
from rich.markup import escape

from svc.base.crypto import signing
from svc.base.errors import CommandError
from svc.base.processes.ending import Ending
from svc.cli import addresses, signals
from svc.cli.demo.client import Client
from svc.cli.demo.event_relay import Follower
from svc.cli.demo.receiver import Received, Receiver, Sequences
from svc.cli.demo.subscription_cleanup import SubscriptionCleanup
from svc.domain.webhooks import event_types

_FORWARD_SECONDS = 14.0  # the service allows 15 for the whole exchange
_PASSED_ON = ("content-type", "user-agent", "x-service-", "webhook-")  # beginnings of header names
_ORDER = {
    "new": "",
    "repeated": " (repeated)",
    "gap": " [yellow](an earlier one has not arrived)[/]",
}
_REFUSED_HERE = "HTTPS_REQUIRED", "INVALID_ENDPOINT_URL"


class Listener:
    """Accepts deliveries: shows each one, forwards it if so configured, and chooses the answer."""

    def __init__(self, screen: Console, forward_to: str | None, answer: int | None, delay: float):
        self._screen, self._forward_to, self._answer, self._delay = (
            screen,
            forward_to,
            answer,
            delay,
        )
        self._sequences = Sequences(from_the_start=False)
        self.ended = Ending()

    @property
    def forwards(self) -> bool:
        """Whether events are forwarded."""
        return self._forward_to is not None

    def take(self, delivery: Received) -> int:
        """Return the status to answer a verified delivery with.

        Called in the receiver's threads.
        """
        self.ended.wait(self._delay)
        if delivery.problem:
            self._screen.print(f"[red]✗ refused[/]   {escape(delivery.problem)}")
            return 401
        forwarded, note = (
            self._forward(delivery, self._forward_to) if self._forward_to else (200, "")
        )
        status = self._answer or forwarded
        self._show(delivery, f"{note}, answered {status}" if note else f"answered {status}")
        return status

    def _forward(self, delivery: Received, address: str) -> tuple[int, str]:
        """Forward a delivery byte for byte; return the status,
        which is 502 if the address cannot be reached, and a note.
        """
        headers = {
            name: value for name, value in delivery.headers.items() if name.startswith(_PASSED_ON)
        }
        try:
            response = requests.post(
                address,
                data=delivery.body,
                headers=headers,
                timeout=_FORWARD_SECONDS,
                allow_redirects=False,
            )
        except requests.RequestException as failed:
            return 502, f"not forwarded ({type(failed).__name__})"
        return response.status_code, f"forwarded ({response.status_code})"

    def _show(self, delivery: Received, outcome: str) -> None:
        event = delivery.event
        order = _ORDER[self._sequences.note(event)]
        self._screen.print(
            f"[green]✓ verified[/] {time.strftime('%H:%M:%S')} {escape(event['eventType'])} "
            f"{event['productionId']} #{event['sequenceNumber']}{order} [dim]{outcome}[/]"
        )
        self._screen.print(
            f"  {json.dumps(event['data'], ensure_ascii=False)}", markup=False, style="dim"
        )


def _check_delay(context: click.Context, option: click.Parameter, delay: float) -> float:
    """Refuse ``nan``, which passes every check of a range. BadParameter."""
    if math.isnan(delay):
        raise click.BadParameter("nan is no number of seconds", context, option)
    return delay


@click.command()
@click.option(
    "--key",
    required=True,
    help="The API key whose events are shown, such as a test key (svc_test_…).",
)
@click.option(
    "--forward-to",
    metavar="URL",
    callback=addresses.check_url,
    help="Forward each event to this URL, signed as a webhook.",
)
@click.option(
    "--url",
    "--base-url",
    "base_url",
    default="http://127.0.0.1:8080",
    show_default=True,
    callback=addresses.check_url,
    help="The URL of the service.",
)
@click.option(
    "--secret",
    metavar="SECRET",
    help="Sign forwarded events with this base64url secret [default: a new one].",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port for --answer and --delay [default: any].",
)
@click.option(
    "--answer",
    type=click.IntRange(200, 599),
    help="Answer every delivery with this status, to test failures.",
)
@click.option(
    "--delay",
    type=click.FloatRange(0, 3600),
    default=0.0,
    callback=_check_delay,
    metavar="SECONDS",
    help="Delay every answer by this.",
)
def listen(
    key: str,
    forward_to: str | None,
    base_url: str,
    secret: str | None,
    port: int,
    answer: int | None,
    delay: float,
) -> None:
    """Show the events that a key may see, and forward them as signed webhooks, until Ctrl-C.

    The command polls the service, so it works from any machine. With --answer or --delay it
    registers a webhook with a test key instead; the service must then be allowed to connect to this
    machine: start it with SVC_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8, as `demo` does.
    """
    screen = Console(highlight=False, soft_wrap=True)
    listener = Listener(screen, forward_to, answer, delay)
    signals.end_as_by_ctrl_c(listener.ended)
    if answer is None and not delay:
        _follow(listener, Client(base_url, key), _decode_secret(secret), screen)
    else:
        _rehearse(listener, base_url, key, port, screen)


def _follow(listener: Listener, client: Client, secret: bytes, screen: Console) -> None:
    follower = Follower(client, secret, listener.take, listener.ended)
    follower.begin()
    screen.print(f"following the events of {client.base_url}; press Ctrl-C to stop")
    if listener.forwards:
        screen.print(f"signing secret  {signing.encode_base64url(secret)}", markup=False)
    try:
        follower.follow(lambda reason: screen.print(f"[yellow]…[/] {escape(reason)}"))
    except KeyboardInterrupt:
        pass
    screen.print("\nending")


def _decode_secret(text: str | None) -> bytes:
    """Return the decoded ``secret``, or a new one. CommandError: it is not base64url."""
    if text is None:
        return secrets.token_bytes(32)
    try:
        secret = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        secret = b""
    if not secret:
        raise CommandError("--secret must be base64url, as signingSecret is.")
    return secret


def _rehearse(listener: Listener, base_url: str, key: str, port: int, screen: Console) -> None:
    """Serve as the endpoint of a real webhook, which is deleted when this process ends,
    even if it is killed.
    """
    if not key.startswith(signing.TEST_PREFIX):
        raise CommandError(
            f"--answer and --delay need a test key, which begins {signing.TEST_PREFIX}."
        )
    receiver = _open_receiver(listener, port)
    with SubscriptionCleanup(base_url, key, receiver.url), receiver:
        try:
            subscription = _register(Client(base_url, key), receiver.url)
            receiver.trust(subscription["signingSecret"])
            screen.print(
                f"listening on {receiver.url} as webhook {subscription['subscriptionId']}; press "
                "Ctrl-C to stop"
            )
            listener.ended.wait()
        except KeyboardInterrupt:
            screen.print("\nending")
        finally:
            listener.ended.set()


def _open_receiver(listener: Listener, port: int) -> Receiver:
    try:
        return Receiver(listener.take, port)
    except OSError as failed:
        raise CommandError(
            f"Cannot listen on port {port} of 127.0.0.1: {failed.strerror}."
        ) from failed


def _register(client: Client, url: str) -> dict:
    types = event_types.SPECIFIED_OF_PRODUCTIONS
    try:
        return client.post("/v1/webhooks", {"endpointUrl": url, "eventTypes": types})
    except CommandError as refused:
        if any(code in str(refused) for code in _REFUSED_HERE):
            hint = (
                "The service is not allowed to connect to this machine; start it with "
                "SVC_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8."
            )
            raise CommandError(f"{refused}\n{hint}") from refused
        raise
