-- Productions in several languages: their groups, and briefs that people translate.
ALTER TABLE productions ADD COLUMN group_id TEXT;
ALTER TABLE productions ADD COLUMN translation TEXT;
CREATE INDEX productions_in_group ON productions (group_id) WHERE group_id IS NOT NULL;
CREATE TABLE translations (
    production_id      TEXT PRIMARY KEY REFERENCES productions (id),
    source_language_id TEXT NOT NULL,
    source             TEXT NOT NULL,
    target             TEXT,
    created_at         INTEGER NOT NULL,
    done_at            INTEGER
) STRICT, WITHOUT ROWID;
