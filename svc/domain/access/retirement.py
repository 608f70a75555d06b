"""Retires a master key: first gives subscriptions a new secret, connections and audit entries a new seal, then removes it."""

from pathlib import Path

from svc.base.crypto import key_ring
from svc.base.crypto.signing import KeyRing
from svc.domain import rows
from svc.domain.access import master_keys
from svc.domain.people import audit, audit_chain
from svc.domain.people.audit import Actor
from svc.domain.publishing import connections
from svc.domain.tables.webhooks import DependentSubscription
from svc.store import database

_DEPENDENT = """
    SELECT s.id, s.partner_id, s.endpoint_url, w.name AS partner_name FROM subscriptions s
    JOIN partners w ON w.id = s.partner_id WHERE s.secret_version = ? AND s.deleted_at IS NULL ORDER BY w.name, s.id
"""
_SECOND_FACTORS = """
    SELECT u.email FROM second_factors f JOIN users u ON u.id = f.user_id
    WHERE f.key_version = ? AND f.confirmed_at IS NOT NULL AND u.disabled_at IS NULL ORDER BY u.email
"""
# Deleted subscriptions too: no row may refer to a removed key.
_ROLL = "UPDATE subscriptions SET secret_version = ? WHERE secret_version = ?"


def dependent(version: int) -> list[DependentSubscription]:
    """Return the subscriptions whose signing secret is derived from a master key, with the names of their partners."""
    return rows.every(DependentSubscription, _DEPENDENT, (version,))


def second_factors(version: int) -> list[str]:
    """Return the e-mail addresses of the users whose authenticator secret is derived from a master key."""
    return [row["email"] for row in database.rows(_SECOND_FACTORS, (version,))]


def retire(secret: Path, version: int, actor: Actor, now: int) -> list[DependentSubscription]:
    """Remove a master key after moving its dependents to the newest one; return the subscriptions with a new signing secret.

    After a crash, call it again. SettingsError: there is no such key, or it is the newest.
    """
    versions = key_ring.read(secret)
    key_ring.require_retirable(versions, version)
    newest = max(versions)
    with database.write():
        rolled = dependent(version)
        database.execute(_ROLL, (newest, version))
        keys = {"before": {"masterKey": version}, "after": {"masterKey": newest}}
        for row in rolled:
            audit.record(
                actor, "webhook.secret", row["endpoint_url"], now, subject_id=row["id"], partner_id=row["partner_id"], **keys
            )
        connections.reseal(KeyRing(versions), version)
        audit.record(actor, "key-ring.retire", f"master key {version}", now, after={"subscriptionsRolled": len(rolled)})
    audit_chain.seal_again(version)
    master_keys.retire(secret, version, now)
    return rolled
