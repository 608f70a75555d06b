CREATE TABLE lexicons (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    entries    TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
