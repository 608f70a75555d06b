-- Square and 4:5 videos for connections; SQLite changes a CHECK only with its table.
CREATE TABLE connections_of_more_shapes (
    id             TEXT PRIMARY KEY,
    account_id     TEXT NOT NULL REFERENCES accounts (id),
    name           TEXT NOT NULL,
    connector      TEXT NOT NULL,
    shape          TEXT NOT NULL CHECK (shape IN ('landscape', 'portrait', 'square', 'feed')),
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
INSERT INTO connections_of_more_shapes (
    id, account_id, name, connector, shape, title_template, text_template, settings, sealed,
    created_at, renewed_at, tried_at, problem, removed_at
)
SELECT
    id, account_id, name, connector, shape, title_template, text_template, settings, sealed,
    created_at, renewed_at, tried_at, problem, removed_at
FROM connections;
DROP TABLE connections;
ALTER TABLE connections_of_more_shapes RENAME TO connections;
CREATE INDEX connections_by_account ON connections (account_id, name);
