"""``python app.py audit``: show, verify and export the audit log."""

import json
import os
from pathlib import Path

import click

from svc.base import clock
from svc.base.errors import CommandError
from svc.base.text.counted import count
from svc.cli import command_support
from svc.cli.command_support import Done
from svc.cli.records.filters import require_named
from svc.domain.audit import audit as log
from svc.domain.audit import audit_chain
from svc.domain.paging import Page
from svc.domain.people import users


@click.group(cls=command_support.Commands, invoke_without_command=True)
@click.option("--actor", "email", help="The e-mail address of the user who made the change.")
@click.option("--action", help="An action such as key.revoke, or a prefix such as `key.`.")
@click.option("--partner", "partner_id", help="The partner that the change concerns.")
@click.option("--subject", "subject_id", help="The ID of the changed object.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many to list at most.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.pass_context
def audit(context, email, action, partner_id, subject_id, limit, as_json):
    """Show who changed what, newest first."""
    if context.invoked_subcommand:
        return
    command_support.open_server()
    person = users.find(email) if email else None
    if email and person is None:
        raise CommandError(
            f"No user has the e-mail address {email}; `python app.py user list` lists all users."
        )
    entries = log.list_page(
        Page(limit),
        actor_id=person["id"] if person else None,
        action=action,
        partner_id=partner_id,
        subject_id=subject_id,
    )["data"]
    if not entries:  # those about a partner that was erased are kept
        require_named(partner_id)
    columns = ("at", "actor", "action", "subject", "before", "after") if not as_json else None
    command_support.write_result(
        [{name: entry[name] for name in columns or entry if name != "atMs"} for entry in entries],
        as_json,
    )


@audit.command()
@click.option("--head", help="A head from an earlier run, which must still be in the log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a sentence.")
def verify(head, as_json):
    """Check that only this service has written to the audit log.

    Exit code 0: the log is intact; 1: it is not.
    """
    command_support.open_server()
    verdict = audit_chain.verify(head)
    facts = {
        "whole": verdict.is_whole,
        "entries": verdict.entries,
        "redacted": verdict.redacted,
        "notYetChained": verdict.unchained,
        "head": verdict.head,
        "brokenAuditId": verdict.broken_id,
        "why": verdict.why or None,
    }
    command_support.write_result(Done(_write_sentence(verdict, head), facts), as_json)
    raise SystemExit(0 if facts["whole"] else 1)


def _write_sentence(verdict: audit_chain.Verdict, head: str | None) -> str:
    if verdict.broken_id is not None:
        return (
            f"broken: entry {verdict.broken_id} {verdict.why}; what was before it is "
            f"whole: {_count(verdict.entries)}"
        )
    if verdict.knows_head is False:
        return (
            f"broken: no entry has the hash {head}; entries that were there when it was noted "
            "down have been removed"
        )
    if verdict.unchained:
        return (
            f"{count(verdict.unchained, 'entry is', 'entries are')} older than the chain, which "
            "begins with the next entry"
        )
    erased = f", {verdict.redacted} of them erased with their partner" if verdict.redacted else ""
    return (
        f"whole: {_count(verdict.entries)}{erased}\n"
        f"head {verdict.head or 'none'}; note it down elsewhere, for --head"
    )


def _count(entries: int) -> str:
    return count(entries, "entry", "entries")


@audit.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a sentence.")
def export(file, as_json):
    """Write the whole log to FILE as JSON lines, oldest first. The log records the export."""
    command_support.open_server()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as exists:
        raise CommandError(f"{file} already exists; choose a new file name.") from exists
    with log.recording(
        command_support.get_terminal_user().actor, "audit.export", str(file.absolute()), clock.now()
    ):
        # recorded first, so that the file contains it; no transaction is open while the file is
        # written
        pass
    entries = 0
    with open(descriptor, "w", encoding="utf-8") as target:
        for row in audit_chain.read_entries():
            target.write(
                json.dumps(
                    log.represent(row) | {"hash": (row["hash"] or b"").hex()}, ensure_ascii=False
                )
                + "\n"
            )
            entries += 1
    command_support.write_result(
        Done(f"{file}: {_count(entries)}", {"file": str(file), "entries": entries}), as_json
    )
