"""Administration of partners, customers, accounts, project types and platforms;
each change is audited.
"""

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from svc.base import clock
from svc.base.errors import Conflict, InvalidRequest, NotFound, NotYours
from svc.base.looks import DEFAULT_LOOK, LOOK_NAMES, THEMES
from svc.base.states import SANDBOX
from svc.domain import form_fields
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.form_fields import Reader
from svc.domain.partners import assets
from svc.domain.partners import create as create_partner
from svc.domain.people import users
from svc.domain.tables.partners import (
    Account,
    ConnectedPlatform,
    Customer,
    PartnerRecord,
    ProjectType,
)
from svc.domain.tiers import TIERS
from svc.store.database import Row, db
from svc.store.models import partners as models
from svc.store.models import publishing, usage
from svc.store.queries import Prepared, slot, slots

PARTNER_STATUSES = ("Active", "Suspended", "Closed")
ACCOUNT_STATUSES = ("Active", "Pilot", "Suspended", "Closed")
CAPTION_STYLES = ("highlight", "plain")
# The moods of svc.media.music.moods; "look": what the look of a video wants.
MUSIC = ("look", "none", "calm", "bright", "focused")
LOGO_STYLES = ("mark", "watermark")  # svc.media.brand_kit
PLACEHOLDERS = ("{topic}", "{subject}")
_NAME = form_fields.words(100)
_CEILING = form_fields.optional(form_fields.read_money)
_PLACES = form_fields.optional(form_fields.whole_number(0, 100_000))
_Record = TypeVar("_Record", PartnerRecord, Customer, Account)


@dataclass(frozen=True)
class Kind(Generic[_Record]):
    """A kind of record: the type of its rows, its name in messages, its model,
    and the fields that can be changed.
    """

    row: type[_Record]
    name: str
    model: Any
    readers: Mapping[str, Reader]


PARTNER = Kind(
    PartnerRecord,
    "partner",
    models.Partner,
    {
        "name": _NAME,
        "status": form_fields.choice(*PARTNER_STATUSES),
        "tier": form_fields.choice(*TIERS),
        "key_rotation": form_fields.read_flag,
        "self_lifecycle": form_fields.read_flag,
        "portal_origins": form_fields.read_origins,
    },
)
CUSTOMER = Kind(
    Customer,
    "customer",
    models.Customer,
    {"name": _NAME, "monthly_ceiling": _CEILING, "concurrency_ceiling": _PLACES},
)
ACCOUNT = Kind(
    Account,
    "account",
    models.Account,
    {
        "name": _NAME,
        "status": form_fields.choice(*ACCOUNT_STATUSES),
        "auto_release": form_fields.read_flag,
        "monthly_ceiling": _CEILING,
        "concurrency_ceiling": _PLACES,
        "accent": form_fields.read_colour,
        "second_colour": lambda text: form_fields.read_colour(text) if text else "",
        "theme": form_fields.choice(*THEMES),
        "caption_style": form_fields.choice(*CAPTION_STYLES),
        "music": form_fields.choice(*MUSIC),
        "logo_style": form_fields.choice(*LOGO_STYLES),
        **dict.fromkeys(("full_text", "lower_third", "script_review"), form_fields.read_flag),
        "default_project_type": str,
    },
)


def find(kind: Kind[_Record], identifier: str) -> _Record:
    """Return the row of a record, with its ``partner_id``. NotFound: there is none."""
    row = _row_query(kind.model).row(id=identifier)
    if row is None:
        raise NotFound(f"There is no {kind.name} {identifier[:40]!r}.")
    return cast(_Record, dict(row))


def find_partner_of_account(account_id: str) -> str:
    """Return the partner of an account, which stays the same. NotFound: there is none."""
    return find(ACCOUNT, account_id)["partner_id"]


@functools.cache
def _row_query(model: Any) -> Prepared[Row]:
    partner_id = [model.id.alias("partner_id")] if model is models.Partner else []
    return Prepared(model.select(model, *partner_id).where(model.id == slot("id")))


@functools.cache
def _update_query(model: Any, *columns: str) -> Prepared[Row]:
    return Prepared(model.update(slots(*columns)).where(model.id == slot("id")))


