-- A key may end by itself and may be kept to addresses; so may the key that an activation key makes.
ALTER TABLE api_keys ADD COLUMN allowed_ranges TEXT;
ALTER TABLE api_keys ADD COLUMN warned_at INTEGER;
CREATE INDEX api_keys_ending ON api_keys (expires_at) WHERE expires_at IS NOT NULL AND warned_at IS NULL;
ALTER TABLE activation_keys ADD COLUMN key_expires_at INTEGER;
ALTER TABLE activation_keys ADD COLUMN allowed_ranges TEXT;
CREATE INDEX activation_keys_by_partner ON activation_keys (partner_id, created_at);
-- Idempotency-Key: the first answer of an operation other than the trigger, encrypted.
ALTER TABLE idempotency_keys ADD COLUMN sealed BLOB;
-- A partner's own reference of a production.
ALTER TABLE productions ADD COLUMN external_id TEXT;
CREATE INDEX productions_by_external_id ON productions (account_id, external_id, created_at, id)
    WHERE external_id IS NOT NULL;
-- The place of an event in the feed of its partner, in the order of commits.
ALTER TABLE events ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
UPDATE events SET position = at * 1024 + numbered.number FROM (
    SELECT production_id, sequence,
           row_number() OVER (PARTITION BY partner_id, at ORDER BY production_id, sequence) - 1 AS number
    FROM events
) AS numbered
WHERE events.production_id = numbered.production_id AND events.sequence = numbered.sequence;
DROP INDEX events_by_partner;
CREATE INDEX events_by_partner ON events (partner_id, position);
-- The request history of a key that may not see all of its partner's.
CREATE INDEX requests_by_key ON requests (partner_id, key_prefix, at, id);
