-- What models charge, as its own entries and as a part of what is reserved; and how long steps take, for estimates.
ALTER TABLE ledger ADD COLUMN for_models INTEGER NOT NULL DEFAULT 0;

CREATE TABLE model_charges (
    id            INTEGER PRIMARY KEY,
    production_id TEXT NOT NULL,
    at            INTEGER NOT NULL,
    purpose       TEXT NOT NULL CHECK (purpose IN ('script', 'speech')),
    model         TEXT NOT NULL,
    units_in      INTEGER NOT NULL,
    units_out     INTEGER NOT NULL,
    cost          INTEGER NOT NULL
) STRICT;
CREATE INDEX model_charges_by_production ON model_charges (production_id);

ALTER TABLE productions ADD COLUMN estimated_at INTEGER;
ALTER TABLE productions ADD COLUMN promised_at INTEGER;

CREATE TABLE step_paces (
    step          TEXT PRIMARY KEY,
    number        INTEGER NOT NULL,
    mean_size     REAL NOT NULL,
    mean_ms       REAL NOT NULL,
    size_variance REAL NOT NULL,
    covariance    REAL NOT NULL
) STRICT, WITHOUT ROWID;
