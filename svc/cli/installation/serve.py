"""``python app.py serve``: API, console and engine in one gunicorn worker."""

import os
from pathlib import Path

import click
from gunicorn.app.base import BaseApplication

from svc.base import clock, disk, settings
from svc.base.errors import CommandError, SettingsError
from svc.base.processes import owner
from svc.cli import starting
from svc.cli.output import tell
from svc.domain import master_keys
from svc.domain.people import users
from svc.serving import gunicorn_config
from svc.store import database
from svc.store.database import db

# Hosts that stand for every address of this machine, and the address that links name instead, as
# none can be reached by them.
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


class _Server(BaseApplication):
    def __init__(self, make_app, options: dict):
        self._make_app, self._options = make_app, options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self):
        return self._make_app()


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; 0.0.0.0 is every one of this machine.",
)
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="The port to listen on.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 32),
    help="Serving processes; one of them runs the engine.",
)
@click.option(
    "--threads",
    default=8,
    show_default=True,
    type=click.IntRange(1, 128),
    help="Threads of each process.",
)
@click.pass_obj
def serve(make_app, host: str, port: int, workers: int, threads: int) -> None:
    """Serve the API, the console and the documentation."""
    host = host.removeprefix("[").removesuffix("]")
    # the zone of a link-local address has a meaning on this machine alone
    host_name = host.partition("%")[0]
    is_named = bool(os.environ.get("SVC_BASE_URL"))  # an empty one is none, as of every setting
    if not is_named:
        os.environ["SVC_BASE_URL"] = _make_address(_EVERY_ADDRESS.get(host_name, host_name), port)
    with starting.note_failure():
        config = settings.read()
        owner.become_owner(config.data_dir)
        disk.require_usable(config.data_dir)
    tell(f"data directory  {Path(config.data_dir).resolve()}")
    tell(f"API             {config.base_url}/v1")
    tell(f"documentation   {config.base_url}/docs")
    tell(f"OpenAPI         {config.base_url}/openapi.json")
    tell(f"console         {config.base_url}/console/")
    if host_name in _EVERY_ADDRESS and not is_named:
        tell(
            f"links           name {config.base_url}, which others cannot reach; SVC_BASE_URL "
            "names the address that they use"
        )
    with starting.note_failure():
        _greet(config)
    options = gunicorn_config.SETTINGS | {
        "bind": f"{_bracket_host(host)}:{port}",
        "workers": workers,
        "threads": threads,
    }
    # gunicorn read its defaults before the process became the owner
    options |= {"user": os.geteuid(), "group": os.getegid()}
    starter = os.getpid()
    try:
        _Server(make_app, options).run()
    except SystemExit as ended:
        # The status with which gunicorn's workers end is their own affair.
        if not ended.code or os.getpid() != starter:
            raise
        # why, its process or gunicorn has noted
        if ended.code != 1:
            raise CommandError("The server could not start, for the reason above.") from ended
        raise CommandError(
            f"Nothing can listen at {options['bind']}, for the reason above. --host and --port "
            "name another address."
        ) from ended


def _make_address(host: str, port: int) -> str:
    """Return the address at which a host is reached. BadParameter: it is no host."""
    address = f"http://{_bracket_host(host)}:{port}"
    try:
        settings.read({"SVC_BASE_URL": address})
    except SettingsError as wrong:
        raise click.BadParameter(
            f"{host!r} is not a host such as 127.0.0.1", param_hint="--host"
        ) from wrong
    return address


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _greet(config: settings.Settings) -> None:
    """Print a link that creates the first operator, while there is no operator.

    Call it before any fork.
    """
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    database.await_server(config.database_url)
    database.open_database(config.database, config.database_url)
    try:
        master_keys.open_ring(config.secret, clock.now())
        token = users.make_first_operator_link(clock.now())
    finally:
        db.close()
    if token:
        tell(
            f"first operator  {config.base_url}/console/welcome/{token}   (works once, "
            f"for {users.INVITATION // clock.DAY} days)"
        )
