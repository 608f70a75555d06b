"""Creates partners, customers, accounts and avatars. Call these functions inside write()."""

import json
from typing import Any

from svc.base import ids
from svc.base.errors import NotFound
from svc.store import database
from svc.store.models import Account, Avatar, ConnectedPlatform, Customer, Partner, ProjectType

_PROJECT_TYPES = (
    ("explainer", "Explainer", "{topic}", 500_000, "explainer"),
    ("short", "Short", "{topic}", 250_000, "short"),
    ("news-brief", "News brief", "{subject}: {topic}", 400_000, "news"),
)

_PRESENTERS = (
    ("Ada", {"voice": "f3", "speaker": "heart", "pitch": 52, "words_per_minute": 165, "skin": "#e8b48f", "hair": "#3b2a20",
             "clothes": "#2f5d8a", "hair_style": "bun"}),
    ("Kofi", {"voice": "m3", "speaker": "joe", "pitch": 42, "words_per_minute": 160, "skin": "#8a5a3c", "hair": "#1d1613",
              "clothes": "#1f7a63", "hair_style": "short"}),
    ("Mina", {"voice": "f2", "speaker": "heart", "pitch": 58, "words_per_minute": 170, "skin": "#f1c9a5", "hair": "#7a3f1d",
              "clothes": "#8c3f6b", "hair_style": "long"}),
)  # fmt: skip


def create_partner(name: str, tier: str, now: int) -> str:
    """Create an Active partner and return its id."""
    return Partner.create(id=ids.new(now), name=name, tier=tier, created_at=now).id


def create_customer(partner_id: str, name: str, now: int) -> str:
    """Create a customer without ceilings and return its id."""
    return Customer.create(id=ids.new(now), partner=partner_id, name=name, created_at=now).id


def create_account(
    partner_id: str, customer_id: str, name: str, now: int, *, creator: str | None = None, platforms: tuple[str, ...] = ()
) -> str:
    """Create an account with the default project types and return its id.

    ``creator``: None for a live account; for a sandbox account (which auto-releases) the user whose test keys address it.
    """
    account = Account.create(
        id=ids.new(now), partner=partner_id, customer=customer_id, name=name, created_at=now, creator=creator,
        environment="sandbox" if creator else "live", auto_release=int(bool(creator)), default_project_type="explainer",
    )  # fmt: skip
    for slug, title, template, price, look in _PROJECT_TYPES:
        ProjectType.create(account=account, slug=slug, name=title, title_template=template, price=price, look=look)
    for platform in platforms:
        ConnectedPlatform.create(account=account, platform=platform, connected_at=now)
    return account.id


def create_avatar(customer_id: str, name: str, appearance: dict[str, Any], now: int) -> str:
    """Create an avatar that speaks all languages, and return its id.

    ``appearance``: voice and face, as the fields of svc.media.model.Presenter.
    """
    looks = json.dumps(appearance)
    avatar = Avatar.create(id=ids.new(now), customer=customer_id, name=name, appearance=looks, created_at=now)
    return str(avatar.id)


def create_presenters(customer_id: str, now: int) -> list[str]:
    """Create the default avatars of a new customer, and return their ids."""
    return [create_avatar(customer_id, name, looks, now) for name, looks in _PRESENTERS]


def name(partner_id: str) -> str:
    """Return the name of a partner. NotFound: there is none."""
    row = database.row("SELECT name FROM partners WHERE id = ?", (partner_id,))
    if row is None:
        raise NotFound("There is no such partner.")
    return str(row["name"])
