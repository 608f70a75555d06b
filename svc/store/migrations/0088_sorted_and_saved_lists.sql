-- rolling
-- The console sorts partners and accounts by name, and people save the filters of its lists.
CREATE INDEX partners_by_name ON partners (lower(name), id);
CREATE INDEX accounts_by_name ON accounts (lower(name), id);
CREATE TABLE saved_filters (
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    list       TEXT NOT NULL,
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, list, name)
) STRICT, WITHOUT ROWID;
