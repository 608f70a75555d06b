"""Connections that people add, try, renew and remove: what they enter is tried at the place before
it is stored.
"""

import base64
import dataclasses
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from svc.adapters import addresses
from svc.adapters.addresses import Allowed, Lookup
from svc.adapters.deadline import Deadline
from svc.adapters.transfers import Transfers
from svc.base.connectors import Connection, Connector
from svc.base.crypto.signing import KeyRing
from svc.base.errors import Conflict, InvalidRequest
from svc.domain.people.users import Viewer
from svc.domain.publishing import actions, connections
from svc.platforms import PLACES, PLATFORMS, PublishError
from svc.platforms.connected import Tools
from svc.work.publishing import exchanges, posting, sign_in

_TRY_SECONDS = 20.0  # for all exchanges of a try


class Connections:
    """Implements svc.base.protocols.Connections."""

    def __init__(
        self,
        allowed: Allowed,
        ring: KeyRing,
        clock: Callable[[], int],
        lookup: Lookup = addresses.look_up,
    ):
        self._allowed, self._ring, self._clock, self._lookup = allowed, ring, clock, lookup

    @property
    def connectors(self) -> Mapping[str, Connector]:
        return {name: place.description for name, place in PLACES.items()}

    def run_beside_request(
        self,
        viewer: Viewer,
        account_id: str,
        title: str,
        action: Callable[[], object],
        production_id: str | None = None,
    ) -> bool:
        owner = viewer.partner_id or f"operator {viewer.own_id}"
        return exchanges.run_exchange(owner, account_id, title, action, self._clock, production_id)

    def make_missing_secrets(self, connector: str, fields: Mapping[str, str]) -> dict[str, str]:
        described = PLACES[connector].description
        return {
            field.name: _make_secret()
            for field in described.fields
            if field.made and not fields.get(field.name)
        }

    def add(
        self, viewer: Viewer, account_id: str, connector: str, fields: Mapping[str, str]
    ) -> tuple[str, dict[str, str]]:
        if connector not in PLACES:
            message = (
                f"{connector[:40]!r} is not a kind of place; the kinds are {', '.join(PLACES)}."
            )
            raise InvalidRequest(message, fields={"connector": [message]})
        described = PLACES[connector].description
        made_secrets = self.make_missing_secrets(connector, fields)
        draft = connections.draft_connection(
            viewer,
            account_id,
            described,
            {**fields, **made_secrets},
            tuple(PLATFORMS),
            self._clock(),
        )
        connections.add(viewer, self._try_connection(draft), described, self._ring, self._clock())
        return draft.id, made_secrets

    def renew(
        self,
        viewer: Viewer,
        connection_id: str,
        fields: Mapping[str, str],
        forget_host_key: bool = False,
    ) -> None:
        self.prepare_renewal(viewer, connection_id, fields, forget_host_key)()

    def prepare_renewal(
        self,
        viewer: Viewer,
        connection_id: str,
        fields: Mapping[str, str],
        forget_host_key: bool = False,
    ) -> Callable[[], None]:
        connections.require_change(viewer, connections.find(viewer, connection_id)["account_id"])
        seen = present = self._open_connection(connection_id)
        described = PLACES[present.connector].description
        if forget_host_key:
            learned = {field.name: "" for field in described.fields if field.learned}
            present = dataclasses.replace(present, values={**present.values, **learned})
        renewed = connections.apply_changes(present, described, fields)

        def try_and_store() -> None:
            connections.renew(
                viewer, self._try_connection(renewed), seen, described, self._ring, self._clock()
            )

        return try_and_store

    def begin_sign_in(
        self,
        viewer: Viewer,
        account_id: str,
        connector: str,
        fields: Mapping[str, str],
        return_to: str,
        connection_id: str = "",
    ) -> tuple[str, str]:
        connections.require_change(viewer, account_id)
        if connection_id:
            present = self._open_connection(connection_id).values
            fields = {name: present[name] for name in ("client_id", "client_secret")}
        described = PLACES[connector].description
        return sign_in.begin_sign_in(
            self._ring,
            viewer.own_id,
            described,
            account_id,
            connection_id,
            fields,
            return_to,
            self._clock(),
        )

    def find_account_of_draft(self, viewer: Viewer, sealed: str, state: str) -> str:
        return sign_in.open_draft(
            self._ring, viewer.own_id, sealed, state, self._clock()
        ).account_id

    def finish_sign_in(self, viewer: Viewer, sealed: str, state: str, code: str) -> str:
        draft = sign_in.open_draft(self._ring, viewer.own_id, sealed, state, self._clock())
        connections.require_change(viewer, draft.account_id)
        described = PLACES[draft.connector].description
        with self._tools() as tools:
            token = sign_in.refresh_token(draft, described, code, tools)
        fields = {"refresh_token": token}
        if draft.connection_id:
            self.renew(viewer, draft.connection_id, fields)
        else:
            self.add(viewer, draft.account_id, draft.connector, {**draft.given, **fields})
        return draft.account_id

    def try_connection(self, viewer: Viewer, connection_id: str) -> None:
        connections.require_change(viewer, connections.find(viewer, connection_id)["account_id"])
        present = self._open_connection(connection_id)
        try:
            tried = self._try_connection(present)
        except Conflict as failed:
            connections.record_result(connection_id, failed.message, self._clock())
            raise
        learned = {
            field.name for field in PLACES[present.connector].description.fields if field.learned
        }
        values = {name: value for name, value in tried.values.items() if name in learned}
        connections.record_result(connection_id, None, self._clock(), values)

    def withdraw(self, viewer: Viewer, production_id: str, platform: str) -> None:
        row = actions.find_to_withdraw(viewer, production_id, platform)
        connection = self._open_connection(row["connection_id"] or "")
        place = PLACES[connection.connector]
        try:
            with self._tools() as tools, posting.hide_secrets(connection, place.description):
                place.withdraw(row["platform_post_id"], connection, tools)
        except PublishError as failed:
            raise Conflict(f"It could not be withdrawn. {_omit_further_attempts(failed)}") from None
        actions.record_withdrawn(viewer, production_id, platform, self._clock())

    def _open_connection(self, connection_id: str) -> Connection:
        try:
            return posting.open_connection(connection_id, self._ring)[0]
        except PublishError as unusable:
            raise Conflict(unusable.message) from None

    def _try_connection(self, connection: Connection) -> Connection:
        """Return the connection with what it learned at the place.

        InvalidRequest: of a value; Conflict: it does not work.
        """
        place = PLACES[connection.connector]
        if wrong := place.check(connection.values):
            raise InvalidRequest(
                " ".join(wrong.values()), fields={name: [text] for name, text in wrong.items()}
            )
        try:
            with self._tools() as tools, posting.hide_secrets(connection, place.description):
                learned = place.test(connection, tools)
        except PublishError as failed:
            raise Conflict(f"The try did not work. {_omit_further_attempts(failed)}") from None
        return dataclasses.replace(connection, values={**connection.values, **learned})

    @contextmanager
    def _tools(self) -> Iterator[Tools]:
        """Yield the tools that reach a place. They fail once the time of a try is up."""
        with Deadline(_TRY_SECONDS) as deadline:
            transfers = Transfers(self._allowed, lookup=self._lookup, deadline=deadline)
            yield Tools(transfers, self._allowed, self._lookup, self._clock)


def _omit_further_attempts(failed: PublishError) -> str:
    """Return the message of an error without what it says of further attempts,
    which there are none of here.
    """
    return failed.message.replace(" It will be tried again.", "")


def _make_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
