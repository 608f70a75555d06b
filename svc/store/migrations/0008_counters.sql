-- What /metrics tells of.
CREATE TABLE counters (
    name   TEXT NOT NULL,
    labels TEXT NOT NULL,
    value  REAL NOT NULL,
    PRIMARY KEY (name, labels)
) STRICT, WITHOUT ROWID;
