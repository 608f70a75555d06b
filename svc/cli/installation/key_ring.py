"""``python app.py key-ring``: list, rotate and retire the master keys."""

import sys

import click

from svc.base import clock, settings
from svc.base.crypto import key_ring as ring
from svc.base.errors import CommandError
from svc.base.processes import owner
from svc.base.text.counted import count
from svc.cli import command_support
from svc.domain import key_retirement, master_keys
from svc.domain.access import rotation
from svc.domain.audit import audit
from svc.domain.tables.productions import ShownWorker
from svc.domain.webhooks import subscriptions as webhooks
from svc.store import database


@click.group("key-ring", cls=command_support.Commands)
@click.pass_context
def key_ring(context: click.Context) -> None:
    """Master keys, from which signing secrets and links are derived."""
    config = settings.read()
    if not config.secret.exists():
        raise CommandError(
            f"There is no secret in {config.data_dir}; set SVC_DATA_DIR to that of the server."
        )
    owner.become_owner(config.data_dir)
    context.obj = config


@key_ring.command()
@click.pass_obj
def rotate(config: settings.Settings) -> None:
    """Add a master key.

    Running servers use it immediately for new signatures; earlier ones keep their key. Of several
    servers on PostgreSQL, none uses it before all of them and all workers have it.
    """
    workers: list[ShownWorker] = []
    if config.database_url:
        database.open_database(config.database, config.database_url)
        version = rotation.begin(config.secret, clock.now())
        workers = rotation.await_all(version, clock.now)
    elif config.database.exists():
        version = master_keys.rotate(config.secret, config.database, clock.now())
        database.open_database(config.database)
    else:
        raise CommandError(
            f"There is no database in {config.data_dir}; set SVC_DATA_DIR to that of the server."
        )
    with audit.recording(
        command_support.get_terminal_user().actor,
        "key-ring.rotate",
        f"master key {version}",
        clock.now(),
    ):
        pass
    if workers:
        click.echo(
            f"master key {version} is known, and is not in use yet: it waits for "
            f"{rotation.describe(workers)}"
        )
        click.echo(
            f"copy {config.secret} to their data directories: it signs as soon as all of them have "
            "it; back it up again, too"
        )
    else:
        click.echo(f"master key {version} is in use; back up {config.secret} again")


@key_ring.command("list")
@click.pass_obj
def list_keys(config: settings.Settings) -> None:
    """List the master keys, each with the number of webhooks whose signing secret is
    derived from it.
    """
    database.open_database(config.database, config.database_url)
    counts = webhooks.count_by_secret_version()
    waiting_versions = {row["version"] for row in master_keys.list_recorded() if row["waits_since"]}
    for version in sorted(ring.read(config.secret)):
        state = ", not in use yet" if version in waiting_versions else ""
        click.echo(f"master key {version}: {count(counts.get(version, 0), 'webhook')}{state}")


@key_ring.command()
@click.argument("version", type=int)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.pass_obj
def retire(config: settings.Settings, version: int, yes: bool) -> None:
    """Remove a master key that may have been stolen, after `rotate`. All its signatures become
    invalid.

    Webhooks whose signing secret is derived from it get a new secret. If there is time, let their
    owners roll the secret first, so that their receivers keep working.
    """
    ring.require_retirable(ring.read(config.secret), version)
    command_support.open_server()
    _print_subscriptions(version, key_retirement.list_dependent_subscriptions(version))
    if not yes:
        _ask(version)
    rolled = key_retirement.retire(
        config.secret, version, command_support.get_terminal_user().actor, clock.now()
    )
    click.echo(
        f"master key {version} is retired; {count(len(rolled), 'webhook has', 'webhooks have')} a "
        "new signing secret"
    )
    click.echo(
        "make a backup now, and protect or delete older backups: they still contain the retired key"
    )


def _print_subscriptions(version: int, subscriptions: list) -> None:
    click.echo(f"without master key {version}:")
    click.echo(
        "- download links that it signed answer 403 LINK_INVALID; the API hands out new ones"
    )
    click.echo("- console sessions that it signed end; their users sign in again")
    factors = key_retirement.list_dependent_second_factors(version)
    click.echo(
        f"- the authenticator apps of {count(len(factors), 'person', 'people')} show codes that "
        "are refused: they sign in with a recovery code, or after `user totp-reset`, and set up "
        "the app again" + (":" if factors else "")
    )
    for email in factors:
        click.echo(f"    {email}")
    click.echo(
        "- `verify` no longer recognises it as the signer of certificates and films, and exits "
        "with status 3"
    )
    click.echo(
        f"- {count(len(subscriptions), 'webhook gets', 'webhooks get')} a new signing secret, "
        "which no receiver has yet:"
    )
    for row in subscriptions:
        click.echo(f"    {row['id']}  {row['partner_name']}  {row['endpoint_url']}")


def _ask(version: int) -> None:
    if not sys.stdin.isatty():
        raise CommandError(f"nothing was changed; use `key-ring retire {version} --yes`")
    click.confirm(f"Retire master key {version}?", abort=True)
