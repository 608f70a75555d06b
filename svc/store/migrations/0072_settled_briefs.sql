-- rolling
-- What a production is made with stays as it was at its first step; those that are being made settle theirs at their next one.
CREATE TABLE settled_briefs (
    production_id TEXT PRIMARY KEY REFERENCES productions (id) ON DELETE CASCADE,
    settings      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
