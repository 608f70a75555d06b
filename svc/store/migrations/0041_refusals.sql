-- What refused requests sent and were answered, for their page in the console.
CREATE TABLE refusals (
    id           INTEGER PRIMARY KEY,
    partner_id   TEXT NOT NULL,
    at           INTEGER NOT NULL,
    answer       TEXT NOT NULL,
    content_type TEXT,
    body         TEXT
) STRICT;
CREATE INDEX refusals_by_partner ON refusals (partner_id, id);
CREATE INDEX refusals_by_time ON refusals (at);
