"""The limits of a key: when it expires, and from which addresses it may be used."""

from dataclasses import dataclass
from typing import Any

from svc.base import client_addresses, clock
from svc.domain import form_fields, partner_status
from svc.domain.monitoring import alerts
from svc.store.database import db
from svc.store.models.access import ApiKey
from svc.store.models.partners import Partner
from svc.store.queries import Prepared, slot

MOST_RANGES = 20
WARNING = 7 * clock.DAY  # how long before the expiry of a key the alert is raised
ALERT = "ApiKeyExpiring"

_ENDING = Prepared(
    ApiKey.select(
        ApiKey.id,
        ApiKey.partner_id,
        ApiKey.name,
        ApiKey.prefix,
        ApiKey.expires_at,
        Partner.name.alias("partner_name"),
    )
    .join(Partner, on=Partner.id == ApiKey.partner_id)
    .where(
        ApiKey.expires_at.is_null(False),
        ApiKey.warned_at.is_null(),
        ApiKey.expires_at > slot("now"),
        ApiKey.expires_at <= slot("until"),
        ApiKey.revoked_at.is_null(),
        ApiKey.rotated_to.is_null(),
        Partner.status != partner_status.CLOSED,  # its keys do not work, and nobody needs another
    )
)
_NOTE_WARNING = Prepared(ApiKey.update(warned_at=slot("now")).where(ApiKey.id == slot("id")))


@dataclass(frozen=True)
class Limits:
    """The limits of a key.

    ``expires_at``: milliseconds; None: never. ``ranges``: CIDR ranges; None: any address.
    """

    expires_at: int | None = None
    ranges: tuple[str, ...] | None = None

    def represent(self) -> dict[str, Any]:
        """Return the limits that are set, for the audit log."""
        ends = {"expiresAt": clock.format_time(self.expires_at)} if self.expires_at else {}
        return ends | ({"allowedRanges": list(self.ranges)} if self.ranges else {})


NO_LIMITS = Limits()


def parse_limits(expires: str, ranges: str, now: int) -> Limits:
    """Parse the texts of a form.

    InvalidRequest: names the invalid fields, ``expires`` or ``ranges``.
    """
    readers = {"expires": form_fields.optional(_make_end_reader(now)), "ranges": _parse_ranges}
    values = form_fields.read(readers, {"expires": expires, "ranges": ranges})
    return Limits(values["expires"], values["ranges"])


def _make_end_reader(now: int) -> form_fields.Reader:
    """Return a reader of a future time; a day means its end in UTC."""

    def reader(text: str) -> int:
        try:
            at = (
                clock.parse(f"{text.strip()}T00:00Z") + clock.DAY
                if len(text.strip()) == 10
                else clock.parse(text.strip())
            )
        except (ValueError, OverflowError):
            raise ValueError(
                "Give a day such as 2027-01-31, or a time such as 2027-01-31T09:30Z."
            ) from None
        if at <= now:
            raise ValueError("Give a time in the future.")
        return at

    return reader


def _parse_ranges(text: str) -> tuple[str, ...] | None:
    """Parse CIDR ranges or addresses, separated by commas or spaces; an empty text:
    None, no limit.
    """
    words = text.replace(",", " ").split()
    if len(words) > MOST_RANGES:
        raise ValueError(f"Give at most {MOST_RANGES} ranges.")
    try:
        return (
            tuple(dict.fromkeys(str(client_addresses.parse_network(word)) for word in words))
            or None
        )
    except ValueError as error:
        raise ValueError(f"Give ranges such as 192.0.2.0/24 or 2001:db8::/32: {error}.") from None


def raise_expiry_alerts(now: int) -> int:
    """Raise one alert for each key that expires within a week, and return the number of alerts."""
    with db.transaction():
        ending = _ENDING.rows(now=now, until=now + WARNING)
        for row in ending:
            key = f"The key {row['name']} ({row['prefix']}…) of {row['partner_name']}"
            message = f"{key} ends at {clock.format_time(row['expires_at'])}."
            _NOTE_WARNING.execute(id=row["id"], now=now)
            alerts.raise_alert(ALERT, "warning", message, now, row["partner_id"], row["id"])
    return len(ending)
