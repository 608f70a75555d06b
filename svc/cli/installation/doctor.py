"""``python app.py doctor``: check the installation, and name the command that
repairs each problem.
"""

import itertools
import json
from dataclasses import asdict
from pathlib import Path

import click

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.base.processes import owner
from svc.work.backup import archive, incremental
from svc.work.doctor import run as checkup
from svc.work.doctor.findings import OK, PROBLEM, WARNING, Finding

_MARKS = {OK: ("✓", "green"), WARNING: ("!", "yellow"), PROBLEM: ("✗", "red")}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all findings.")
@click.option("--endpoints", is_flag=True, help="Also try to connect to the webhook endpoints.")
@click.option("--deep", is_flag=True, help="Read the whole database.")
@click.option(
    "--backup", type=click.Path(path_type=Path, dir_okay=False), help="Also verify this backup."
)
def doctor(as_json: bool, endpoints: bool, deep: bool, backup: Path | None) -> None:
    """Check the installation for known problems.

    Exit code 1: there is a problem; 0: there are at most warnings.
    """
    findings = []
    config = settings.read()
    # The checks need the permissions of the service, not those of root.
    owner.become_owner(config.data_dir)
    examined = checkup.examine(config, clock.now(), endpoints=endpoints, deep=deep)
    for finding in itertools.chain([_examine_backup_file(backup)] if backup else [], examined):
        findings.append(finding)
        if not as_json:
            _show(finding)
    problems = sum(finding.verdict == PROBLEM for finding in findings)
    if as_json:
        report = {"problems": problems, "findings": [asdict(finding) for finding in findings]}
        click.echo(json.dumps(report, ensure_ascii=False, indent=1))
    if problems:
        raise SystemExit(1)


def _examine_backup_file(path: Path) -> Finding:
    try:
        manifest = archive.verify(path)
    except CommandError as bad:
        return Finding("backup file", PROBLEM, str(bad), "python app.py backup ANOTHER-FILE")
    if warning := incremental.describe_gaps(manifest.missing, manifest.damaged):
        return Finding(
            "backup file",
            WARNING,
            f"{path} of {manifest.made_at}: {warning}",
            "python app.py doctor --deep",
        )
    return Finding("backup file", OK, f"{path} of {manifest.made_at} is whole and sound.")


def _show(finding: Finding) -> None:
    mark, colour = _MARKS[finding.verdict]
    click.echo(f"{click.style(mark, fg=colour)} {finding.name:12} {_escape_controls(finding.text)}")
    if finding.mend and finding.verdict != OK:
        click.echo(f"{'':15}{_escape_controls(finding.mend)}")


def _escape_controls(text: str) -> str:
    """Escape control characters: some names and patterns are not the operator's own,
    and this is a terminal.
    """
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    )
