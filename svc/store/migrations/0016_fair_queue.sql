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

-- How much room each partner's files take is counted, so that nobody walks the disk.
CREATE TABLE partner_storage (
    partner_id TEXT PRIMARY KEY,
    bytes      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO partner_storage (partner_id, bytes)
SELECT partner_id, sum(size_bytes) FROM (
    SELECT p.partner_id, d.size_bytes FROM deliverables d JOIN productions p ON p.id = d.production_id
    UNION ALL SELECT c.partner_id, s.size_bytes FROM assets s JOIN customers c ON c.id = s.customer_id
) GROUP BY partner_id;
CREATE TRIGGER deliverables_added AFTER INSERT ON deliverables BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM productions WHERE id = new.production_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER deliverables_removed AFTER DELETE ON deliverables BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM productions WHERE id = old.production_id);
END;
CREATE TRIGGER assets_added AFTER INSERT ON assets BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM customers WHERE id = new.customer_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER assets_removed AFTER DELETE ON assets BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM customers WHERE id = old.customer_id);
END;
