"""Partners, customers and accounts as the operator makes them."""

import json

from svc.base import ids
from svc.store import database

_PROJECT_TYPES = (
    ("explainer", "Explainer", "{topic}", 500_000),
    ("short", "Short", "{topic}", 250_000),
    ("news-brief", "News brief", "{subject}: {topic}", 400_000),
)


def create_partner(name: str, tier: str, now: int) -> str:
    """A partner, Active; its id. Inside write()."""
    partner_id = ids.new(now)
    database.execute("INSERT INTO partners (id, name, tier, created_at) VALUES (?, ?, ?, ?)", (partner_id, name, tier, now))
    return partner_id


def create_customer(partner_id: str, name: str, now: int) -> str:
    """A customer of a partner, without ceilings; its id. Inside write()."""
    customer_id = ids.new(now)
    database.execute(
        "INSERT INTO customers (id, partner_id, name, created_at) VALUES (?, ?, ?, ?)", (customer_id, partner_id, name, now)
    )
    return customer_id


def create_account(
    partner_id: str, customer_id: str, name: str, now: int, *, creator: str | None = None, platforms: tuple[str, ...] = ()
) -> str:
    """An account with the usual project types: a sandbox account of ``creator``, which releases by itself, or a live one.

    Its id. Inside write().
    """
    account_id = ids.new(now)
    database.execute(
        "INSERT INTO accounts (id, partner_id, customer_id, name, environment, creator, default_project_type, auto_release, "
        "created_at) VALUES (?, ?, ?, ?, ?, ?, 'explainer', ?, ?)",
        (account_id, partner_id, customer_id, name, "sandbox" if creator else "live", creator, int(bool(creator)), now),
    )
    database.execute_many(
        "INSERT INTO project_types (account_id, slug, name, title_template, price) VALUES (?, ?, ?, ?, ?)",
        [(account_id, *each) for each in _PROJECT_TYPES],
    )
    database.execute_many(
        "INSERT INTO connected_platforms (account_id, platform, connected_at) VALUES (?, ?, ?)",
        [(account_id, platform, now) for platform in platforms],
    )
    return account_id


def create_avatar(customer_id: str, name: str, appearance: dict, now: int) -> str:
    """An avatar for the accounts of a customer, which speaks every language; its id. Inside write().

    ``appearance``: voice and face, as the fields of svc.media.programme.Avatar.
    """
    avatar_id = ids.new(now)
    database.execute(
        "INSERT INTO avatars (id, customer_id, name, appearance, created_at) VALUES (?, ?, ?, ?, ?)",
        (avatar_id, customer_id, name, json.dumps(appearance), now),
    )
    return avatar_id
