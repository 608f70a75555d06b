-- Subscriptions whose deliveries wait, as their partner paused them.
ALTER TABLE subscriptions ADD COLUMN paused_at INTEGER;
