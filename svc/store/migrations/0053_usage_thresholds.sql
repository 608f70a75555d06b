-- Usage thresholds of which subscribers were told.
CREATE TABLE usage_thresholds (
    owner_id   TEXT NOT NULL,
    name       TEXT NOT NULL,
    period     TEXT NOT NULL,
    percent    INTEGER NOT NULL,
    most       INTEGER NOT NULL,
    partner_id TEXT NOT NULL,
    reached_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, name, period, percent, most)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_thresholds_of_partner ON usage_thresholds (partner_id);
CREATE INDEX usage_thresholds_by_time ON usage_thresholds (reached_at);
