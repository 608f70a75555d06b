-- New accounts have the bed that the look wants; those that are there keep theirs. SQLite changes a CHECK only with its column.
ALTER TABLE accounts ADD COLUMN music_or_look TEXT NOT NULL DEFAULT 'look'
    CHECK (music_or_look IN ('look', 'none', 'calm', 'bright', 'focused'));
UPDATE accounts SET music_or_look = music;
ALTER TABLE accounts DROP COLUMN music;
ALTER TABLE accounts RENAME COLUMN music_or_look TO music;
