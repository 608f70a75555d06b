-- rolling
-- What a list of items shows of those that have no production.
ALTER TABLE batch_items ADD COLUMN topic TEXT;
