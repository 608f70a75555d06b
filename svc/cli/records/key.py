"""``python app.py key``: API keys, and the activation keys that partners exchange for live keys."""

import json

import click

from svc.base import clock
from svc.base.errors import CommandError
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user, to_plain_row
from svc.cli.records.filters import require_named
from svc.domain import scopes
from svc.domain.access import key_admin, key_limits, keys
from svc.domain.people import users
from svc.work.publishing.publisher import PLATFORM_NAMES

key = command_support.group(
    "key", "API keys, and activation keys that partners exchange for live keys."
)
_SCOPE = click.option(
    "--scope",
    "scope_list",
    multiple=True,
    type=click.Choice((*scopes.NAMES, "all")),
    help="A permission of the key; repeatable; by default, those that only read.",
)

_EXPIRES = click.option(
    "--expires",
    default="",
    metavar="WHEN",
    help="When it expires, such as 2027-01-31; never by default.",
)
_RANGES = click.option(
    "--ranges",
    multiple=True,
    metavar="CIDR",
    help="An address range that may use the key; repeatable; any address by default.",
)


@command(key, "list")
@click.option("--partner", "partner_id", required=True, help="The partner whose keys are meant.")
def list_(partner_id):
    """List a partner's keys, newest first."""
    require_named(partner_id)
    at = clock.now()
    columns = (
        "id",
        "name",
        "prefix",
        "environment",
        "creator_name",
        "last_used_at",
        "created_at",
        "expires_at",
    )
    return [
        {
            **to_plain_row(row, *columns),
            "state": key_admin.find_key_state(row, at),
            "scopes": key_admin.list_scopes(row),
            "allowedRanges": json.loads(row["allowed_ranges"] or "null"),
        }
        for row in key_admin.list_keys(partner_id)
    ]


@command(key, "add")
@click.argument("name")
@click.option("--partner", "partner_id", required=True, help="The partner whose keys are meant.")
@_SCOPE
@click.option(
    "--account",
    "permitted",
    multiple=True,
    help="A live account that the key may use; repeatable; all accounts by default.",
)
@_EXPIRES
@_RANGES
def add(name, partner_id, scope_list, permitted, expires, ranges):
    """Create an activation key, which the partner exchanges once for a live key."""
    at = clock.now()
    limits = key_limits.parse_limits(expires, " ".join(ranges), at)
    activation = key_admin.create_activation_key(
        get_terminal_user().actor,
        partner_id,
        name,
        _read_scopes(scope_list),
        at,
        list(permitted) or None,
        limits,
    )
    return Done(
        (
            f"{activation}\nGive this to the partner. Its first GET /v1/partners/verify within "
            f"{keys.ACTIVATION_LIFETIME // clock.DAY} days returns the live key, once."
        ),
        {"activationKey": activation},
    )


@command(key, "add-test", formerly="test")
@click.argument("name")
@click.option(
    "--for",
    "email",
    required=True,
    help="The e-mail address of the user whose sandbox the key may use.",
)
@_SCOPE
@_EXPIRES
@_RANGES
def test(name, email, scope_list, expires, ranges):
    """Create a test key for a user. The key is shown only once."""
    row = users.find(email)
    if row is None:
        raise CommandError(
            f"No user has the e-mail address {email}; `python app.py user list` lists all users."
        )
    at = clock.now()
    limits = key_limits.parse_limits(expires, " ".join(ranges), at)
    key_id, test_key = key_admin.create_test_key(
        users.make_viewer(row),
        name,
        _read_scopes(scope_list),
        PLATFORM_NAMES,
        at,
        get_terminal_user().actor,
        limits,
    )
    return Done(test_key, {"id": key_id, "key": test_key})


@command(key, "revoke", removes="the key; its clients stop working")
@click.argument("key_id")
@click.option(
    "--with-successors", is_flag=True, help="Also revoke the keys that replaced it by rotation."
)
def revoke(key_id, with_successors):
    """Revoke a key immediately, and name the keys that replaced it by rotation and still work."""
    revocation = key_admin.revoke(
        get_terminal_user(), key_id, clock.now(), with_successors=with_successors
    )
    advice = " Use --with-successors to revoke them too." if revocation.still_in_use else ""
    facts = {
        "revoked": key_id,
        "ended": list(revocation.ended),
        "stillInUse": list(revocation.still_in_use),
    }
    return Done(f"{revocation.sentence}{advice}", facts)


@command(key, "remove-activation", formerly="withdraw", removes="the activation key")
@click.argument("activation_id")
def withdraw(activation_id):
    """Revoke an unused activation key."""
    key_admin.withdraw_activation(get_terminal_user().actor, activation_id, clock.now())
    return Done(f"withdrew {activation_id}", {"withdrawn": activation_id})


@command(key, "list-activations", formerly="activations")
@click.option("--partner", "partner_id", required=True, help="The partner whose keys are meant.")
def activations(partner_id):
    """List a partner's unused activation keys."""
    require_named(partner_id)
    rows = key_admin.list_activation_keys(partner_id, clock.now())
    return [to_plain_row(row, "id", "name", "prefix", "created_at", "expires_at") for row in rows]


def _read_scopes(names) -> list[str]:
    return list(scopes.ALL) if "all" in names else list(names)
