-- The part of usage_days that test keys caused, so that a report for one environment leaves out the other.
CREATE TABLE sandbox_days (
    partner_id           TEXT NOT NULL,
    creator              TEXT NOT NULL,
    day                  TEXT NOT NULL,
    requests             INTEGER NOT NULL DEFAULT 0,
    status2xx            INTEGER NOT NULL DEFAULT 0,
    status4xx            INTEGER NOT NULL DEFAULT 0,
    status5xx            INTEGER NOT NULL DEFAULT 0,
    rate_limited         INTEGER NOT NULL DEFAULT 0,
    deliveries_succeeded INTEGER NOT NULL DEFAULT 0,
    deliveries_failed    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (partner_id, creator, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX sandbox_days_by_day ON sandbox_days (day);

-- Earlier days, as far as the request history and the deliveries reach back.
INSERT INTO sandbox_days (partner_id, creator, day, requests, status2xx, status4xx, status5xx, rate_limited)
    SELECT k.partner_id, k.creator, date(r.at / 1000, 'unixepoch') AS on_day, count(*), sum(r.status_code BETWEEN 200 AND 299),
           sum(r.status_code BETWEEN 400 AND 499), sum(r.status_code >= 500), sum(r.status_code = 429)
    FROM (SELECT partner_id, prefix, max(creator) AS creator FROM api_keys
          WHERE environment = 'test' AND creator IS NOT NULL GROUP BY partner_id, prefix) k
        CROSS JOIN requests r ON r.partner_id = k.partner_id AND r.key_prefix = k.prefix
    WHERE r.status_code IS NOT NULL GROUP BY k.partner_id, k.creator, on_day;
INSERT INTO sandbox_days (partner_id, creator, day, deliveries_succeeded, deliveries_failed)
    SELECT s.partner_id, s.creator, date(d.finished_at / 1000, 'unixepoch') AS on_day, sum(d.status = 'Succeeded'),
           sum(d.status = 'Failed')
    FROM subscriptions s CROSS JOIN deliveries d ON d.subscription_id = s.id
    WHERE s.creator IS NOT NULL AND d.status IN ('Succeeded', 'Failed') AND d.finished_at IS NOT NULL
        AND d.event_type <> 'webhook.test' GROUP BY s.partner_id, s.creator, on_day
    ON CONFLICT (partner_id, creator, day) DO UPDATE SET deliveries_succeeded = excluded.deliveries_succeeded,
        deliveries_failed = excluded.deliveries_failed;
