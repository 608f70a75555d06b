"""``python app.py key``: API keys, and the activation keys by which live ones are handed out."""

import json

import click

from svc.base import clock, scopes
from svc.base.errors import CommandError
from svc.cli import operating
from svc.cli.operating import Done, command, me, plain
from svc.domain import issuing, key_limits, people
from svc.work.publishing import PLATFORM_NAMES

key = operating.group("key", "API keys, and activation keys by which live ones are handed out.")
_SCOPE = click.option(
    "--scope", "wanted", multiple=True, type=click.Choice((*scopes.NAMES, "all")), help="Read-only scopes, if none is given."
)

_EXPIRES = click.option("--expires", default="", metavar="WHEN", help="When it ends, such as 2027-01-31; never, if not given.")
_RANGES = click.option(
    "--ranges", multiple=True, metavar="CIDR", help="Address ranges that it may be used from; any, if none is given."
)


@command(key, "list")
@click.option("--partner", "partner_id", required=True)
def list_(partner_id):
    """List a partner's keys, newest first."""
    at = clock.now()
    columns = ("id", "name", "prefix", "environment", "creator_name", "last_used_at", "created_at", "expires_at")
    return [
        {
            **plain(row, *columns), "state": issuing.state(row, at), "scopes": issuing.scope_list(row),
            "allowedRanges": json.loads(row["allowed_ranges"] or "null"),
        }
        for row in issuing.of_partner(partner_id)
    ]


@command(key, "add")
@click.argument("name")
@click.option("--partner", "partner_id", required=True)
@_SCOPE
@click.option("--account", "permitted", multiple=True, help="A live account that it reaches; all, if none is given.")
@_EXPIRES
@_RANGES
def add(name, partner_id, wanted, permitted, expires, ranges):
    """Make an activation key for a live key. The partner verifies with it once and is answered with the live key."""
    at = clock.now()
    limits = key_limits.read(expires, " ".join(ranges), at)
    made = issuing.make_activation(me().actor, partner_id, name, _scopes(wanted), at, list(permitted) or None, limits)
    return Done(
        f"{made}\nHand this to the partner. Its first GET /v1/partners/verify answers with the live key, once, within 7 days.",
        {"activationKey": made},
    )


@command(key, "add-test", formerly="test")
@click.argument("name")
@click.option("--for", "email", required=True, help="The person of a partner whose sandbox it reaches (an e-mail address).")
@_SCOPE
@_EXPIRES
@_RANGES
def test(name, email, wanted, expires, ranges):
    """Make a test key for somebody. It is shown only now."""
    row = people.find(email)
    if row is None:
        raise CommandError(f"Nobody has the e-mail address {email}; python app.py user list names everybody.")
    at = clock.now()
    limits = key_limits.read(expires, " ".join(ranges), at)
    key_id, made = issuing.make_test(people.viewer(row), name, _scopes(wanted), PLATFORM_NAMES, at, me().actor, limits)
    return Done(made, {"id": key_id, "key": made})


@command(key, "revoke", removes="the key, and whatever uses it stops")
@click.argument("key_id")
@click.option("--with-successors", is_flag=True, help="The keys that replaced it by rotation, too.")
def revoke(key_id, with_successors):
    """End a key at once. Says which keys that replaced it by rotation still work."""
    done = issuing.revoke(me(), key_id, clock.now(), with_successors=with_successors)
    more = " Call it again with --with-successors to end that, too." if done.still_in_use else ""
    facts = {"revoked": key_id, "ended": list(done.ended), "stillInUse": list(done.still_in_use)}
    return Done(f"{done.sentence}{more}", facts)


@command(key, "remove-activation", formerly="withdraw", removes="the activation key")
@click.argument("activation_id")
def withdraw(activation_id):
    """End an activation key before it is spent."""
    issuing.withdraw_activation(me().actor, activation_id, clock.now())
    return Done(f"withdrew {activation_id}", {"withdrawn": activation_id})


@command(key, "list-activations", formerly="activations")
@click.option("--partner", "partner_id", required=True)
def activations(partner_id):
    """List a partner's activation keys that wait to be spent."""
    found = issuing.activations(partner_id, clock.now())
    return [plain(row, "id", "name", "prefix", "created_at", "expires_at") for row in found]


def _scopes(wanted) -> list[str]:
    return list(scopes.ALL) if "all" in wanted else list(wanted)