def change(
    actor: Actor, kind: Kind[_Record], identifier: str, fields: Mapping[str, str], now: int
) -> _Record:
    """Change the given fields (texts, as typed into a form), and return the new row.

    NotFound, InvalidRequest.
    """
    values = form_fields.read(kind.readers, fields)
    with audit.recording(actor, f"{kind.name}.change", None, now) as entry:
        before = find(kind, identifier)
        columns: Mapping[str, Any] = {**before}
        if kind is ACCOUNT and "default_project_type" in values:
            _project_type(identifier, values["default_project_type"])
        if values:
            _update_query(kind.model, *values).execute(**values, id=identifier)
        changed = {name: value for name, value in values.items() if columns[name] != value}
        entry.describe(
            before["name"],
            subject_id=identifier,
            partner_id=before["partner_id"],
            before={name: columns[name] for name in changed},
            after=changed,
        )
        if not changed:
            entry.omit()
        return find(kind, identifier)


def add_partner(actor: Actor, fields: Mapping[str, str], now: int) -> str:
    """Create a partner with a name and a tier, and return its id."""
    values = {
        "tier": "Free",
        **form_fields.read({name: PARTNER.readers[name] for name in ("name", "tier")}, fields),
    }
    _require_values(values, "name")
    with audit.recording(actor, "partner.add", None, now) as entry:
        partner_id = create_partner.create_partner(values["name"], values["tier"], now)
        entry.describe(values["name"], subject_id=partner_id, partner_id=partner_id, after=values)
        return partner_id


_FIRST_ACCOUNT: dict[str, Reader] = {
    "customer": lambda text: _NAME(text) if text.strip() else "",
    "account": lambda text: _NAME(text) if text.strip() else "",
    "environment": form_fields.choice(SANDBOX, "live"),
}


def add_partner_with_account(
    actor: Actor, fields: Mapping[str, str], platforms: Iterable[str], now: int
) -> str:
    """Create a partner with a customer and an account, and return its id.

    Both are called like the partner, unless they have a name. A sandbox belongs to the operator
    ``actor``, who produces in it before anybody has a key. InvalidRequest: names the fields.
    """
    names = ("name", "tier")
    readers = {**{name: PARTNER.readers[name] for name in names}, **_FIRST_ACCOUNT}
    values = form_fields.read(readers, {name: fields[name] for name in readers if name in fields})
    _require_values(values, "name", "environment")
    creator = actor.id if values["environment"] == SANDBOX else None
    with db.transaction():
        partner_id = add_partner(
            actor, {name: fields[name] for name in names if name in fields}, now
        )
        customer = {"name": values.get("customer") or values["name"]}
        customer_id = add_customer(actor, partner_id, customer, now)
        account = {"name": values.get("account") or values["name"]}
        add_account(actor, customer_id, account, platforms, now, creator=creator)
    return partner_id


def add_customer(actor: Actor, partner_id: str, fields: Mapping[str, str], now: int) -> str:
    """Create a customer with the default avatars, and return its id."""
    values = form_fields.read({"name": _NAME}, fields)
    _require_values(values, "name")
    with audit.recording(actor, "customer.add", None, now) as entry:
        find(PARTNER, partner_id)
        customer_id = create_partner.create_customer(partner_id, values["name"], now)
        create_partner.create_presenters(customer_id, now)
        entry.describe(values["name"], subject_id=customer_id, partner_id=partner_id, after=values)
        return customer_id


def add_account(
    actor: Actor,
    customer_id: str,
    fields: Mapping[str, str],
    platforms: Iterable[str],
    now: int,
    creator: str | None = None,
) -> str:
    """Create a live account of a customer, or the sandbox account of the user ``creator``, and
    return its id.

    ``platforms``: the names of the platforms to connect the account to.
    """
    values = form_fields.read({"name": _NAME}, fields)
    _require_values(values, "name")
    with audit.recording(actor, "account.add", None, now) as entry:
        customer = find(CUSTOMER, customer_id)
        if creator is not None and users.get(creator)["partner_id"] not in (
            None,
            customer["partner_id"],
        ):
            message = "A sandbox account must belong to a user of the same partner or an operator."
            raise InvalidRequest(message)
        account_id = create_partner.create_account(
            customer["partner_id"],
            customer_id,
            values["name"],
            now,
            creator=creator,
            platforms=tuple(platforms),
        )
        after = {**values, "environment": "sandbox" if creator else "live"}
        entry.describe(
            values["name"], subject_id=account_id, partner_id=customer["partner_id"], after=after
        )
        return account_id


