-- A step that has not begun has no row, and a publication that is not due yet or not out yet is in no index of those.
DELETE FROM production_steps WHERE status = 'Pending';
DROP INDEX publications_due;
CREATE INDEX publications_due ON publications (next_attempt_at)
    WHERE status IN ('Pending', 'Publishing') AND next_attempt_at IS NOT NULL;
DROP INDEX publications_by_account;
CREATE INDEX publications_by_account ON publications (account_id, platform, published_at) WHERE published_at IS NOT NULL;
