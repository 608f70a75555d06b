-- Connections of accounts to places of their own, and how far a publication there has come.
CREATE TABLE connections (
    id             TEXT PRIMARY KEY,
    account_id     TEXT NOT NULL REFERENCES accounts (id),
    name           TEXT NOT NULL,
    connector      TEXT NOT NULL,
    shape          TEXT NOT NULL CHECK (shape IN ('landscape', 'portrait')),
    title_template TEXT NOT NULL,
    text_template  TEXT NOT NULL,
    settings       TEXT NOT NULL,
    sealed         BLOB,
    created_at     INTEGER NOT NULL,
    renewed_at     INTEGER,
    tried_at       INTEGER,
    problem        TEXT,
    removed_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX connections_by_account ON connections (account_id, name);
ALTER TABLE connected_platforms ADD COLUMN connection_id TEXT;
ALTER TABLE publications ADD COLUMN connection_id TEXT;
ALTER TABLE publications ADD COLUMN idempotency_key TEXT;
ALTER TABLE publications ADD COLUMN session BLOB;
ALTER TABLE publications ADD COLUMN sent_bytes INTEGER;
ALTER TABLE publications ADD COLUMN post_url TEXT;
