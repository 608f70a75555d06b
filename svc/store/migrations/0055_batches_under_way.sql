-- What the engine goes on with of a batch, piece by piece, and the request that asked for it.
ALTER TABLE batches ADD COLUMN under_way TEXT CHECK (under_way IN ('cancel', 'resume'));
ALTER TABLE batches ADD COLUMN under_way_for TEXT;
CREATE INDEX batches_under_way ON batches (id) WHERE under_way IS NOT NULL;
