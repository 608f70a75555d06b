"""Writes tables to standard output, fitted to a terminal, unfolded for a file or a pipe."""

import json

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text


class _Screen(Console):
    def on_broken_pipe(self):
        raise BrokenPipeError  # rich would exit silently with status 1


def write_table(rows: list[dict]) -> None:
    """Write rows as a table with their keys as headings."""
    if not rows:
        click.echo("none", err=True)
        return
    table = Table(box=None, pad_edge=False, header_style="bold", expand=False)
    for name in rows[0]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(to_text(value)) for value in row.values()))
    screen = _Screen(highlight=False, soft_wrap=False)
    if not screen.is_terminal:
        screen = _Screen(highlight=False, width=1000)
    screen.print(table)


def to_text(value) -> str:
    """Return a value as text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
