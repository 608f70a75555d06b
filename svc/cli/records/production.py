"""``python app.py production``: find, release, reject, cancel and retry productions."""

import click

from svc.base import clock, settings, states
from svc.base.text.counted import count
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user, to_plain_row
from svc.cli.records.filters import require_named
from svc.domain.paging import Page
from svc.domain.productions import admin as production_admin
from svc.domain.productions import productions
from svc.domain.productions import search as production_search
from svc.domain.productions.search import Search
from svc.domain.usage.model_costs import Prices
from svc.work.files import comparison
from svc.work.machines import further_languages

production = command_support.group(
    "production", "Productions: find, release, reject, cancel, retry them; mend their files."
)
_COLUMNS = ("id", "title", "status", "account_name", "partner_name", "error_code", "created_at")


@command(production, "list")
@click.option("--partner", "partner_id", help="Show only this partner's productions.")
@click.option("--account", "account_id", help="Show only this account's productions.")
@click.option(
    "--status",
    type=click.Choice(states.PRODUCTION_STATES),
    help="Show only productions in this state.",
)
@click.option("--search", "words", default="", help="The beginning of the title or of the ID.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many to list at most.",
)
def list_(partner_id, account_id, status, words, limit):
    """List productions, newest first."""
    require_named(partner_id, account_id=account_id)
    rows = production_search.list_page(
        Search(partner_id, account_id, status, words=words), Page(limit)
    )["data"]
    return [to_plain_row(row, *_COLUMNS) for row in rows]


@command(production, "show")
@click.argument("production_id")
def show(production_id):
    """Show one production as in the API."""
    return productions.load_production(production_id)


@command(production, "release")
@click.argument("production_id")
def release(production_id):
    """Release a production that awaits its release."""
    production_admin.release(get_terminal_user(), production_id, clock.now())
    return Done(f"released {production_id}", {"released": production_id})


@command(production, "reject")
@click.argument("production_id")
@click.option("--reason", required=True, help="The reason given to the partner.")
def reject(production_id, reason):
    """Reject a production that awaits its release; it becomes Failed."""
    production_admin.reject(get_terminal_user(), production_id, reason, clock.now())
    return Done(f"rejected {production_id}", {"rejected": production_id})


@command(production, "cancel")
@click.argument("production_id")
def cancel(production_id):
    """Cancel a production of any partner."""
    production_admin.cancel(get_terminal_user(), production_id, clock.now())
    return Done(f"cancelling {production_id}", {"cancelling": production_id})


@command(production, "front")
@click.argument("production_id")
def front(production_id):
    """Move a production to the front of the queue of steps."""
    production_admin.move_to_front(get_terminal_user(), production_id, clock.now())
    return Done(f"moved {production_id} to the front", {"front": production_id})


@command(
    production,
    "mend-files",
    removes=(
        "the rows of files that are missing, and files that no row names (`doctor --deep` "
        "lists them)"
    ),
)
def mend_files():
    """Make rows and files agree again: forget files that are missing,
    and remove files that no row names.
    """
    repair = comparison.repair(settings.read(), get_terminal_user().actor, clock.now())
    facts = {
        "lost": repair.lost,
        "lostUploads": list(repair.uploads),
        "withoutRows": repair.unknown,
    }
    sentence = (
        f"forgot {count(len(repair.lost) + len(repair.uploads), 'missing file')}, removed those of "
        f"{count(len(repair.unknown), 'production')}"
    )
    return Done(sentence, facts)


@command(production, "retry")
@click.argument("production_id")
def retry(production_id):
    """Start a new production from the brief of a failed or cancelled one."""
    config = settings.read()
    further_languages.offer(config)
    new_id = production_admin.retry(
        get_terminal_user(),
        production_id,
        clock.now(),
        "command-line",
        Prices.from_settings(config),
    )
    return Done(f"triggered {new_id}", {"id": new_id})
