-- Steps are claimed by partner, live before sandbox; productions wait for a time, and not in a worker.
ALTER TABLE productions ADD COLUMN lane INTEGER NOT NULL DEFAULT 1;
ALTER TABLE productions ADD COLUMN not_before INTEGER;
UPDATE productions SET lane = 2
WHERE status IN ('Queued', 'Producing') AND account_id IN (SELECT id FROM accounts WHERE environment = 'sandbox');
UPDATE productions SET not_before = created_at WHERE status IN ('Queued', 'Producing') AND held_in IS NOT status;
CREATE INDEX productions_in_queue ON productions (partner_id, lane, not_before) WHERE status IN ('Queued', 'Producing');
CREATE TABLE render_queues (
    partner_id TEXT PRIMARY KEY,
    turn       REAL NOT NULL DEFAULT 0,
    paused_at  INTEGER
) STRICT, WITHOUT ROWID;
