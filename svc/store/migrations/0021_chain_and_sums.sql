-- The audit log becomes a chain, which the first entry after this begins: see svc/domain/people/audit_chain.py.
ALTER TABLE audit ADD COLUMN salt BLOB;
ALTER TABLE audit ADD COLUMN content_hash BLOB;
ALTER TABLE audit ADD COLUMN hash BLOB;
ALTER TABLE audit ADD COLUMN seal BLOB;
ALTER TABLE audit ADD COLUMN key_version INTEGER;
ALTER TABLE audit ADD COLUMN redacted_at INTEGER;

-- Plays of long ago become sums: see svc/domain/watch/play_sums.py.
CREATE TABLE play_days (
    production_id   TEXT NOT NULL,
    platform        TEXT NOT NULL,
    day             TEXT NOT NULL,
    views           INTEGER NOT NULL,
    watched_seconds REAL NOT NULL,
    PRIMARY KEY (production_id, platform, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE play_viewers (
    production_id TEXT NOT NULL,
    platform      TEXT NOT NULL,
    viewers       INTEGER NOT NULL,
    PRIMARY KEY (production_id, platform)
) STRICT, WITHOUT ROWID;
CREATE INDEX plays_by_viewing ON plays (production_id, viewer, started_at);
