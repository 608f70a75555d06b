-- Batches of productions, and templates of briefs.
CREATE TABLE batches (
    id              TEXT PRIMARY KEY,
    partner_id      TEXT NOT NULL,
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    mode            TEXT NOT NULL CHECK (mode IN ('atomic', 'each')),
    idempotency_key TEXT,
    digest          BLOB NOT NULL,
    size            INTEGER NOT NULL,
    correlation_id  TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    handled_at      INTEGER,
    cancelled_at    INTEGER,
    finished_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX batches_by_key ON batches (partner_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX batches_by_account ON batches (account_id, created_at, id);
CREATE INDEX batches_open ON batches (id) WHERE finished_at IS NULL;

CREATE TABLE batch_items (
    batch_id      TEXT NOT NULL REFERENCES batches (id),
    position      INTEGER NOT NULL,
    external_id   TEXT,
    production_id TEXT,
    error_code    TEXT,
    error_message TEXT,
    PRIMARY KEY (batch_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE templates (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name       TEXT NOT NULL,
    brief      TEXT NOT NULL,
    variables  TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX templates_by_account ON templates (account_id, created_at, id) WHERE removed_at IS NULL;
