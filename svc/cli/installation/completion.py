"""``python app.py completion``: print shell completion for these commands."""

import shlex
import sys
from pathlib import Path

import click
from click.shell_completion import get_completion_class

_APP = Path(__file__).parents[3] / "app.py"
_VARIABLE = "_APP_PY_COMPLETE"  # as click names it after app.py
_DEFINE = {"fish": "function {name}; {command} $argv; end", None: '{name}() {{ {command} "$@"; }}'}


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.option(
    "--name",
    default="ppa",
    show_default=True,
    help="The shell function to define for “python app.py”.",
)
@click.pass_context
def completion(ctx: click.Context, shell: str, name: str) -> None:
    """Print a script that adds completion of these commands to your shell.

    \b
    bash, zsh:  eval "$(python app.py completion bash)"
    fish:       python app.py completion fish | source

    Then type “ppa” instead of “python app.py”.
    """
    if not name.isidentifier():
        raise click.BadParameter(
            f"{name!r} is not a name; use letters, digits and underscores, and no digit first",
            param_hint="--name",
        )
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(_APP))}"
    completion = get_completion_class(shell)
    if completion is None:
        raise click.BadParameter(f"{shell!r} is not a shell with completion; use bash, zsh or fish")
    script = completion(ctx.find_root().command, {}, name, _VARIABLE).source()
    call = f"{_VARIABLE}={shell}_complete"
    # click would call the typed word, which is a shell function here.
    for part in (f"{call} $1", f"{call} {name}", f"COMP_CWORD=(commandline -t) {name}"):
        script = script.replace(part, part.rpartition(" ")[0] + f" {command}")
    click.echo(_DEFINE.get(shell, _DEFINE[None]).format(name=name, command=command))
    click.echo(script)