_TYPE, _PLATFORM = models.ProjectType, publishing.ConnectedPlatform
_THIS_TYPE = (_TYPE.account_id == slot("account_id")) & (_TYPE.slug == slot("slug"))
_SET_TYPE = Prepared(
    _TYPE.insert(
        slots("account_id", "slug", "name", "title_template", "price", "look")
    ).on_conflict(
        conflict_target=[_TYPE.account_id, _TYPE.slug],
        preserve=[_TYPE.name, _TYPE.title_template, _TYPE.price, _TYPE.look],
    )
)
_FIND_TYPE = Prepared(_TYPE.select().where(_THIS_TYPE), ProjectType)
_REMOVE_TYPE = Prepared(_TYPE.delete().where(_THIS_TYPE))
_TYPES = Prepared(
    _TYPE.select().where(_TYPE.account_id == slot("account_id")).order_by(_TYPE.slug), ProjectType
)
_CONNECT = Prepared(
    _PLATFORM.insert(slots("account_id", "platform", "connected_at")).on_conflict("nothing")
)
_DISCONNECT = Prepared(
    _PLATFORM.delete().where(
        _PLATFORM.account_id == slot("account_id"),
        _PLATFORM.platform == slot("platform"),
        _PLATFORM.connection_id.is_null(),
    )
)
_PLATFORMS = Prepared(
    _PLATFORM.select()
    .where(_PLATFORM.account_id == slot("account_id"))
    .order_by(_PLATFORM.platform),
    ConnectedPlatform,
)
_SET_LOGO = Prepared(
    models.Account.update(logo=slot("logo")).where(models.Account.id == slot("id"))
)
_SANDBOX = Prepared(
    models.Account.select(models.Account.id).where(
        models.Account.partner_id == slot("partner_id"), models.Account.creator == slot("user_id")
    )
)
_OLDEST_CUSTOMER = Prepared(
    models.Customer.select(models.Customer.id)
    .where(models.Customer.partner_id == slot("partner_id"))
    .order_by(models.Customer.created_at, models.Customer.id)
    .limit(1)
)
_SPENT = Prepared(
    usage.SpendMonth.select(usage.SpendMonth.amount).where(
        usage.SpendMonth.owner_id == slot("owner_id"), usage.SpendMonth.month == slot("month")
    )
)
_TYPE_READERS = {
    "slug": lambda text: _check_slug(text),
    "name": _NAME,
    "title_template": lambda text: _check_template(text),
    "price": form_fields.read_money,
    "look": form_fields.choice(*LOOK_NAMES),
}


def set_project_type(actor: Actor, account_id: str, fields: Mapping[str, str], now: int) -> None:
    """Add a project type to an account, or change the one with that slug.

    InvalidRequest: names the fields.
    """
    values = {"look": DEFAULT_LOOK, **form_fields.read(_TYPE_READERS, fields)}
    _require_values(values, "slug", "name", "title_template", "price")
    with db.transaction():
        account = find(ACCOUNT, account_id)
        stored = _FIND_TYPE.row(account_id=account_id, slug=values["slug"])
        before = (
            {name: value for name, value in stored.items() if name in values} if stored else None
        )
        action = "project-type.change" if before else "project-type.add"
        with audit.recording(actor, action, None, now) as entry:
            _SET_TYPE.execute(account_id=account_id, **values)
            entry.describe_account(account, before=before, after={**values})
            if before == values:
                entry.omit()


def remove_project_type(actor: Actor, account_id: str, slug: str, now: int) -> None:
    """Remove a project type. NotFound: there is none. Conflict: it is the account's default."""
    with audit.recording(actor, "project-type.remove", None, now) as entry:
        account = find(ACCOUNT, account_id)
        row = _project_type(account_id, slug)
        if account["default_project_type"] == slug:
            raise Conflict(
                "This is the account's default project type; choose another default first."
            )
        _REMOVE_TYPE.execute(account_id=account_id, slug=slug)
        entry.describe_account(account, before={"slug": slug, "name": row["name"]})


