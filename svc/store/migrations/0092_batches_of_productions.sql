-- rolling
-- The end of a production looks for its batch alone, and not at all that are open.
CREATE INDEX batch_items_by_production ON batch_items (production_id) WHERE production_id IS NOT NULL;
