"""``python app.py verify`` and ``identity``: whether files are as they were signed, and who this installation is to others."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
from rich.console import Console

from svc.base import entry_points, settings
from svc.base.entry_points import Process
from svc.base.errors import CommandError

_SHOWN = {
    "intact": "[green]intact[/]: as it was signed", "changed": "[red]CHANGED[/] since it was signed, or never signed",
    "foreign": "[yellow]intact[/], but signed by an installation that is not known here",
    "unknown": "[yellow]unknown[/]: nothing vouches for it; name its certificate with --certificate",
}  # fmt: skip
_STATUS = {"intact": 0, "unknown": 3, "foreign": 3, "changed": 1}

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="FILE…")
@click.option("--certificate", type=_FILE, help="The certificate that lists the files; by default a PDF beside them.")
@click.option("--trust", type=_FILE, multiple=True, help="What `identity` printed on the installation that is believed.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def verify(files: tuple[Path, ...], certificate: Path | None, trust: tuple[Path, ...], as_json: bool) -> None:
    """Check deliverables against their Content Credentials and the signed certificate.

    Believed is this installation, or whoever --trust names. Ends with 0 if all files are intact, 1 if any was changed, 3 if
    nothing vouches for one or its signer is not known here.
    """
    if certificate and not certificate.is_file():
        raise CommandError(f"--certificate {certificate} is not there.")
    job = {
        "task": "verify", "files": [str(each) for each in files], "certificate": str(certificate or ""),
        "trust": [_text(each) for each in trust], "secret_in": "" if trust else _secret_in(),
    }  # fmt: skip
    verdicts, known = _asked(job)["verdicts"], bool(job["trust"] or job["secret_in"])
    if as_json:
        click.echo(json.dumps({"known": known, "files": verdicts}, indent=2, ensure_ascii=False))
    else:
        _show(verdicts, known)
    raise SystemExit(max((_STATUS[each["verdict"]] for each in verdicts), key=(0, 3, 1).index))


@click.command()
def identity() -> None:
    """Print the public key and the certificate authority of this installation, for others to verify its files with."""
    if not _secret_in():
        raise CommandError(f"There is no installation in {settings.read().data_dir}; start it once, or set SVC_DATA_DIR.")
    told = _asked({"task": "identity", "secret_in": _secret_in()})
    click.echo(f"Installation {told['fingerprint']}", err=True)
    click.echo(told["pem"], nl=False)


def _secret_in() -> str:
    """This installation's data directory; empty if there is none yet."""
    folder = settings.read().data_dir
    return str(folder) if (folder / "secret").is_file() else ""


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError) as wrong:
        raise CommandError(f"--trust {path} cannot be read: {wrong}.") from wrong


def _asked(job: dict) -> dict:
    """The answer of the process that has the libraries."""
    done = subprocess.run(
        [sys.executable, *entry_points.arguments(Process.VERIFICATION)], input=json.dumps(job).encode(), stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(entry_points.ROOT)}, check=False,
    )  # fmt: skip
    if done.returncode:
        raise CommandError("The files could not be checked; what went wrong stands above.")
    told = json.loads(done.stdout)
    if "error" in told:
        raise CommandError(told["error"])
    return told


def _show(verdicts: list[dict], known: bool) -> None:
    screen = Console(highlight=False, soft_wrap=True)
    for each in verdicts:
        screen.print(each["file"], style="bold", markup=False)
        screen.print(f"  {_SHOWN[each['verdict']]}")
        for found in each["found"]:
            screen.print(f"  {'✓' if found['holds'] else '✗'} {found['what']}: {found['sentence']}", markup=False)
    if not known:
        screen.print("No installation is known here. Get the signer's `identity` from its operator and name it with --trust.")
