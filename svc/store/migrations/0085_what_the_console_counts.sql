-- rolling
-- The console lists what ended on a day, says which queues are paused, and where each attempt was sent.
CREATE INDEX productions_ended ON productions (status, finished_at, partner_id) WHERE status IN ('Published', 'Cancelled');
CREATE INDEX render_queues_paused ON render_queues (paused_at) WHERE paused_at IS NOT NULL;
ALTER TABLE attempts ADD COLUMN endpoint_url TEXT;
