-- The minute's budget moved from an index into shared memory, and the day's beside the usage of the same day.
ALTER TABLE usage_days ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
INSERT INTO usage_days (partner_id, day, counted) SELECT partner_id, day, counted FROM request_days WHERE TRUE
    ON CONFLICT (partner_id, day) DO UPDATE SET counted = excluded.counted;
DROP TABLE request_days;
DROP INDEX requests_in_window;
-- Nor is an index needed to count an account's open productions: productions_by_account_status does it.
DROP INDEX productions_open_by_account;
