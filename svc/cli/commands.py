"""The commands of ``python app.py``: each module is imported when its command runs;
the default command is ``serve``.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import cast

import click

from svc.base.errors import CommandError
from svc.base.processes import entry_points
from svc.base.version import VERSION

# Name: module and attribute under svc.cli, and the first sentence of the help. A test compares it
# with the command's own help.
_COMMANDS = {
    "account": ("records.account:account", "Accounts: ceilings, release, project types, places."),
    "alert": ("records.alert:alert", "Alerts: list, acknowledge and close them."),
    "audit": ("records.audit:audit", "Show who changed what, newest first."),
    "avatar": ("records.avatar:avatar", "Avatars: voices, looks, languages, portraits."),
    "backup": (
        "installation.backup:backup",
        (
            "Back up the data directory while the server runs, and the database of PostgreSQL by "
            "its pg_dump."
        ),
    ),
    "bundle": (
        "installation.bundle:bundle",
        (
            "Package the program as FILE, which runs on any machine of the same kind with the "
            "same version of Python."
        ),
    ),
    "completion": (
        "installation.completion:completion",
        "Print a script that adds completion of these commands to your shell.",
    ),
    "config": (
        "installation.config:config",
        "Show every setting, its value and where it comes from; secrets are masked.",
    ),
    "connection": (
        "records.connection:connection",
        "Connections of accounts to places of their own, and publications there.",
    ),
    "copy": (
        "installation.copy:copy",
        "Copy the database to PostgreSQL, or back to SQLite, while the service is stopped.",
    ),
    "customer": (
        "records.customer:customer",
        "Customers of partners: ceilings over all of their accounts.",
    ),
    "demo": (
        "demo.demo:demo",
        "Run a demonstration: a server, a partner, a production, its webhooks and its files.",
    ),
    "deploy": (
        "installation.deploy:deploy",
        "Print a deployment file; its first lines say where to install it.",
    ),
    "doctor": ("installation.doctor:doctor", "Check the installation for known problems."),
    "identity": (
        "installation.identity:identity",
        (
            "Print the public key and the certificate authority of this installation, with which "
            "others verify its files."
        ),
    ),
    "key": (
        "records.key:key",
        "API keys, and activation keys that partners exchange for live keys.",
    ),
    "key-ring": (
        "installation.key_ring:key_ring",
        "Master keys, from which signing secrets and links are derived.",
    ),
    "listen": (
        "demo.listen:listen",
        "Show the events that a key may see, and forward them as signed webhooks, until Ctrl-C.",
    ),
    "maintenance": (
        "records.maintenance:maintenance",
        "Maintenance mode, in which the API answers 503.",
    ),
    "mcp": ("agents.mcp:mcp", "Offer the API to agents as tools: the Model Context Protocol."),
    "partner": ("records.partner:partner", "Partners: their status, tier and flags."),
    "production": (
        "records.production:production",
        "Productions: find, release, reject, cancel, retry them; mend their files.",
    ),
    "queue": ("records.queue:queue", "The queue of steps: show, pause and resume it; its jobs."),
    "render": (
        "installation.render:render",
        "Render all files of a production from a Markdown brief.",
    ),
    "restore": (
        "installation.restore:restore",
        (
            "Restore a backup into SVC_DATA_DIR, which must be empty, and one of PostgreSQL into "
            "an empty SVC_DATABASE_URL."
        ),
    ),
    "rule": ("records.rule:rule", "Sensitivity rules, and a check of a topic against them."),
    "seed": ("installation.seed:seed", "Add a demo partner with accounts, keys and avatars."),
    "serve": ("installation.serve:serve", "Serve the API, the console and the documentation."),
    "user": ("records.user:user", "Users of the console."),
    "verify": (
        "installation.verify:verify",
        "Check deliverables against their Content Credentials and the signed certificate.",
    ),
    "voice": ("records.voice:voice", "Trained voices: list, install and hear them."),
    "webhook": ("records.webhook:webhook", "Webhooks and their deliveries."),
    "worker": (
        "installation.worker:worker",
        "Run steps of productions for servers on the same PostgreSQL database and bucket.",
    ),
}


class _Commands(Mapping):
    """Maps command names to commands, which are imported on lookup."""

    def __getitem__(self, name: str) -> click.Command:
        return cast(click.Command, entry_points.load_command(_COMMANDS[name][0]))

    def __contains__(self, name: object) -> bool:
        return name in _COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class OutputClosed(CommandError):
    """The reader of standard output has closed it, as ``head`` does. click would exit silently
    with status 1.
    """


@contextmanager
def _output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as closed:
        raise OutputClosed("Standard output was closed before all output was written.") from closed


class _Program(click.Group):
    """The group of all commands.

    It runs ``serve`` by default and shows its help without importing any command.
    """

    def parse_args(self, ctx, args):
        own_options = ("--help", "-h", "--version")
        if not ctx.resilient_parsing and (
            not args or (args[0].startswith("-") and args[0] not in own_options)
        ):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def make_context(self, *args, **kwargs):
        with _output():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx):
        with _output():
            return super().invoke(ctx)

    def format_commands(self, ctx, formatter):
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(
    cls=_Program, commands=_Commands(), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(VERSION, prog_name="Partner Production API", message="%(prog)s %(version)s")
def main() -> None:
    """The Partner Production API: serve it, demonstrate it, operate it."""
