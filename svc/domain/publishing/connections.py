"""The connections of accounts to places of their own; each change is audited,
without any secret.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from svc.base import ids
from svc.base.connectors import (
    ANY_MAY_HAVE,
    Connection,
    Connector,
    Field,
    find_unknown_placeholders,
)
from svc.base.crypto import connection_secrets
from svc.base.crypto.signing import KeyRing
from svc.base.errors import Conflict, InvalidRequest, NotFound, NotYours
from svc.domain import form_fields
from svc.domain.audit import audit
from svc.domain.partners import admin
from svc.domain.people.users import Viewer
from svc.domain.tables.partners import Account, ConnectionRow
from svc.store.database import db
from svc.store.models import partners
from svc.store.models import publishing as models
from svc.store.models.publishing import ConnectedPlatform, Publication
from svc.store.queries import Prepared, slot, slots

MOST = 20  # of an account
LONGEST_VALUE = 4096  # characters; a private key of RSA with 4096 bits has 3,400
_LONGEST_TEMPLATE = 4000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,39}")

_CONNECTION = models.Connection
_THIS_ONE, _IS_THERE = _CONNECTION.id == slot("id"), _CONNECTION.removed_at.is_null()
_OF_ACCOUNT = Prepared(
    _CONNECTION.select()
    .where(_CONNECTION.account_id == slot("account_id"), _IS_THERE)
    .order_by(_CONNECTION.name),
    ConnectionRow,
)
_BY_ID = Prepared(_CONNECTION.select().where(_THIS_ONE, _IS_THERE), ConnectionRow)
_UPLOADS = Prepared(
    Publication.select(
        Publication.connection_id, Publication.sent_bytes, Publication.total_bytes
    ).where(
        Publication.claim_token.is_null(False),
        Publication.account_id == slot("account_id"),
        Publication.status == "Publishing",
        Publication.sent_bytes.is_null(False),
        Publication.total_bytes > 0,
    )
)
_VALUES = ("shape", "title_template", "text_template", "settings", "sealed")
_ADD = Prepared(
    _CONNECTION.insert(
        slots("id", "account_id", "name", "connector", *_VALUES),
        created_at=slot("now"),
        tried_at=slot("now"),
    )
)
_CHANGED_MEANWHILE = (
    "Somebody else changed this connection while yours was being tried at the place. Nothing of "
    "yours is saved: look at what is stored now, and send your change again."
)
_RENEW = Prepared(
    _CONNECTION.update(
        slots(*_VALUES), renewed_at=slot("now"), tried_at=slot("now"), problem=None
    ).where(_THIS_ONE, _IS_THERE)
)
_REMOVE = Prepared(
    _CONNECTION.update(removed_at=slot("now"), sealed=None, settings="{}").where(_THIS_ONE)
)
_NOTE = Prepared(_CONNECTION.update(slots("tried_at", "problem", "settings")).where(_THIS_ONE))
_SEALED = Prepared(
    _CONNECTION.select(_CONNECTION.id, _CONNECTION.sealed).where(_CONNECTION.sealed.is_null(False))
)
_RESEAL = Prepared(_CONNECTION.update(slots("sealed")).where(_THIS_ONE))
_CONNECT = Prepared(
    ConnectedPlatform.insert(
        slots("account_id", "platform", "connected_at", "connection_id")
    ).on_conflict("nothing")
)
_DISCONNECT = Prepared(
    ConnectedPlatform.delete().where(ConnectedPlatform.connection_id == slot("id"))
)
_PARTNER = Prepared(
    partners.Account.select(partners.Account.partner_id).where(
        partners.Account.id == slot("account_id")
    )
)
_SHAPES = Prepared(
    Publication.select(Publication.platform, _CONNECTION.shape)
    .join(_CONNECTION, on=_CONNECTION.id == Publication.connection_id)
    .where(Publication.production_id == slot("production_id"))
    .order_by(Publication.platform)
)


def list_connections(viewer: Viewer, account_id: str) -> list[ConnectionRow]:
    """Return the connections of an account by name.

    NotFound: there is no such account that this person may see.
    """
    find_account(viewer, account_id)
    return _OF_ACCOUNT.rows(account_id=account_id)


def list_upload_percentages(account_id: str) -> dict[str, int]:
    """Return how many percent of a post are sent, by the id of each connection of an account that
    sends one at the moment.
    """
    running = _UPLOADS.rows(account_id=account_id)
    return {
        row["connection_id"]: min(100 * row["sent_bytes"] // row["total_bytes"], 100)
        for row in running
    }


def find_account(viewer: Viewer, account_id: str) -> Account:
    """Return an account. NotFound: there is none that this person may see."""
    account = admin.find(admin.ACCOUNT, account_id)
    if not viewer.sees(account["partner_id"]):
        raise NotFound("There is no such account.")
    return account


def require_change(viewer: Viewer, account_id: str) -> Account:
    """Return an account whose connections this person may change.

    NotFound; NotYours: only owners and operators may.
    """
    account = find_account(viewer, account_id)
    if not viewer.may_change:
        raise NotYours("Only operators and owners change connections.")
    return account


def find(viewer: Viewer, connection_id: str) -> ConnectionRow:
    """Return a connection. NotFound: there is none, or none that this person may see."""
    row = _BY_ID.row(id=connection_id)
    if row is None:
        raise NotFound("There is no such connection.")
    find_account(viewer, row["account_id"])
    return row


def draft_connection(
    viewer: Viewer,
    account_id: str,
    connector: Connector,
    fields: Mapping[str, str],
    known: tuple[str, ...],
    now: int,
) -> Connection:
    """Return a new connection, which is not stored yet. ``fields``: texts, as typed into a form.

    ``known``: the names of this server's platforms, which no connection may have.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        InvalidRequest: A field is not valid; the error names it.
        Conflict: The account has as many connections as it may.
    """
    account = require_change(viewer, account_id)
    name = fields.get("name") or connector.name
    there = list_connections(viewer, account_id)
    if not _NAME.fullmatch(name):
        _refuse_field("name", "Give a letter, and up to 39 more letters, digits and hyphens.")
    if name.lower() in {taken.lower() for taken in (*known, *(row["name"] for row in there))}:
        _refuse_field("name", f"The account already has a place called {name}; give another name.")
    if len(there) >= MOST:
        raise Conflict(f"An account may have {MOST} connections; remove one first.")
    empty = Connection(
        ids.make_id(now),
        account_id,
        account["partner_id"],
        name,
        connector.name,
        connector.shapes[0],
        connector.title,
        connector.text,
        {field.name: field.default for field in connector.fields},
    )
    return apply_changes(empty, connector, fields)


def apply_changes(
    connection: Connection, connector: Connector, fields: Mapping[str, str]
) -> Connection:
    """Return a connection with the given values, of which an empty secret keeps the present one.

    InvalidRequest.
    """
    for field in ANY_MAY_HAVE:
        if fields.get(field.name) and field not in connector.fields:
            _refuse_field(field.name, f"{connector.name} {field.without}")
    readers: dict[str, form_fields.Reader] = {
        field.name: _make_reader(field, connection.values.get(field.name, ""))
        for field in connector.fields
        if not field.learned
    }
    texts = {
        field.name: fields.get(field.name, connection.values.get(field.name, ""))
        for field in connector.fields
    }
    values = form_fields.read(
        readers, {name: text for name, text in texts.items() if name in readers}
    )
    learned = {
        field.name: connection.values.get(field.name, "")
        for field in connector.fields
        if field.learned
    }
    general = form_fields.read(
        {
            "shape": form_fields.choice(*connector.shapes),
            "title_template": _check_template,
            "text_template": _check_template,
        },
        {
            "shape": fields.get("shape") or connection.shape,
            "title_template": fields.get("title_template") or connection.title_template,
            "text_template": fields.get("text_template") or connection.text_template,
        },
    )
    return replace(connection, **general, values={**values, **learned})


def add(
    viewer: Viewer, connection: Connection, connector: Connector, ring: KeyRing, now: int
) -> None:
    """Store a new connection, and publish the account's productions there from now on.

    Conflict: the name is taken by now.
    """
    with audit.recording(viewer.actor, "connection.add", None, now) as entry:
        account = require_change(viewer, connection.account_id)
        place = {"account_id": account["id"], "platform": connection.name}
        if not _CONNECT.execute(**place, connected_at=now, connection_id=connection.id):
            raise Conflict(f"The account already has a place called {connection.name}.")
        _ADD.execute(
            **_make_columns(connection, connector, ring, now),
            account_id=account["id"],
            name=connection.name,
            connector=connection.connector,
        )
        _describe_change(
            entry, account, connection, after=_list_shown_values(connection, connector)
        )


def renew(
    viewer: Viewer,
    connection: Connection,
    seen: Connection,
    connector: Connector,
    ring: KeyRing,
    now: int,
) -> None:
    """Store the values of a connection, which were made from ``seen`` and tried at its place.

    NotFound: it was removed in the meantime; Conflict: somebody else has changed it since it was
    ``seen``.
    """
    with audit.recording(viewer.actor, "connection.renew", None, now) as entry:
        stored = unseal_connection(connection.id, ring)
        if stored is not None and _remove_learned_values(
            stored, connector
        ) != _remove_learned_values(seen, connector):
            raise Conflict(_CHANGED_MEANWHILE)
        account = require_change(viewer, connection.account_id)
        before = find(viewer, connection.id)
        if not _RENEW.execute(**_make_columns(connection, connector, ring, now)):
            raise NotFound("There is no such connection.")
        was = {"shape": before["shape"], **json.loads(before["settings"])}
        _describe_change(
            entry, account, connection, before=was, after=_list_shown_values(connection, connector)
        )


def _remove_learned_values(connection: Connection, connector: Connector) -> Connection:
    """Return a connection without what its tries have learned of the place, which nobody typed."""
    learned = {field.name for field in connector.fields if field.learned}
    return replace(
        connection,
        values={name: value for name, value in connection.values.items() if name not in learned},
    )


def remove(viewer: Viewer, connection_id: str, now: int) -> None:
    """Remove a connection and its secrets; what waits to be published there fails.

    NotFound, NotYours.
    """
    with audit.recording(viewer.actor, "connection.remove", None, now) as entry:
        row = find(viewer, connection_id)
        account = require_change(viewer, row["account_id"])
        _DISCONNECT.execute(id=connection_id)
        _REMOVE.execute(id=connection_id, now=now)
        entry.describe(
            row["name"],
            subject_id=connection_id,
            partner_id=account["partner_id"],
            before={"account": account["name"], "connector": row["connector"]},
        )


def record_result(
    connection_id: str, problem: str | None, now: int, learned: Mapping[str, str] | None = None
) -> None:
    """Store what the last exchange with a place showed. ``problem``: None if it went well."""
    with db.transaction():
        row = _BY_ID.row(id=connection_id)
        if row is None:
            return
        settings = json.dumps({**json.loads(row["settings"]), **(learned or {})})
        _NOTE.execute(id=connection_id, tried_at=now, problem=problem, settings=settings)


def unseal_connection(connection_id: str, ring: KeyRing) -> Connection | None:
    """Return a connection with its secrets, for an exchange with its place; None: it was removed.

    ValueError: the master key that its secrets are encrypted under was lost.
    """
    row = _BY_ID.row(id=connection_id)
    if row is None:
        return None
    secrets = connection_secrets.unseal(ring, row["id"], row["sealed"])
    partner_id = _PARTNER.value(account_id=row["account_id"])
    return Connection(
        row["id"],
        row["account_id"],
        partner_id,
        row["name"],
        row["connector"],
        row["shape"],
        row["title_template"],
        row["text_template"],
        {**json.loads(row["settings"]), **secrets},
    )


def find_shapes(production_id: str) -> dict[str, str]:
    """Return the shape of the video of each place to which a production is published,
    by the platform's name.
    """
    return {row["platform"]: row["shape"] for row in _SHAPES.rows(production_id=production_id)}


def reseal(ring: KeyRing, version: int) -> int:
    """Encrypt anew, before a master key is retired, what is encrypted under it;
    return how many were. Inside a transaction.
    """
    moved = 0
    for row in _SEALED.rows():
        if connection_secrets.read_version(row["sealed"]) == version:
            values = connection_secrets.unseal(ring, row["id"], row["sealed"])
            sealed = connection_secrets.seal(ring, row["id"], values)
            moved += _RESEAL.execute(id=row["id"], sealed=sealed)
    return moved


def _make_columns(
    connection: Connection, connector: Connector, ring: KeyRing, now: int
) -> dict[str, Any]:
    ring.refresh()
    secrets = {
        name: value for name, value in connection.values.items() if name in connector.secrets
    }
    shown = {
        name: value for name, value in connection.values.items() if name not in connector.secrets
    }
    return {
        "id": connection.id,
        "shape": connection.shape,
        "title_template": connection.title_template,
        "text_template": connection.text_template,
        "settings": json.dumps(shown),
        "sealed": connection_secrets.seal(ring, connection.id, secrets),
        "now": now,
    }


def _list_shown_values(connection: Connection, connector: Connector) -> dict[str, str]:
    """Return what may be shown of a connection."""
    shown = {
        name: value for name, value in connection.values.items() if name not in connector.secrets
    }
    return {"shape": connection.shape, **shown}


def _describe_change(
    entry: audit.Entry,
    account: Account,
    connection: Connection,
    *,
    after: dict[str, str],
    before: dict[str, str] | None = None,
) -> None:
    entry.describe(
        connection.name,
        subject_id=connection.id,
        partner_id=account["partner_id"],
        before=before,
        after={"account": account["name"], "connector": connection.connector, **after},
    )


def _make_reader(field: Field, present: str) -> form_fields.Reader:
    def reader(text: str) -> str:
        value = text.strip()
        value = present if field.secret and not value else value
        if not value and field.required:
            raise ValueError("This field is required.")
        value = value.replace("\r\n", "\n") if field.lines else value  # as browsers send them
        lines = value.split("\n") if field.lines else [value]
        if len(value) > LONGEST_VALUE or not all(line.isprintable() for line in lines):
            raise ValueError(
                f"Give at most {LONGEST_VALUE:,} characters, without control characters."
            )
        if value and field.pattern and not re.fullmatch(field.pattern, value):
            raise ValueError(field.wrong)
        return value

    return reader


def _check_template(text: str) -> str:
    template = text.replace("\r\n", "\n").strip()
    if unknown := find_unknown_placeholders(template):
        raise ValueError(f"{unknown[0][:40]} is not a placeholder.")
    if not template or len(template) > _LONGEST_TEMPLATE or "\0" in template:
        raise ValueError(f"Give 1 to {_LONGEST_TEMPLATE:,} characters.")
    return template


def _refuse_field(field: str, sentence: str) -> None:
    raise InvalidRequest(sentence, fields={field: [sentence]})
