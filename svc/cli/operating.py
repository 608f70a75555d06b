"""What the operator's commands share: the server's database, who is at the keyboard, and how an answer is written."""

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

from svc.base import clock, owner, settings
from svc.base.errors import CommandError, InvalidRequest
from svc.base.settings import Settings
from svc.cli import asking, tables
from svc.domain import entries
from svc.domain.people import OPERATOR, Viewer
from svc.store import database

_FLAGS = frozenset(("key_rotation", "self_lifecycle", "auto_release", "is_pattern"))
_MONEY = frozenset(("monthly_ceiling", "price"))
_LOCKS = ("database.lock", "backup.lock", "driver.lock", "shared", "shared.lock")
_JSON = frozenset(("language_ids", "appearance", "scopes", "permitted_account_ids", "event_types", "account_ids"))


@dataclass(frozen=True)
class Done:
    """What was done, as a sentence for people, and for programs as an object."""

    sentence: str
    facts: dict


def group(name: str, text: str) -> click.Group:
    """A group of commands; ``text`` is its help."""
    return click.Group(name, help=text, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)


def command(
    into: click.Group, name: str, *, files: bool = False, formerly: str | None = None,
    removes: str | Callable[..., str] | None = None,
) -> Callable:  # fmt: skip
    """Make a function a command of ``into``, which takes ``--json`` and has the server's database open. ``files``: it reads
    or writes files of whoever calls it, so it is not run as the owner of the data directory.

    It returns a dict (one thing), a list of dicts (a table), or :class:`Done`. ``formerly``: a name that it had and still
    answers to, unlisted. ``removes``: what it puts an end to, or what says that of the
    arguments; so it asks first, or takes ``--yes``."""

    def decorate(function: Callable) -> click.Command:
        @click.option("--json", "as_json", is_flag=True, help="JSON instead of words and tables.")
        @functools.wraps(function)
        def run(as_json: bool, yes: bool = False, **given) -> None:
            with as_caller(settings.read().data_dir) if files else nullcontext():
                open_server(become=not files)
                if removes and not yes:
                    asking.confirm(removes if isinstance(removes, str) else removes(**given))
                try:
                    answer = function(**given)
                except InvalidRequest as wrong:
                    raise CommandError(_by_option(wrong)) from wrong
            write(answer, as_json)

        if removes:
            run = click.option("--yes", is_flag=True, help="Do it without asking.")(run)
        made = click.command(name)(run)
        into.add_command(made)
        if formerly:
            unlisted = copy.copy(made)
            unlisted.hidden = True
            into.add_command(unlisted, formerly)
        return made

    return decorate


def _by_option(wrong: InvalidRequest) -> str:
    """What was wrong with which option."""
    fields = wrong.fields or {}
    return "\n".join(f"--{name.replace('_', '-')}: {texts[0]}" for name, texts in fields.items()) or wrong.message


def open_server(become: bool = True) -> Settings:
    """Open the server's database, as the owner of its data directory. CommandError: there is none."""
    given = settings.read()
    if become:
        owner.become(given.data_dir)
    if not given.database.exists():
        raise CommandError(f"There is no database in {given.data_dir.resolve()}; set SVC_DATA_DIR to the server's.")
    database.open_database(given.database)
    return given


@contextmanager
def as_caller(data_dir: Path, *, locks: bool = True) -> Iterator[None]:
    """For a command that root runs and that reads or writes root's own files: it stays root, and what it makes in the data
    directory is the owner's, as its locks are from the beginning (``locks``)."""
    os.umask(owner.MASK)
    owner.touch(data_dir, _LOCKS if locks else ())
    try:
        yield
    finally:
        owner.hand_over(data_dir)


def me() -> Viewer:
    """Whoever is at the keyboard: somebody who may read the server's database is an operator."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = f"user {os.getuid()}"
    return Viewer(None, name, f"{name} at the command line", OPERATOR, None)


def given(**options) -> dict[str, str]:
    """Those options that were given, as the domain reads what people type."""
    return {name: "" if value is None else str(value) for name, value in options.items() if value is not None}


def plain(row, *columns: str) -> dict:
    """A row, or those columns of it, as programs read it: the API's way to write names, instants and money."""
    return {_camel(name): _value(name, row[name]) for name in columns or row.keys()}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(each.title() for each in rest)


def _value(name: str, value):
    if value is None:
        return None
    if name.endswith("_at") or name == "at":
        return clock.text(value)
    if name in _FLAGS:
        return bool(value)
    if name in _MONEY:
        return entries.amount(value)
    if name in _JSON and isinstance(value, str):
        return json.loads(value)
    return value


def write(answer, as_json: bool) -> None:
    """On standard output."""
    if as_json:
        facts = answer.facts if isinstance(answer, Done) else answer
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
    elif isinstance(answer, Done):
        click.echo(answer.sentence)
    elif isinstance(answer, dict):
        width = max(map(len, answer), default=0)
        for name, value in answer.items():
            click.echo(f"{name:{width}}  {tables.shown(value)}")
    else:
        tables.write(answer)
