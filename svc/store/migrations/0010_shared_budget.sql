-- The minute's budget moved from an index into shared memory, and the day's beside the usage of the same day.
ALTER TABLE usage_days ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
INSERT INTO usage_days (partner_id, day, counted) SELECT partner_id, day, counted FROM request_days WHERE TRUE
    ON CONFLICT (partner_id, day) DO UPDATE SET counted = excluded.counted;
DROP TABLE request_days;
DROP INDEX requests_in_window;
