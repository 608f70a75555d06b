"""Support for the operator's commands: opening the server's database, naming the operator,
writing the result.
"""

import copy
import functools
import getpass
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import click

from svc.base import clock, settings
from svc.base.errors import CommandError, InvalidRequest
from svc.base.processes import owner
from svc.base.settings import Settings
from svc.cli import confirm, tables
from svc.domain import form_fields
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer
from svc.store import database

_WHOLE = 10_000  # characters, more than any sentence has
LARGEST_NUMBER = 2**63 - 1  # that a column of either database takes

# The columns whose values ``to_plain_row`` converts: 0 and 1, millionths of the currency, and texts
# of JSON.
_FLAGS = frozenset(
    (
        "key_rotation",
        "self_lifecycle",
        "auto_release",
        "full_text",
        "script_review",
        "lower_third",
        "is_pattern",
    )
)
_MONEY = frozenset(("monthly_ceiling", "price"))
# The files of the data directory that a command may create as root before the server does.
_LOCKS = ("database.lock", "backup.lock", "driver.lock", "shared", "shared.lock")
_JSON = frozenset(
    ("language_ids", "appearance", "scopes", "permitted_account_ids", "event_types", "account_ids")
)


@dataclass(frozen=True)
class Done:
    """The result of a command, as a sentence for people and an object for programs."""

    sentence: str
    facts: dict


class Commands(click.Group):
    """A group of commands, whose help shows the first sentence of each whole: click cuts them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        listed = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        rows = [
            (name, each.get_short_help_str(limit=_WHOLE))
            for name, each in listed.items()
            if each is not None and not each.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def group(name: str, text: str) -> click.Group:
    """Return a new group of commands with ``text`` as its help."""
    return Commands(
        name,
        help=text,
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
    )


def command(
    group: click.Group,
    name: str,
    *,
    files: bool = False,
    formerly: str | None = None,
    removes: str | Callable[..., str] | None = None,
) -> Callable:
    """Return a decorator that adds a function to ``group`` as a command, with ``--json`` and with
    the server's database open.

    The function returns a dict (one object), a list of dicts (a table), or :class:`Done`.

    Args:
        files: The command reads or writes the caller's own files, so it does not run as the owner
            of the data directory.
        formerly: An earlier name, under which the command can still be called; help does not list
            it.
        removes: What the command permanently removes, or a function of its arguments that says so.
            The command then asks for confirmation unless ``--yes`` is given.
    """

    def decorate(function: Callable) -> click.Command:
        @click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
        @functools.wraps(function)
        def run(as_json: bool, yes: bool = False, **options) -> None:
            with stay_root(settings.read().data_dir) if files else nullcontext():
                open_server(become=not files)
                if removes and not yes:
                    confirm.confirm(removes if isinstance(removes, str) else removes(**options))
                try:
                    answer = function(**options)
                except InvalidRequest as wrong:
                    raise CommandError(_list_errors_by_option(wrong)) from wrong
            write_result(answer, as_json)

        if removes:
            run = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")(run)
        new_command = click.command(name)(run)
        group.add_command(new_command)
        if formerly:
            unlisted = copy.copy(new_command)
            unlisted.hidden = True
            group.add_command(unlisted, formerly)
        return new_command

    return decorate


def _list_errors_by_option(refusal: InvalidRequest) -> str:
    """Return a line for each invalid field: the name of its option, and the message."""
    options_by_name: dict[str, str] = {}
    for each in click.get_current_context().command.params:
        option_name = each.opts[0] if isinstance(each, click.Option) else each.human_readable_name
        options_by_name |= dict.fromkeys((each.name, *each.opts), option_name)
    lines = []
    for name, texts in (refusal.fields or {}).items():
        option = options_by_name.get(name) or options_by_name.get(f"--{name.replace('_', '-')}")
        lines.append(f"{option}: {texts[0]}" if option else texts[0])
    return "\n".join(lines) or refusal.message


def open_server(become: bool = True) -> Settings:
    """Open the server's database as the owner of its data directory.

    CommandError: there is no database.
    """
    config = settings.read()
    if become:
        owner.become_owner(config.data_dir)
    if not config.database_url and not config.database.exists():
        raise CommandError(
            f"There is no database in {config.data_dir.resolve()}; set SVC_DATA_DIR to that of "
            "the server."
        )
    database.open_database(config.database, config.database_url)
    return config


def require_sqlite(config: Settings, advice: str) -> None:
    """Require that the database is SQLite's file. CommandError: it is PostgreSQL.

    ``advice``: a sentence for the error, which says what to do with PostgreSQL instead.
    """
    if config.database_url:
        raise CommandError(
            f"SVC_DATABASE_URL is set, and this command is for SQLite's file. {advice} "
            "(docs/scale.md)"
        )


@contextmanager
def stay_root(data_dir: Path, *, locks: bool = True) -> Iterator[None]:
    """Let a command that root runs go on as root, because it reads or writes root's own files.

    What it creates in the data directory belongs to the directory's owner; its ``locks`` do so from
    the beginning.
    """
    os.umask(owner.MASK)
    owner.create_files(data_dir, _LOCKS if locks else ())
    try:
        yield
    finally:
        owner.hand_over(data_dir)


def get_terminal_user() -> Viewer:
    """Return the user of the terminal, who is an operator because they may read
    the server's database.
    """
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = f"user {os.getuid()}"
    return Viewer(None, name, f"{name} at the command line", OPERATOR, None)


def list_given_options(**options) -> dict[str, str]:
    """Return the options that were given, in the form in which the domain reads typed text."""
    return {
        name: "" if value is None else str(value)
        for name, value in options.items()
        if value is not None
    }


def to_plain_row(row, *columns: str) -> dict:
    """Return ``columns`` of a row, or all of them, with names,
    times and amounts written as in the API.
    """
    return {_camel(name): _to_plain_value(name, row[name]) for name in columns or row.keys()}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def _to_plain_value(name: str, value):
    if value is None:
        return None
    if name.endswith("_at") or name == "at":
        return clock.format_time(value)
    if name in _FLAGS:
        return bool(value)
    if name in _MONEY:
        return form_fields.format_amount(value)
    if name in _JSON and isinstance(value, str):
        return json.loads(value)
    return value


def write_result(answer, as_json: bool) -> None:
    """Write a command's result to standard output."""
    if as_json:
        facts = answer.facts if isinstance(answer, Done) else answer
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
    elif isinstance(answer, Done):
        click.echo(answer.sentence)
    elif isinstance(answer, dict):
        width = max(map(len, answer), default=0)
        for name, value in answer.items():
            entries = value if isinstance(value, list) and value else [value]
            one_each = any(isinstance(entry, dict) for entry in entries)
            for entry in entries if one_each else [value]:
                click.echo(f"{name:{width}}  {tables.to_text(entry)}")
                name = ""
    else:
        tables.write_table(answer)
