"""``python app.py connection``: the places to which accounts are connected,
and single publications there.
"""

import sys

import click

from svc.base import clock, settings
from svc.base.connectors import ANY_MAY_HAVE, Connector
from svc.base.errors import CommandError
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user, to_plain_row
from svc.domain import master_keys
from svc.domain.publishing import actions
from svc.domain.publishing import connections as domain
from svc.work.publishing.connections import Connections

connection = command_support.group(
    "connection", "Connections of accounts to places of their own, and publications there."
)
_COLUMNS = ("id", "name", "connector", "shape", "settings", "created_at", "tried_at", "problem")


def _open_connections() -> Connections:
    config = settings.read()
    ring = master_keys.open_ring(config.secret, clock.now())
    return Connections(config.webhook_allow_cidrs, ring, clock.now)


def _add_value_options(function):
    """Add the options by which the values of a connection are given."""
    options = (
        click.option(
            "--shape", help="The videos that are sent: landscape, portrait, square or feed (4:5)."
        ),
        click.option("--title", "title_template", help="The template of titles, such as {title}."),
        click.option(
            "--text",
            "text_template",
            help="The template of texts; `connection kinds` lists what it may contain.",
        ),
        click.option(
            "--set",
            "pairs",
            multiple=True,
            metavar="FIELD=VALUE",
            help="A value of the connection; repeatable.",
        ),
        click.option(
            "--secret",
            "files",
            multiple=True,
            metavar="FIELD=FILE",
            help="A secret value, read from FILE, or from standard input if that is -; repeatable.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@command(connection, "kinds")
def kinds():
    """List the kinds of places, and what a connection to each needs."""
    return [
        {
            "kind": name,
            "summary": kind.summary,
            "fields": ", ".join(
                _describe_field(field) for field in kind.fields if not field.learned
            ),
        }
        for name, kind in _open_connections().connectors.items()
    ]


@command(connection, "list")
@click.argument("account_id")
def list_(account_id):
    """List the connections of an account, without their secrets."""
    kinds, base_url = _open_connections().connectors, settings.read().base_url
    return [
        {
            **to_plain_row(row, *_COLUMNS),
            "feed": _make_feed_address(kinds.get(row["connector"]), row["id"], base_url),
        }
        for row in domain.list_connections(get_terminal_user(), account_id)
    ]


@command(connection, "add", files=True)
@click.argument("account_id")
@click.argument("kind")
@click.option("--name", help="The place's name in the API; the kind's by default.")
@_add_value_options
def add(account_id, kind, name, pairs, files, **general):
    """Try a connection, and publish the account's future productions there."""
    connections = _open_connections()
    fields = _read_values(general, pairs, files, connections.connectors.get(kind))
    connection_id, secrets = connections.add(
        get_terminal_user(), account_id, kind, fields | ({"name": name} if name else {})
    )
    lines = "".join(f"\n{field}: {value}  (shown only now)" for field, value in secrets.items())
    return Done(f"added the connection {connection_id}{lines}", {"id": connection_id, **secrets})


@command(connection, "renew", files=True)
@click.argument("connection_id")
@click.option("--forget-host-key", is_flag=True, help="Pin the host key that the server has now.")
@_add_value_options
def renew(connection_id, forget_host_key, pairs, files, **general):
    """Try and store other values of a connection; those that are not given stay."""
    connections = _open_connections()
    row = domain.find(get_terminal_user(), connection_id)
    fields = _read_values(general, pairs, files, connections.connectors.get(row["connector"]))
    connections.renew(get_terminal_user(), connection_id, fields, forget_host_key)
    return Done(f"renewed {connection_id}", {"renewed": connection_id})


@command(connection, "try")
@click.argument("connection_id")
def try_it(connection_id):
    """Try a connection as it is; nothing is published."""
    _open_connections().try_connection(get_terminal_user(), connection_id)
    return Done("it works", {"tried": connection_id})


@command(
    connection,
    "remove",
    removes="the connection and its secrets; what waits to be published there fails",
)
@click.argument("connection_id")
def remove(connection_id):
    """Remove a connection. What was published there stays."""
    domain.remove(get_terminal_user(), connection_id, clock.now())
    return Done(f"removed {connection_id}", {"removed": connection_id})


@command(connection, "retry")
@click.argument("production_id")
@click.argument("platform")
def retry(production_id, platform):
    """Publish a production again at a place where that failed or was skipped, or where it waits."""
    actions.retry(get_terminal_user(), production_id, platform, clock.now())
    return Done(f"{platform} is tried again", {"retried": platform})


@command(connection, "skip")
@click.argument("production_id")
@click.argument("platform")
def skip(production_id, platform):
    """Give up publishing a production at a place, so that it is Published without that one."""
    actions.skip(get_terminal_user(), production_id, platform, clock.now())
    return Done(f"{platform} is skipped", {"skipped": platform})


@command(connection, "withdraw", removes="what was published there")
@click.argument("production_id")
@click.argument("platform")
def withdraw(production_id, platform):
    """Remove a production from a place where it was published; elsewhere it stays."""
    _open_connections().withdraw(get_terminal_user(), production_id, platform)
    return Done(f"withdrawn from {platform}", {"withdrawn": platform})


def _make_feed_address(
    connector: Connector | None, connection_id: str, base_url: str
) -> str | None:
    """Return the address on this server at which posts are found; None: there is none."""
    return (
        f"{base_url}/{connector.feed.replace('{id}', connection_id)}"
        if connector and connector.feed
        else None
    )


def _read_values(general, pairs, files, connector: Connector | None) -> dict[str, str]:
    """Return the given values by field.

    CommandError: a pair is not one, names no field, or would show a secret.
    """
    fields_by_name = (
        {field.name: field for field in connector.fields if not field.learned} if connector else {}
    )
    fields = {name: value for name, value in general.items() if value}
    # A fault of these fields is said of the kind.
    general_names = {field.name for field in ANY_MAY_HAVE}
    for pair, from_file in [*((pair, False) for pair in pairs), *((pair, True) for pair in files)]:
        name, is_pair, value = pair.partition("=")
        if not is_pair or (connector and name not in fields_by_name and name not in general_names):
            raise CommandError(
                f"{pair[:40]!r} is not FIELD=VALUE"
                + (f"; the fields are {', '.join(fields_by_name)}." if fields_by_name else ".")
            )
        if name in fields_by_name and fields_by_name[name].secret and not from_file:
            raise CommandError(
                f"{name} is a secret, which other users could see in the list of processes: use "
                f"--secret {name}=FILE."
            )
        fields[name] = _read_content(value) if from_file else value
    return fields


def _read_content(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.read()
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as unreadable:
        raise CommandError(f"{file} cannot be read: {unreadable}") from None


def _describe_field(field) -> str:
    return (
        field.name
        + (" (secret)" if field.secret else "")
        + (f" ({' | '.join(field.choices)})" if field.choices else "")
        + ("" if field.required and not field.default else " (optional)")
    )
