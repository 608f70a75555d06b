"""Asks whoever is at the terminal before what cannot be undone."""

import sys

import click

from svc.base.errors import CommandError


def confirm(what: str) -> None:
    """Ask whether to go on with what cannot be undone. CommandError: there is nobody to ask; click.Abort: no."""
    if not _is_terminal():
        raise CommandError(f"This removes {what} for good, and there is no terminal to ask: call it again with --yes.")
    click.confirm(f"This removes {what} for good. Go on?", abort=True, err=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty()
