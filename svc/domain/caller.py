"""Who is calling: what an authenticated API key may do and which accounts it reaches."""

import json
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address

from svc.base import scopes
from svc.base.errors import PermissionDenied


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated key with its partner."""

    key_id: str
    key_prefix: str
    key_name: str
    environment: str  # "live" or "test"
    creator: str | None  # test keys: the user whose sandbox accounts it reaches
    scopes: frozenset[str] | None  # None: all
    permitted: frozenset[str] | None  # account ids; None: every one of the environment
    partner_id: str
    partner_name: str
    partner_status: str
    tier: str
    key_rotation: bool
    self_lifecycle: bool
    expires_at: int | None
    ranges: tuple[IPv4Network | IPv6Network, ...] | None = None  # the addresses that it may call from; None: any

    @property
    def account_environment(self) -> str:
        return "sandbox" if self.environment == "test" else "live"

    @property
    def sandbox_owner(self) -> str | None:
        """Whose sandbox accounts it reaches; None: it reaches live ones."""
        return self.creator if self.environment == "test" else None

    @property
    def permitted_text(self) -> str | None:
        """``permitted`` as the JSON that statements take."""
        return None if self.permitted is None else json.dumps(sorted(self.permitted))

    def may_call_from(self, address: str | None) -> bool:
        """Whether the key may be used from that address."""
        if self.ranges is None:
            return True
        try:
            found = ip_address(address or "")
        except ValueError:
            return False
        found = getattr(found, "ipv4_mapped", None) or found
        return any(found.version == each.version and found in each for each in self.ranges)

    def needs(self, scope: str) -> None:
        """PermissionDenied: the key lacks ``scope``."""
        if not scopes.granted(self.scopes, scope):
            held = ", ".join(sorted(self.scopes or ())) or "none"
            raise PermissionDenied(f"This operation needs the scope {scope}; the key holds {held}.")

    def reaches(self, account_id: str, partner_id: str, environment: str, creator: str | None) -> bool:
        """Whether this key may address that account: its partner's, of its environment, its creator's, permitted."""
        return (
            partner_id == self.partner_id
            and environment == self.account_environment
            and (environment == "live" or creator == self.creator)
            and (self.permitted is None or account_id in self.permitted)
        )
