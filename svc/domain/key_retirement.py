"""Retires a master key: first gives subscriptions a new secret,
connections and audit entries a new seal, then removes it.
"""

from pathlib import Path

from svc.base.crypto import key_ring
from svc.base.crypto.signing import KeyRing
from svc.domain import master_keys
from svc.domain.access import rotation
from svc.domain.audit import audit, audit_chain
from svc.domain.audit.audit import Actor
from svc.domain.publishing import connections
from svc.domain.tables.webhooks import DependentSubscription
from svc.store.database import db
from svc.store.models.partners import Partner
from svc.store.models.people import SecondFactor, User
from svc.store.models.webhooks import Subscription
from svc.store.queries import Prepared, slot

_DEPENDENT = Prepared(
    Subscription.select(
        Subscription.id,
        Subscription.partner_id,
        Subscription.endpoint_url,
        Partner.name.alias("partner_name"),
    )
    .join(Partner, on=Partner.id == Subscription.partner_id)
    .where(Subscription.secret_version == slot("version"), Subscription.deleted_at.is_null())
    .order_by(Partner.name, Subscription.id),
    DependentSubscription,
)
_SECOND_FACTORS = Prepared(
    SecondFactor.select(User.email)
    .join(User, on=User.id == SecondFactor.user_id)
    .where(
        SecondFactor.key_version == slot("version"),
        SecondFactor.confirmed_at.is_null(False),
        User.disabled_at.is_null(),
    )
    .order_by(User.email)
)
# Deleted subscriptions too: no row may refer to a removed key.
_ROLL = Prepared(
    Subscription.update(secret_version=slot("newest")).where(
        Subscription.secret_version == slot("version")
    )
)


def list_dependent_subscriptions(version: int) -> list[DependentSubscription]:
    """Return the subscriptions whose signing secret is derived from a master key,
    with the names of their partners.
    """
    return _DEPENDENT.rows(version=version)


def list_dependent_second_factors(version: int) -> list[str]:
    """Return the e-mail addresses of the users whose authenticator secret is derived from
    a master key.
    """
    return [row["email"] for row in _SECOND_FACTORS.rows(version=version)]


def retire(secret: Path, version: int, actor: Actor, now: int) -> list[DependentSubscription]:
    """Remove a master key after moving its dependents to the newest one; return the subscriptions
    with a new signing secret.

    After a crash, call it again. SettingsError: there is no such key, it is the newest, or a
    process may still sign with it.
    """
    key_ring.require_retirable(key_ring.read(secret), version)
    if db.place():
        rotation.require_all_sign_with_newest(now)
    newest = master_keys.read_ring(secret).newest
    # a key of an interrupted rotation may follow, which signs nothing
    versions = {number: key for number, key in key_ring.read(secret).items() if number <= newest}
    key_ring.require_retirable(versions, version)
    with audit.recording(actor, "key-ring.retire", f"master key {version}", now) as entry:
        rolled = list_dependent_subscriptions(version)
        _ROLL.execute(newest=newest, version=version)
        for row in rolled:
            with audit.recording(
                actor,
                "webhook.secret",
                row["endpoint_url"],
                now,
                subject_id=row["id"],
                partner_id=row["partner_id"],
                before={"masterKey": version},
                after={"masterKey": newest},
            ):
                pass  # one statement has rolled them all
        connections.reseal(KeyRing(versions), version)
        entry.after = {"subscriptionsRolled": len(rolled)}
    audit_chain.seal_again(version)
    master_keys.retire(secret, version, now)
    return rolled
