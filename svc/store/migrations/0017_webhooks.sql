-- The event of a cancel carries the correlation id of the request that asked for it.
ALTER TABLE productions ADD COLUMN cancel_correlation_id TEXT;
-- An endpoint that fails is shown as failing from its first failed attempt on.
ALTER TABLE subscriptions ADD COLUMN failing_since INTEGER;
CREATE INDEX subscriptions_failing ON subscriptions (failing_since, id)
    WHERE failing_since IS NOT NULL AND deleted_at IS NULL;
UPDATE subscriptions SET failing_since = coalesce(last_delivery_at, created_at) WHERE failure_count > 0 OR status = 'Failed';
-- Signing secrets can be rolled.
ALTER TABLE subscriptions ADD COLUMN secret_generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subscriptions ADD COLUMN overlap_until INTEGER;
CREATE TABLE rolled_secrets (
    subscription_id TEXT NOT NULL REFERENCES subscriptions (id),
    generation      INTEGER NOT NULL,
    secret_version  INTEGER NOT NULL,
    rolled_at       INTEGER NOT NULL,
    ends_at         INTEGER NOT NULL,
    PRIMARY KEY (subscription_id, generation)
) STRICT, WITHOUT ROWID;
-- First attempts at failing endpoints no longer share a lane with retries (svc.domain.webhooks.lanes).
UPDATE deliveries SET lane = 2 WHERE status = 'Pending' AND lane = 1 AND failures = 0;
