"""``python app.py key-ring``: the master keys from which signing secrets and links are derived."""

import click

from svc.base import clock, settings
from svc.base import key_ring as ring
from svc.base.errors import CommandError
from svc.cli.operating import me
from svc.domain import audit, webhooks
from svc.store import database


@click.group("key-ring")
@click.pass_context
def key_ring(context: click.Context) -> None:
    """The master keys, from which signing secrets and links are derived."""
    given = settings.read()
    if not given.secret.exists():
        raise CommandError(f"There is no secret in {given.data_dir}; set SVC_DATA_DIR to the server's.")
    context.obj = given


@key_ring.command()
@click.pass_obj
def rotate(given: settings.Settings) -> None:
    """Add a master key: running servers sign what is new with it at once, and what is old keeps its own."""
    version = ring.rotate(given.secret)
    if given.database.exists():
        database.open_database(given.database)
        with database.write():
            audit.record(me().actor, "key-ring.rotate", f"master key {version}", clock.now())
    click.echo(f"master key {version} is in use; back {given.secret} up again")


@key_ring.command("list")
@click.pass_obj
def list_keys(given: settings.Settings) -> None:
    """Say which keys there are, and how many subscriptions have their signing secret from each."""
    database.open_database(given.database)
    used = webhooks.by_secret_version()
    for version in sorted(ring.read(given.secret)):
        click.echo(f"master key {version}: {used.get(version, 0)} webhook subscriptions")
