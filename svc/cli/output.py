"""Handles standard output that cannot be written: a pipe whose reader has ended, a full disk."""

import os

import click


def discard() -> None:
    """Discard the remaining output, so that Python does not report on exit that standard output
    cannot be written.
    """
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        pass


def tell(line: str) -> None:
    """Print a line that may be lost: what goes on after it does not depend on a reader."""
    try:
        click.echo(line)
    except OSError:
        discard()
