-- What the engine goes on with of a batch, piece by piece, and the request that asked for it.
ALTER TABLE batches ADD COLUMN under_way TEXT CHECK (under_way IN ('cancel', 'resume'));
ALTER TABLE batches ADD COLUMN under_way_for TEXT;
CREATE INDEX batches_under_way ON batches (id) WHERE under_way IS NOT NULL;
-- Exchanges with places that people began in the console and that take long.
CREATE TABLE connection_tries (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    production_id TEXT,
    title         TEXT NOT NULL,
    begun_at      INTEGER NOT NULL,
    ended_at      INTEGER,
    problem       TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX connection_tries_of_account ON connection_tries (account_id, begun_at, id);
