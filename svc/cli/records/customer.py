"""``python app.py customer``: the customers of partners, with ceilings over all
of their accounts.
"""

import click

from svc.base import clock
from svc.cli import command_support
from svc.cli.command_support import (
    Done,
    command,
    get_terminal_user,
    list_given_options,
    to_plain_row,
)
from svc.cli.records.filters import require_named
from svc.domain.paging import Page
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import search as partner_search

customer = command_support.group(
    "customer", "Customers of partners: ceilings over all of their accounts."
)
_COLUMNS = ("id", "partner_id", "name", "monthly_ceiling", "concurrency_ceiling", "created_at")


@command(customer, "list")
@click.option("--partner", "partner_id", help="Show only this partner's customers.")
@click.option("--search", help="Part of the name, or an ID.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)
def list_(partner_id, search, limit):
    """List customers, newest first."""
    require_named(partner_id)
    rows = partner_search.list_page("customer", Page(limit), search=search, partner_id=partner_id)[
        "data"
    ]
    return [to_plain_row(row, *_COLUMNS, "accounts") for row in rows]


@command(customer, "show")
@click.argument("customer_id")
def show(customer_id):
    """Show one customer."""
    return to_plain_row(partner_admin.find(partner_admin.CUSTOMER, customer_id), *_COLUMNS)


@command(customer, "add")
@click.argument("name")
@click.option(
    "--partner", "partner_id", required=True, help="The partner that serves the customer."
)
def add(name, partner_id):
    """Add a customer with the standard avatars."""
    customer_id = partner_admin.add_customer(
        get_terminal_user().actor, partner_id, {"name": name}, clock.now()
    )
    return Done(f"added the customer {customer_id}", {"id": customer_id})


@command(customer, "set", formerly="change")
@click.argument("customer_id")
@click.option("--name", help="Its new name.")
@click.option("--monthly-ceiling", help="An amount such as 1250.50, or `none`.")
@click.option("--concurrency-ceiling", help="The number of concurrent productions, or `none`.")
def change(customer_id, **options):
    """Change the given settings and keep the others."""
    customer = partner_admin.change(
        get_terminal_user().actor,
        partner_admin.CUSTOMER,
        customer_id,
        list_given_options(**options),
        clock.now(),
    )
    return to_plain_row(customer, *_COLUMNS)
