"""Asks for confirmation before an action that cannot be undone."""

import sys

import click

from svc.base.errors import CommandError


def confirm(subject: str) -> None:
    """Ask for confirmation before ``subject`` is removed.

    CommandError: there is no terminal; click.Abort: the answer is no.
    """
    if not _is_terminal():
        raise CommandError(
            f"This permanently removes {subject}. There is no terminal to confirm it at; use --yes."
        )
    click.confirm(f"This permanently removes {subject}. Continue?", abort=True, err=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty()
