"""``python app.py doctor``: what is wrong with this installation, and the command that mends it."""

import itertools
import json
from dataclasses import asdict
from pathlib import Path

import click

from svc.base import clock, owner, settings
from svc.base.errors import CommandError
from svc.store import archive
from svc.work import checkup
from svc.work.findings import OK, PROBLEM, WARNING, Finding

_MARKS = {OK: ("✓", "green"), WARNING: ("!", "yellow"), PROBLEM: ("✗", "red")}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object with all findings.")
@click.option("--endpoints", is_flag=True, help="Also try to reach the endpoints of webhooks.")
@click.option("--deep", is_flag=True, help="Read the whole database.")
@click.option("--backup", type=click.Path(path_type=Path, dir_okay=False), help="Also verify this backup.")
def doctor(as_json: bool, endpoints: bool, deep: bool, backup: Path | None) -> None:
    """Look for everything that is known to go wrong. Exit code 1: there is a problem; warnings alone: 0."""
    found = []
    given = settings.read()
    owner.become(given.data_dir)  # what root may do says nothing of what the service may
    examined = checkup.examine(given, clock.now(), endpoints=endpoints, deep=deep)
    for each in itertools.chain([_backup(backup)] if backup else [], examined):
        found.append(each)
        if not as_json:
            _show(each)
    problems = sum(each.verdict == PROBLEM for each in found)
    if as_json:
        told = {"problems": problems, "findings": [asdict(each) for each in found]}
        click.echo(json.dumps(told, ensure_ascii=False, indent=1))
    if problems:
        raise SystemExit(1)


def _backup(path: Path) -> Finding:
    try:
        manifest = archive.verify(path)
    except CommandError as bad:
        return Finding("backup file", PROBLEM, str(bad), "python app.py backup ANOTHER-FILE")
    return Finding("backup file", OK, f"{path} of {manifest.made_at} is whole and sound.")


def _show(finding: Finding) -> None:
    mark, colour = _MARKS[finding.verdict]
    click.echo(f"{click.style(mark, fg=colour)} {finding.name:12} {finding.text}")
    if finding.mend and finding.verdict != OK:
        click.echo(f"{'':15}{finding.mend}")
