"""Who is calling: what an authenticated API key may do and which accounts it reaches."""

from dataclasses import dataclass

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

    @property
    def account_environment(self) -> str:
        return "sandbox" if self.environment == "test" else "live"

    def needs(self, scope: str) -> None:
        """PermissionDenied: the key lacks ``scope``."""
        if not scopes.granted(self.scopes, scope):
            held = ", ".join(sorted(self.scopes)) or "none"
            raise PermissionDenied(f"This operation needs the scope {scope}; the key holds {held}.")

    def reaches(self, account_id: str, partner_id: str, environment: str, creator: str | None) -> bool:
        """Whether this key may address that account: its partner's, of its environment, its creator's, permitted."""
        return (
            partner_id == self.partner_id
            and environment == self.account_environment
            and (environment == "live" or creator == self.creator)
            and (self.permitted is None or account_id in self.permitted)
        )
