"""Addresses that are typed as options of commands."""

import click

from svc.base import settings


def check_url(context: click.Context, option: click.Parameter, address: str | None) -> str | None:
    """Return an address to which requests can be sent; nothing where none is given.

    BadParameter: it is none.
    """
    if address is not None and not settings.is_address(address):
        # The message leaves the text out: there may be a password in it.
        raise click.BadParameter("use an address such as http://127.0.0.1:8080", context, option)
    return address
