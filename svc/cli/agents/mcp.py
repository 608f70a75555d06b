"""``python app.py mcp``: offer the API to agents as tools of the Model Context Protocol."""

import re

import click

from svc.base.errors import CommandError
from svc.cli import addresses

_NEEDED = "This command needs the package {}: pip install -r requirements-mcp.txt"


def _check_prefix(_: click.Context, __: click.Parameter, prefix: str) -> str:
    if not re.fullmatch(r"([A-Za-z_][A-Za-z0-9_-]{0,23})?", prefix, re.ASCII):
        raise click.BadParameter(
            "it has at most 24 letters, digits, - and _, and begins with a letter, as names of "
            "tools do"
        )
    return prefix


@click.command()
@click.option(
    "--key",
    envvar="KEY",
    help="The API key, whose permissions decide which tools there are, or the variable KEY.",
)
@click.option(
    "--url",
    "--base-url",
    "base_url",
    envvar="BASE",
    default="http://127.0.0.1:8080",
    show_default=True,
    callback=addresses.check_url,
    help="The URL of the service, or the variable BASE.",
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help=(
        "Serve http://HOST:PORT/mcp, where each request brings a key of its own, instead of "
        "standard input and output."
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address for --http.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help=(
        "With --http: a name (and :PORT) by which agents reach this server, such as that of a "
        "proxy; repeatable."
    ),
)
@click.option(
    "--prefix",
    default="",
    metavar="TEXT",
    callback=_check_prefix,
    help=(
        "What the names of the tools begin with, such as acme_, where a program has the tools of "
        "two servers."
    ),
)
def mcp(
    key: str | None, base_url: str, port: int | None, host: str, hosts: tuple[str, ...], prefix: str
) -> None:
    """Offer the API to agents as tools: the Model Context Protocol.

    An agent's program starts this command and speaks to it through standard input and output. With
    --http it serves many agents; each sends its key as X-API-Key, or as Authorization: Bearer.
    """
    if port is None and not key:
        raise CommandError(
            "Which key? Set the variable KEY, or use --key; with --http agents send their own."
        )
    try:
        from svc.cli.agents import server
    except ModuleNotFoundError as missing:
        raise CommandError(_NEEDED.format(missing.name)) from missing
    if port is not None:
        server.serve_http(base_url, host, port, hosts, prefix)
    elif key:
        server.serve_stdio(base_url, key, prefix)
