"""Creates partners, customers, accounts and avatars. Call these functions inside a transaction."""

import json
from typing import Any

from svc.base import ids
from svc.base.errors import NotFound
from svc.base.looks import DEFAULT_LOOK
from svc.store.models.partners import Account, Avatar, Customer, Partner, ProjectType
from svc.store.models.publishing import ConnectedPlatform
from svc.store.queries import Prepared, slot, slots

_PROJECT_TYPES = (
    ("explainer", "Explainer", "{topic}", 500_000, DEFAULT_LOOK),
    ("short", "Short", "{topic}", 250_000, "short"),
    ("news-brief", "News brief", "{subject}: {topic}", 400_000, "news"),
)

_PRESENTERS = (
    (
        "Ada",
        {
            "voice": "f3",
            "speaker": "heart",
            "pitch": 52,
            "words_per_minute": 165,
            "skin": "#e8b48f",
            "hair": "#3b2a20",
            "clothes": "#2f5d8a",
            "hair_style": "bun",
        },
    ),
    (
        "Kofi",
        {
            "voice": "m3",
            "speaker": "joe",
            "pitch": 42,
            "words_per_minute": 160,
            "skin": "#8a5a3c",
            "hair": "#1d1613",
            "clothes": "#1f7a63",
            "hair_style": "short",
        },
    ),
    (
        "Mina",
        {
            "voice": "f2",
            "speaker": "heart",
            "pitch": 58,
            "words_per_minute": 170,
            "skin": "#f1c9a5",
            "hair": "#7a3f1d",
            "clothes": "#8c3f6b",
            "hair_style": "long",
        },
    ),
)

_ADD_PARTNER = Prepared(Partner.insert(slots("id", "name", "tier", "created_at")))
_ADD_CUSTOMER = Prepared(Customer.insert(slots("id", "partner_id", "name", "created_at")))
_ADD_ACCOUNT = Prepared(
    Account.insert(
        slots(
            "id",
            "partner_id",
            "customer_id",
            "name",
            "created_at",
            "creator",
            "environment",
            "auto_release",
        ),
        default_project_type="explainer",
    )
)
_ADD_PROJECT_TYPE = Prepared(
    ProjectType.insert(slots("account_id", "slug", "name", "title_template", "price", "look"))
)
_CONNECT = Prepared(ConnectedPlatform.insert(slots("account_id", "platform", "connected_at")))
_ADD_AVATAR = Prepared(
    Avatar.insert(slots("id", "customer_id", "name", "appearance", "created_at"))
)
_NAME_OF_PARTNER = Prepared(Partner.select(Partner.name).where(Partner.id == slot("id")))


def create_partner(name: str, tier: str, now: int) -> str:
    """Create an Active partner and return its id."""
    partner_id = ids.make_id(now)
    _ADD_PARTNER.execute(id=partner_id, name=name, tier=tier, created_at=now)
    return partner_id


def create_customer(partner_id: str, name: str, now: int) -> str:
    """Create a customer without ceilings and return its id."""
    customer_id = ids.make_id(now)
    _ADD_CUSTOMER.execute(id=customer_id, partner_id=partner_id, name=name, created_at=now)
    return customer_id


def create_account(
    partner_id: str,
    customer_id: str,
    name: str,
    now: int,
    *,
    creator: str | None = None,
    platforms: tuple[str, ...] = (),
) -> str:
    """Create an account with the default project types and return its id.

    ``creator``: None for a live account; for a sandbox account (which auto-releases) the user whose
    test keys address it.
    """
    account_id = ids.make_id(now)
    _ADD_ACCOUNT.execute(
        id=account_id,
        partner_id=partner_id,
        customer_id=customer_id,
        name=name,
        created_at=now,
        creator=creator,
        environment="sandbox" if creator else "live",
        auto_release=int(bool(creator)),
    )
    for slug, title, template, price, look in _PROJECT_TYPES:
        _ADD_PROJECT_TYPE.execute(
            account_id=account_id,
            slug=slug,
            name=title,
            title_template=template,
            price=price,
            look=look,
        )
    for platform in platforms:
        _CONNECT.execute(account_id=account_id, platform=platform, connected_at=now)
    return account_id


def create_avatar(customer_id: str, name: str, appearance: dict[str, Any], now: int) -> str:
    """Create an avatar that speaks all languages, and return its id.

    ``appearance``: voice and face, as the fields of svc.media.model.Presenter.
    """
    avatar_id, looks = ids.make_id(now), json.dumps(appearance)
    _ADD_AVATAR.execute(
        id=avatar_id, customer_id=customer_id, name=name, appearance=looks, created_at=now
    )
    return avatar_id


def create_presenters(customer_id: str, now: int) -> list[str]:
    """Create the default avatars of a new customer, and return their ids."""
    return [create_avatar(customer_id, name, looks, now) for name, looks in _PRESENTERS]


def find_partner_name(partner_id: str) -> str:
    """Return the name of a partner. NotFound: there is none."""
    row = _NAME_OF_PARTNER.row(id=partner_id)
    if row is None:
        raise NotFound("There is no such partner.")
    return str(row["name"])
