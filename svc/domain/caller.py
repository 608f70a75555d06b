"""The caller: an authenticated API key, what it may do, and which accounts it may address."""

import json
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network

from svc.base import client_addresses
from svc.base.errors import PermissionDenied
from svc.domain import scopes


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated API key and its partner."""

    key_id: str
    key_prefix: str
    key_name: str
    environment: str  # "live" or "test"
    creator: str | None  # of a test key: the user whose sandbox accounts it may address
    scopes: frozenset[str] | None  # None: all
    permitted: frozenset[str] | None  # account ids; None: all accounts of the environment
    partner_id: str
    partner_name: str
    partner_status: str
    tier: str
    key_rotation: bool
    self_lifecycle: bool
    expires_at: int | None
    # The networks from which the key may be used; None: any.
    ranges: tuple[IPv4Network | IPv6Network, ...] | None = None
    key_hash: bytes = field(default=b"", repr=False)

    @property
    def account_environment(self) -> str:
        return "sandbox" if self.environment == "test" else "live"

    @property
    def sandbox_owner(self) -> str | None:
        """Return the user whose sandbox accounts the key may address; None: the key is live."""
        return self.creator if self.environment == "test" else None

    @property
    def permitted_text(self) -> str | None:
        """Return ``permitted`` as a JSON array, for use in SQL statements."""
        return None if self.permitted is None else json.dumps(sorted(self.permitted))

    def may_call_from(self, address: str | None) -> bool:
        """Return whether the key may be used from the IP address ``address``."""
        return self.ranges is None or client_addresses.is_within(address or "", self.ranges)

    def require_scope(self, scope: str) -> None:
        """Raise PermissionDenied unless the key has ``scope``."""
        if not scopes.is_granted(self.scopes, scope):
            held = ", ".join(sorted(self.scopes or ())) or "none"
            raise PermissionDenied(
                f"This operation needs the permission {scope}; the key holds {held}."
            )

    def reaches(
        self, account_id: str, partner_id: str, environment: str, creator: str | None
    ) -> bool:
        """Return whether the key may address an account, by its partner, environment,
        creator (sandbox only) and id.
        """
        return (
            partner_id == self.partner_id
            and environment == self.account_environment
            and (environment == "live" or creator == self.creator)
            and (self.permitted is None or account_id in self.permitted)
        )
