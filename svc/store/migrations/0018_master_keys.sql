CREATE TABLE master_keys (
    version     INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    added_at    INTEGER NOT NULL,
    retired_at  INTEGER
) STRICT;
