"""``python app.py demo``: demonstrate the service from outside,
from the trigger to the downloaded files and watch pages.
"""

import fcntl
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from svc.base import atomic_file, clock, states
from svc.base.errors import CommandError
from svc.base.processes import owner
from svc.base.text.counted import count
from svc.cli import signals
from svc.cli.demo import downloads
from svc.cli.demo.client import Client
from svc.cli.demo.demo_server import Server
from svc.cli.demo.receiver import Received, Receiver, Sequences
from svc.cli.installation import seed
from svc.domain.people import users
from svc.domain.webhooks import event_types
from svc.store import database
from svc.store.database import db

TOPIC = "How tides work"
NOTES = Path(__file__).with_name("brief.md")
TIER = "Standard"
_PATIENCE = 300.0  # seconds in which the production does not move
# How many seconds deliveries have that are still on their way when the production has ended.
_LAST_EVENTS = 60.0
_NAMES = "demo.env"
_LOCK = "demo.lock"
_POLL_EVERY = 2.0  # seconds: half of the tier's 60 requests a minute


@dataclass
class Run:
    """The state of one demo: its partner, the webhooks it has received, and the problems found.

    ``production_id``: of its own production; it ignores webhooks about those of others.
    """

    screen: Console
    client: Client
    seeded: dict[str, str]
    heard: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)
    sequences: Sequences = field(default_factory=lambda: Sequences(from_the_start=True))
    events: dict[int, str] = field(default_factory=dict)  # sequence number to event type, verified
    wrong: list[str] = field(default_factory=list)
    production_id: str = ""

    def take(self, delivery: Received) -> int:
        """Accept a delivery; called in the receiver's threads."""
        self.heard.put(delivery)
        return 200

    def check(self, is_right: bool, otherwise: str) -> None:
        if not is_right:
            self.wrong.append(otherwise)


@click.command()
@click.option(
    "--once",
    is_flag=True,
    help="Stop the server at the end; exit code 0 if all results are complete and correct.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to save the files [default: DATA_DIR/downloads].",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="The server's port [default: 8080, or another if it is taken].",
)
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo-data"),
    show_default=True,
    help="The data directory of the demonstration.",
)
def demo(once: bool, out: Path | None, port: int | None, data_dir: Path) -> None:
    """Run a demonstration: a server, a partner, a production, its webhooks and its files."""
    signals.end_as_by_ctrl_c()
    began, data_dir = time.monotonic(), data_dir.resolve()
    screen = Console(highlight=False, soft_wrap=True)
    _print_line(screen, "data directory", data_dir)
    owner.become_owner(data_dir)
    with _only_demo_of(data_dir), Server(data_dir, port) as server:
        _print_line(screen, "server", f"{server.address}  (log: {server.log})")
        run = Run(screen, *_add_partner(server, data_dir))
        _print_line(screen, "partner", f"{run.seeded['partnerId']}  ({TIER} tier)")
        production = _produce(run, server)
        _inspect(run, production, (out or data_dir / "downloads").resolve())
        _print_line(screen, "took", f"{time.monotonic() - began:.0f} s")
        if not once:
            _stay(run, server, data_dir, production)
    if run.wrong:
        heading = f"{count(len(run.wrong), 'problem was', 'problems were')} found:"
        raise CommandError("\n- ".join([heading, *run.wrong]))


