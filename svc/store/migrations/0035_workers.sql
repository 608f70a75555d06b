-- The processes that run steps where several machines share the database: servers, and workers.
CREATE TABLE workers (
    id         TEXT PRIMARY KEY,
    role       TEXT NOT NULL CHECK (role IN ('driver', 'standby', 'worker')),
    hostname   TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    version    TEXT NOT NULL,
    steps      INTEGER NOT NULL,
    can_run    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
