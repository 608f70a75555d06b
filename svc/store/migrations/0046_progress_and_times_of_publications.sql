-- How much a place is sent in all, and when it is to show a post.
ALTER TABLE publications ADD COLUMN total_bytes INTEGER;
ALTER TABLE publications ADD COLUMN publish_at INTEGER;
