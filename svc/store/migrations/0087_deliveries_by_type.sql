-- rolling
-- The console lists the deliveries of an event type, of which a log may have few.
CREATE INDEX deliveries_by_type ON deliveries (subscription_id, event_type, created_at, id);
