-- The review of a script before its production is made.
ALTER TABLE accounts ADD COLUMN script_review INTEGER NOT NULL DEFAULT 0;
ALTER TABLE productions ADD COLUMN review TEXT;
CREATE TABLE scripts (
    production_id TEXT NOT NULL REFERENCES productions (id),
    version       INTEGER NOT NULL,
    scenes        TEXT NOT NULL,
    written       TEXT,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (production_id, version)
) STRICT, WITHOUT ROWID;