@contextmanager
def _only_demo_of(data_dir: Path) -> Iterator[None]:
    """Remove the names of an earlier run, which are there again once their calls work.

    CommandError: another demo runs in the directory: they are the names of its calls, and the log
    is that of its server.
    """
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (data_dir / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as taken:
            raise CommandError(
                f"A demo is running in {data_dir} already; end it, or name another directory with "
                "--data-dir."
            ) from taken
        (data_dir / _NAMES).unlink(missing_ok=True)
        yield


def _print_line(screen: Console, name: str, value: object) -> None:
    screen.print(f"[dim]{name:15}[/]", end=" ")
    screen.print(str(value), markup=False)


def _add_partner(server: Server, data_dir: Path) -> tuple[Client, dict[str, str]]:
    """Add a partner and return a client with its test key."""
    database.open_database(data_dir / "service.db")
    try:
        partner = seed.make_partner(TIER, clock.now())
    finally:
        db.close()
    return Client(server.address, partner["testKey"]), partner


def _write_names(run: Run, path: Path, production: dict) -> None:
    """Write the variables that the documents' calls use, for a shell."""
    names = {
        "BASE": run.client.base_url,
        "KEY": run.seeded["testKey"],
        "LIVE_KEY": run.seeded["liveKey"],
        "ACCOUNT": run.seeded["sandboxAccountId"],
        "LANGUAGE_ID": run.seeded["languageId"],
        "COUNTRY_ID": run.seeded["countryId"],
        "AVATAR_ID": run.seeded["avatarId"],
        "PRODUCTION": production["productionId"],
    }
    text = "".join(f"export {name}={value}\n" for name, value in names.items())
    atomic_file.write_durably(path, text.encode())  # whoever waits for the file reads all of it


def _produce(run: Run, server: Server) -> dict:
    """Register the webhook, trigger a production and follow it; return the finished production."""
    with Receiver(run.take) as receiver:
        types = event_types.SPECIFIED_OF_PRODUCTIONS
        subscription = run.client.post(
            "/v1/webhooks", {"endpointUrl": receiver.url, "eventTypes": types}
        )
        receiver.trust(subscription["signingSecret"])
        _print_line(run.screen, "webhook", receiver.url)
        production = run.client.post(
            f"/v1/accounts/{run.seeded['sandboxAccountId']}/productions", _make_brief(run.seeded)
        )
        run.production_id = production["productionId"]
        _print_line(run.screen, "production", f"{run.production_id}  “{production['title']}”")
        production = _follow(run, server, production)
        _await_last_events(run)
        run.client.delete(f"/v1/webhooks/{subscription['subscriptionId']}")
    return production


def _make_brief(partner: dict[str, str]) -> dict:
    brief = {
        name: partner[name] for name in ("languageId", "countryId", "avatarId", "projectTypeSlug")
    }
    return {"topic": TOPIC, "metadataMD": NOTES.read_text("utf-8"), **brief}


def _follow(run: Run, server: Server, production: dict) -> dict:
    """Show progress and webhooks until the production ends; return it."""
    address, deadline = (
        f"/v1/productions/{production['productionId']}",
        time.monotonic() + _PATIENCE,
    )
    columns = (
        TextColumn("{task.description:38}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=run.screen) as bar:
        task = bar.add_task("Queued", total=100)
        while production["status"] not in states.TERMINAL_STATES:
            if time.monotonic() > deadline:
                advice = (
                    f"The production is {_state(production)}, and has not moved for "
                    f"{_PATIENCE:.0f} s."
                )
                raise CommandError(f"{advice}\n{server.read_log_tail()}")
            server.check()
            _hear(run, time.monotonic() + _POLL_EVERY)
            before, production = production, run.client.get(address)
            if production != before:  # a busy machine is slow, and no error
                deadline = time.monotonic() + _PATIENCE
            bar.update(
                task, completed=production["progressPercent"], description=_state(production)
            )
    if production["status"] != states.PUBLISHED:
        raise CommandError(
            f"The production is {production['status']}: {production['errorCode']} in step "
            f"{production['failedStep']}: {production['errorMessage']}\n{server.read_log_tail()}"
        )
    return production


def _state(production: dict) -> str:
    current_step = next(
        (step["name"] for step in production["steps"] if step["status"] == "Running"), None
    )
    return f"{production['status']}: {current_step}" if current_step else production["status"]


def _hear(run: Run, ends_at: float, enough: int | None = None) -> None:
    """Show each webhook as it arrives, until a time of the monotonic clock, a terminal event,
    or ``enough`` webhooks.
    """
    while (seconds := ends_at - time.monotonic()) > 0 and (
        enough is None or len(run.events) < enough
    ):
        try:
            delivery = run.heard.get(timeout=seconds)
        except queue.Empty:
            return
        if _show(run, delivery) and delivery.event["data"].get("status") in states.TERMINAL_STATES:
            return


def _show(run: Run, delivery: Received) -> bool:
    """Print a line for a webhook; return whether it was verified and is about the
    demo's own production.
    """
    if delivery.problem:
        run.wrong.append(f"A webhook could not be verified: {delivery.problem}.")
        return False
    event = delivery.event
    if event["productionId"] != run.production_id:
        return False
    order, number = run.sequences.note(event), event["sequenceNumber"]
    run.check(order != "gap", f"Webhook {number} arrived before an earlier one.")
    run.events[number] = event["eventType"]
    data = event["data"]
    detail = data.get("currentStep") or data.get("errorMessage") or _count(data) or data["status"]
    suffix = " (repeated)" if order == "repeated" else ""
    run.screen.print(
        f"[green]✓[/] verified  {number:>2}  {event['eventType']:<30} {escape(detail)}{suffix}"
    )
    return True


def _count(data: dict) -> str | None:
    return count(len(data["deliverables"]), "deliverable") if "deliverables" in data else None


def _await_last_events(run: Run) -> None:
    """Check that every event has arrived, verified and with its own type."""
    events = run.client.list_all(f"/v1/productions/{run.production_id}/events")
    happened = {event["sequenceNumber"]: event["eventType"] for event in events}
    deadline = time.monotonic() + _LAST_EVENTS
    while len(run.events) < len(happened) and time.monotonic() < deadline:
        _hear(run, deadline, enough=len(happened))
    run.check(
        sorted(happened) == list(range(1, len(happened) + 1)),
        f"The events are numbered {sorted(happened)}.",
    )
    for number in sorted(set(happened) - set(run.events)):
        run.wrong.append(f"Webhook {number} ({happened[number]}) did not arrive.")
    run.check(
        run.events.items() <= happened.items(),
        "A webhook reported an event that is not in the list of events.",
    )


def _inspect(run: Run, production: dict, folder: Path) -> None:
    """Download and check the files, and check that the watch pages are public."""
    entries = run.client.get(f"/v1/productions/{production['productionId']}/deliverables")["data"]
    files = [downloads.fetch(entry, folder) for entry in entries]
    run.wrong += [problem for download in files for problem in download.problems]
    run.wrong += downloads.describe_missing(
        entries, [platform["platform"] for platform in production["platforms"]]
    )
    run.screen.print(downloads.make_table(files))
    for platform in production["platforms"]:
        address = f"{run.client.base_url}/watch/{platform['platformPostId']}"
        run.wrong += downloads.check_public(address)
        _print_line(run.screen, "watch page", f"{address}  ({platform['platform']})")
    _print_line(run.screen, "files", folder)


def _make_console_address(server: Server, data_dir: Path) -> str:
    """Return the console's address; on the first run it is a link that creates
    the demo's operator.
    """
    database.open_database(data_dir / "service.db")
    try:
        token = users.make_first_operator_link(clock.now())
    finally:
        db.close()
    path = f"welcome/{token}  (creates its operator; works once)" if token else ""
    return f"{server.address}/console/{path}"


def _stay(run: Run, server: Server, data_dir: Path, production: dict) -> None:
    for problem in run.wrong:
        run.screen.print(f"[red]✗[/] {escape(problem)}")
    _print_line(run.screen, "console", _make_console_address(server, data_dir))
    _write_names(run, data_dir / _NAMES, production)
    run.screen.print("\nThe server is running; press Ctrl-C to stop it. In another shell:\n")
    run.screen.print(f"  . {data_dir / _NAMES}", markup=False)
    run.screen.print('  curl -H "X-API-Key: $KEY" $BASE/v1/partner/accounts')
    try:
        server.wait()
    except KeyboardInterrupt:
        run.screen.print("\nstopping")
