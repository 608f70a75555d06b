-- Rows of a batch that wait behind a ceiling of concurrent productions, each with its brief.
ALTER TABLE batch_items ADD COLUMN brief TEXT;
CREATE INDEX batch_items_waiting ON batch_items (batch_id) WHERE brief IS NOT NULL AND stopped = 0;
