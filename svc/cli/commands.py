"""The commands of ``python app.py``: a module is imported when its command is called, and ``serve`` when none is named."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import cast

import click

from svc.base import entry_points
from svc.base.errors import CommandError
from svc.base.version import VERSION

# Name: module and attribute under svc.cli, and the first sentence of its help, which a test compares with the command's own.
_COMMANDS = {
    "account": ("account:account", "Accounts: ceilings, release, project types, platforms."),
    "alert": ("alert:alert", "Alerts: what the operator should know."),
    "audit": ("audit:audit", "Show who changed what, newest first."),
    "avatar": ("avatar:avatar", "Avatars: voices, looks, languages, portraits."),
    "backup": ("backup:backup", "Back the data directory up, beside a running server."),
    "bundle": ("bundle:bundle", "Make FILE, which serves, demos and administers on any machine like this one that has the same"
               " Python."),
    "completion": ("completion:completion", "Print what makes your shell complete these commands."),
    "config": ("config:config", "Show every setting, its value and where it comes from; secrets are masked."),
    "customer": ("customer:customer", "Customers of partners: ceilings over all of their accounts."),
    "demo": ("demo:demo", "Show the main job: a server, a partner, a production, its webhooks, its files."),
    "deploy": ("deploy:deploy", "Print the file for a deployment; its first lines say where it belongs."),
    "doctor": ("doctor:doctor", "Look for everything that is known to go wrong."),
    "identity": ("verify:identity", "Print the public key and the certificate authority of this installation, for others to"
                 " verify its files with."),
    "key": ("key:key", "API keys, and activation keys by which live ones are handed out."),
    "key-ring": ("key_ring:key_ring", "The master keys, from which signing secrets and links are derived."),
    "listen": ("listen:listen", "Show, and forward as signed webhooks, the events that a key may see, until Ctrl-C."),
    "maintenance": ("maintenance:maintenance", "The switch that makes the API answer 503."),
    "partner": ("belongings:partner", "Partners: their status, tier and flags."),
    "production": ("production:production", "What an operator does with productions."),
    "queue": ("queue:queue", "The queue of steps: who waits, and its pause."),
    "render": ("render:render", "Make all files of a production from a Markdown brief."),
    "restore": ("backup:restore", "Restore a backup into SVC_DATA_DIR, which must be empty."),
    "rule": ("rule:rule", "Sensitivity rules, and whether a topic would pass."),
    "seed": ("seed:seed", "Make another demo partner at each call."),
    "serve": ("serve:serve", "Serve API, console and documentation."),
    "user": ("user:user", "People who sign in to the console."),
    "verify": ("verify:verify", "Check deliverables against their Content Credentials and the signed certificate."),
    "webhook": ("webhook:webhook", "Webhook subscriptions and their deliveries."),
}  # fmt: skip


class _Commands(Mapping):
    """The commands by their names; each is imported when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        return cast(click.Command, entry_points.load_command(_COMMANDS[name][0]))

    def __contains__(self, name: object) -> bool:
        return name in _COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class OutputClosed(CommandError):
    """Whoever reads standard output has ended, as ``head`` does. click would end without a word, and with status 1."""


@contextmanager
def _output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as closed:
        raise OutputClosed("Standard output was closed before everything was written to it.") from closed


class _Program(click.Group):
    """The group of all commands. It serves by default, and shows its help without importing any command."""

    def parse_args(self, ctx, args):
        own = ("--help", "-h", "--version")
        if not ctx.resilient_parsing and (not args or (args[0].startswith("-") and args[0] not in own)):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def make_context(self, *args, **more):
        with _output():
            return super().make_context(*args, **more)

    def invoke(self, ctx):
        with _output():
            return super().invoke(ctx)

    def format_commands(self, ctx, formatter):
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(cls=_Program, commands=_Commands(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="Partner Production API", message="%(prog)s %(version)s")
def main() -> None:
    """The Partner Production API: serve it, show it, run it."""
