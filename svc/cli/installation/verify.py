"""``python app.py verify``: check signed files."""

import json
from pathlib import Path

import click
from rich.console import Console

from svc.base.errors import CommandError
from svc.cli.installation import signatures

_SHOWN = {
    "intact": "[green]intact[/]: as it was signed",
    "changed": "[red]CHANGED[/] since it was signed, or never signed",
    "foreign": "[yellow]intact[/], but signed by an unknown installation",
    "unknown": (
        "[yellow]unknown[/]: no signature covers it; name its certificate with --certificate"
    ),
}
_UNREAD = "[red]NOT CHECKED[/]"
_STATUS = {"intact": 0, "unknown": 3, "foreign": 3, "changed": 1}

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="FILE…")
@click.option(
    "--certificate",
    type=_FILE,
    help="The certificate that lists the files; by default a PDF in their directory.",
)
@click.option(
    "--trust",
    type=_FILE,
    multiple=True,
    help="The output of `identity` on an installation to trust; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def verify(
    files: tuple[Path, ...], certificate: Path | None, trust: tuple[Path, ...], as_json: bool
) -> None:
    """Check deliverables against their Content Credentials and the signed certificate.

    Trusted are this installation, or the installations of --trust. Exit code 0: all files are
    intact; 1: a file was changed; 3: a file is not covered by any signature, or its signer is
    unknown.
    """
    if certificate and not certificate.is_file():
        raise CommandError(f"--certificate {certificate} does not exist.")
    job = {
        "task": "verify",
        "files": [str(path) for path in files],
        "certificate": str(certificate or ""),
        "trust": [_read_text(path) for path in trust],
        "secret_in": "" if trust else signatures.find_secret_in(),
    }
    verdicts, has_trust = (
        signatures.run_job(job)["verdicts"],
        bool(job["trust"] or job["secret_in"]),
    )
    if as_json:
        click.echo(
            json.dumps({"known": has_trust, "files": verdicts}, indent=2, ensure_ascii=False)
        )
    else:
        _show(verdicts, has_trust)
    raise SystemExit(
        max((_STATUS[verdict["verdict"]] for verdict in verdicts), key=(0, 3, 1).index)
    )


def _read_text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError) as wrong:
        raise CommandError(f"--trust {path} cannot be read: {wrong}.") from wrong


def _show(verdicts: list[dict], has_trust: bool) -> None:
    screen = Console(highlight=False, soft_wrap=True)
    for verdict in verdicts:
        screen.print(verdict["file"], style="bold", markup=False)
        is_read = all(each["holds"] for each in verdict["found"] if each["what"] == "file")
        screen.print(f"  {_SHOWN[verdict['verdict']] if is_read else _UNREAD}")
        for finding in verdict["found"]:
            screen.print(
                f"  {'✓' if finding['holds'] else '✗'} {finding['what']}: {finding['sentence']}",
                markup=False,
            )
    if not has_trust:
        screen.print(
            "No installation is trusted here. Get the signer's `identity` from its operator and "
            "name it with --trust."
        )