def connect(actor: Actor, account_id: str, platform: str, known: Iterable[str], now: int) -> None:
    """Connect an account to a platform. InvalidRequest: it is not one of ``known``."""
    if platform not in known:
        raise InvalidRequest(
            f"{platform[:40]!r} is not a place of this server; its places are {', '.join(known)}."
        )
    with audit.recording(actor, "platform.connect", None, now) as entry:
        entry.describe_account(find(ACCOUNT, account_id), after={"platform": platform})
        if not _CONNECT.execute(account_id=account_id, platform=platform, connected_at=now):
            entry.omit()


def disconnect(actor: Actor, account_id: str, platform: str, now: int) -> None:
    """Disconnect an account from a platform of this server; running publications continue.

    NotFound: it is not connected.
    """
    with audit.recording(actor, "platform.disconnect", None, now) as entry:
        entry.describe_account(find(ACCOUNT, account_id), before={"platform": platform})
        if not _DISCONNECT.execute(account_id=account_id, platform=platform):
            raise NotFound(f"The account is not connected to {platform[:40]!r}.")


def set_logo(actor: Actor, account_id: str, picture: bytes | None, folder: Path, now: int) -> None:
    """Set the logo that the account's videos show in place of its name; None removes it.

    ``picture``: the content, already checked and re-encoded. ``folder``: the assets folder.
    NotFound: no such account.
    """
    turn = find_partner_of_account(account_id)
    with audit.recording(actor, "account.logo", None, now, in_turn_of=turn) as entry:
        account, asset = find(ACCOUNT, account_id), None
        if picture is not None:
            asset = assets.store_picture(
                folder, account["customer_id"], account_id, f"logo {account_id}", picture, now
            )
        _SET_LOGO.execute(id=account_id, logo=asset)
        entry.describe_account(account, before={"logo": account["logo"]}, after={"logo": asset})


def ensure_sandbox(viewer: users.Viewer, platforms: Iterable[str], now: int) -> str:
    """Return the id of the user's sandbox account, for their test keys; it is created when needed.

    NotYours: an operator has none.
    """
    if viewer.partner_id is None:
        raise NotYours("Only users of a partner have a sandbox.")
    row = _SANDBOX.row(partner_id=viewer.partner_id, user_id=viewer.id)
    if row:
        return str(row["id"])
    with db.transaction():
        customer = _OLDEST_CUSTOMER.row(partner_id=viewer.partner_id)
        customer_id = (
            customer["id"]
            if customer
            else add_customer(viewer.actor, viewer.partner_id, {"name": "Sandbox"}, now)
        )
        name = f"Sandbox of {viewer.name}"[:100]
        return add_account(
            viewer.actor, customer_id, {"name": name}, platforms, now, creator=viewer.id
        )


def list_project_types(account_id: str) -> list[ProjectType]:
    return _TYPES.rows(account_id=account_id)


def list_platforms(account_id: str) -> list[ConnectedPlatform]:
    return _PLATFORMS.rows(account_id=account_id)


def sum_month_spent(owner_id: str, now: int) -> int:
    """Return what an account or customer has spent and reserved this month,
    in millionths of the currency.
    """
    return int(_SPENT.value(owner_id=owner_id, month=clock.format_month(now)) or 0)


def _project_type(account_id: str, slug: str) -> ProjectType:
    row = _FIND_TYPE.row(account_id=account_id, slug=slug)
    if row is None:
        raise NotFound(f"The account has no project type {slug[:40]!r}.")
    return row


def _require_values(values: dict[str, Any], *names: str) -> None:
    missing = {name: ["This field is required."] for name in names if name not in values}
    if missing:
        raise InvalidRequest(f"Missing: {', '.join(missing)}.", fields=missing)


def _check_slug(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", text):
        raise ValueError("Use 1 to 40 lower-case letters, digits and hyphens, such as news-brief.")
    return text


def _check_template(text: str) -> str:
    line: str = form_fields.words(200)(text)
    unknown = [name for name in re.findall(r"\{[^{}]*\}?", line) if name not in PLACEHOLDERS]
    if unknown:
        raise ValueError(
            f"{unknown[0]} is not a placeholder; the placeholders are {' and '.join(PLACEHOLDERS)}."
        )
    return line
