"""Administration of avatars: name, voice, pace, languages, looks.

All accounts of the customer may use them.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from svc.base import states, voices
from svc.base.errors import Conflict, InvalidRequest, NotFound
from svc.domain import form_fields, locales
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.form_fields import Reader
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import assets
from svc.domain.partners import create as create_partner
from svc.domain.tables.partners import Avatar
from svc.store.expressions import JOIN, fn
from svc.store.models import partners as models
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

MOST = 200  # of a customer

# The standard voice variants of espeak-ng, which work with every language; empty: the default voice
# of the language.
VOICES = ("", "f1", "f2", "f3", "f4", "f5", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8")
HAIR_STYLES = ("short", "long", "bun", "bob", "ponytail", "curly", "bald", "scarf")
APPEARANCE_CHOICES = {  # what else can be chosen of a drawn presenter; the first of each is usual
    "age": ("adult", "young", "older"),
    "beard": ("none", "short", "full"),
    "glasses": ("none", "round", "square"),
    "outfit": ("jumper", "shirt", "blazer", "hoodie"),
    "figure": ("shown", "none"),  # none: a voice alone, although a portrait is stored
}
LONGEST_ROLE = 60  # characters
SLOWEST, FASTEST = 100, 260  # words per minute that are still intelligible
PITCHES = (0, 99)  # the lowest and the highest

_LOOKS = {
    "voice": form_fields.choice(*VOICES),
    "pitch": form_fields.whole_number(*PITCHES),
    "words_per_minute": form_fields.whole_number(SLOWEST, FASTEST),
    "skin": form_fields.read_colour,
    "hair": form_fields.read_colour,
    "clothes": form_fields.read_colour,
    "role": form_fields.words(LONGEST_ROLE, 0),
    "hair_style": form_fields.choice(*HAIR_STYLES),
    **{name: form_fields.choice(*choices) for name, choices in APPEARANCE_CHOICES.items()},
}
_NAME = form_fields.words(60)
DEFAULTS = {  # the defaults of svc.media.model.Presenter, for fields that are not set
    "voice": "",
    "speaker": "",
    "pitch": 50,
    "words_per_minute": 165,
    "skin": "#e8b48f",
    "hair": "#3b2a20",
    "clothes": "#2f5d8a",
    "hair_style": "short",
    "role": "",
    **{name: choices[0] for name, choices in APPEARANCE_CHOICES.items()},
}


_AVATAR = models.Avatar
_THIS_ONE = _AVATAR.id == slot("id")
_FIND = Prepared(
    _AVATAR.select(
        _AVATAR,
        models.Customer.name.alias("customer_name"),
        models.Customer.partner_id,
        models.Asset.file.alias("portrait_file"),
    )
    .join(models.Customer, on=models.Customer.id == _AVATAR.customer_id)
    .join(models.Asset, JOIN.LEFT_OUTER, on=models.Asset.id == _AVATAR.portrait)
    .where(_THIS_ONE)
)
_OF_CUSTOMER = Prepared(
    _AVATAR.select(_AVATAR.id)
    .where(_AVATAR.customer_id == slot("customer_id"))
    .order_by(_AVATAR.created_at, _AVATAR.id)
)
_NUMBER = Prepared(
    _AVATAR.select(fn.count(_AVATAR.id)).where(_AVATAR.customer_id == slot("customer_id"))
)
_SET_PORTRAIT = Prepared(_AVATAR.update(portrait=slot("portrait")).where(_THIS_ONE))
_SET_LANGUAGES = Prepared(_AVATAR.update(language_ids=slot("language_ids")).where(_THIS_ONE))
_SAVE = Prepared(_AVATAR.update(name=slot("name"), appearance=slot("appearance")).where(_THIS_ONE))
_REMOVE = Prepared(_AVATAR.delete().where(_THIS_ONE))
# Only open productions still need an avatar; those of the customer's accounts are few and indexed.
_NEEDING = Prepared(
    models.Account.select(Production.id)
    .join(Production, JOIN.CROSS)
    .where(
        models.Account.customer_id == slot("customer_id"),
        Production.account_id == models.Account.id,
        Production.avatar_id == slot("avatar_id"),
        Production.status.in_(states.OPEN_STATES),
    )
    .limit(1)
)


def get(avatar_id: str) -> dict[str, Any]:
    """Return an avatar: the columns, ``languages`` (a list of ids, None for all), ``looks`` (a
    dict), ``customer_name``, ``partner_id``, and ``portrait_file`` in the assets folder. NotFound:
    there is none."""
    row = _FIND.row(id=avatar_id)
    if row is None:
        raise NotFound("There is no such avatar.")
    return parse_row(cast(Avatar, dict(row)))


def parse_row(row: Avatar) -> dict[str, Any]:
    """Return a row of ``avatars`` with the parsed ``languages`` and ``looks``,
    as in :func:`get`.
    """
    return {
        **row,
        "languages": json.loads(row["language_ids"]) if row["language_ids"] else None,
        "looks": json.loads(row["appearance"]),
    }


def list_avatars(customer_id: str) -> list[dict[str, Any]]:
    """Return the avatars of a customer, oldest first."""
    return [get(row["id"]) for row in _OF_CUSTOMER.rows(customer_id=customer_id)]


def add(
    actor: Actor,
    customer_id: str,
    fields: Mapping[str, str],
    languages: list[str] | None,
    now: int,
    has_other_voices: bool = False,
) -> str:
    """Create an avatar and return its id. ``fields``: texts, as typed into a form. ``languages``:
    ids; None: all languages.

    ``has_other_voices``: whether ``speaker`` may name a voice that is not in svc.base.voices.
    """
    values = form_fields.read(_make_readers("", has_other_voices), fields)
    if "name" not in values:
        raise InvalidRequest(
            "name: This field is required.", fields={"name": ["This field is required."]}
        )
    name = values.pop("name")
    chosen = _languages(languages)
    with audit.recording(actor, "avatar.add", None, now) as entry:
        customer = partner_admin.find(partner_admin.CUSTOMER, customer_id)
        if _NUMBER.value(customer_id=customer_id) >= MOST:
            raise Conflict(f"A customer has at most {MOST} avatars; change or remove one.")
        avatar_id = create_partner.create_avatar(customer_id, name, values, now)
        _set_languages(avatar_id, chosen)
        entry.describe(
            name,
            subject_id=avatar_id,
            partner_id=customer["partner_id"],
            after={**values, "languages": _find_language_codes(chosen)},
        )
        return avatar_id


def change(
    actor: Actor,
    avatar_id: str,
    fields: Mapping[str, str],
    now: int,
    languages: list[str] | Literal[False] | None = False,
    has_other_voices: bool = False,
) -> dict[str, Any]:
    """Change the given fields. InvalidRequest, NotFound.

    ``languages``: False: unchanged, None: all languages. ``has_other_voices``: as for :func:`add`;
    the avatar may keep the voice that it has in any case.
    """
    values = form_fields.read(
        _make_readers(get(avatar_id)["looks"].get("speaker", ""), has_other_voices), fields
    )
    with audit.recording(actor, "avatar.change", None, now) as entry:
        before = get(avatar_id)
        name = values.pop("name", before["name"])
        chosen = before["languages"] if languages is False else _languages(languages)
        _save_avatar(avatar_id, name, {**before["looks"], **values})
        _set_languages(avatar_id, chosen)
        after = get(avatar_id)
        entry.describe(
            name,
            subject_id=avatar_id,
            partner_id=before["partner_id"],
            before=_audit_values(before),
            after=_audit_values(after),
        )
        if entry.before == entry.after:
            entry.omit()
        return after


def set_portrait(
    actor: Actor, avatar_id: str, picture: bytes | None, folder: Path, now: int
) -> None:
    """Set the portrait that is shown in place of the drawn face; None removes it.

    ``picture``: the content, already checked and re-encoded. ``folder``: the assets folder.
    NotFound: no such avatar.
    """
    turn = get(avatar_id)["partner_id"]
    with audit.recording(actor, "avatar.portrait", None, now, in_turn_of=turn) as entry:
        before = get(avatar_id)
        asset = None
        if picture is not None:
            name = f"portrait {avatar_id}"
            asset = assets.store_picture(folder, before["customer_id"], None, name, picture, now)
        _SET_PORTRAIT.execute(id=avatar_id, portrait=asset)
        entry.describe(
            before["name"],
            subject_id=avatar_id,
            partner_id=before["partner_id"],
            before={"portrait": before["portrait"]},
            after={"portrait": asset},
        )


def remove(actor: Actor, avatar_id: str, now: int) -> None:
    """Remove an avatar.

    NotFound: there is none. Conflict: a running production uses it, or it is its customer's last
    one.
    """
    with audit.recording(actor, "avatar.remove", None, now) as entry:
        row = get(avatar_id)
        if len(list_avatars(row["customer_id"])) == 1:
            raise Conflict("This is the customer's last avatar; its accounts need one.")
        if _NEEDING.row(avatar_id=avatar_id, customer_id=row["customer_id"]):
            raise Conflict("A running production uses this avatar; wait until it has finished.")
        _REMOVE.execute(id=avatar_id)
        entry.describe(
            row["name"],
            subject_id=avatar_id,
            partner_id=row["partner_id"],
            before=_audit_values(row),
        )


def _make_readers(speaker: str, has_other_voices: bool) -> dict[str, Reader]:
    """Return the readers of an avatar's fields. ``speaker``: the voice that it has."""
    choice = form_fields.choice_or_name if has_other_voices else form_fields.choice
    return {
        "name": _NAME,
        "speaker": choice("", *voices.VOICES, *({speaker} - {"", *voices.VOICES})),
        **_LOOKS,
    }


def _audit_values(avatar: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": avatar["name"],
        **avatar["looks"],
        "languages": _find_language_codes(avatar["languages"]),
    }


def _find_language_codes(languages: list[str] | None) -> list[str] | None:
    known = locales.list_languages()
    return (
        None
        if languages is None
        else [known[language]["code"] for language in languages if language in known]
    )


def _languages(languages: list[str] | None) -> list[str] | None:
    offered = locales.list_offered_languages()
    unknown = [language for language in languages or () if language not in offered]
    if unknown:
        message = f"{unknown[0][:40]!r} is not a language that can be spoken."
        raise InvalidRequest(message, fields={"languages": [message]})
    return list(dict.fromkeys(languages)) if languages else None


def _save_avatar(avatar_id: str, name: str, looks: dict[str, Any]) -> None:
    _SAVE.execute(id=avatar_id, name=name, appearance=json.dumps(looks))


def _set_languages(avatar_id: str, languages: list[str] | None) -> None:
    stored = json.dumps(languages) if languages else None
    _SET_LANGUAGES.execute(id=avatar_id, language_ids=stored)
