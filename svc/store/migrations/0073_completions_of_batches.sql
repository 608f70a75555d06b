-- A batch that was resumed ends again, and each of its events has a number of its own.
ALTER TABLE batches ADD COLUMN completions INTEGER NOT NULL DEFAULT 0;
UPDATE batches SET completions = 1
WHERE finished_at IS NOT NULL OR id IN (SELECT production_id FROM deliveries WHERE event_type = 'batch.completed');
