-- Which productions the cancellation of their batch cancelled: they alone are resumed. Those that were cancelled by themselves
-- before it, as far as the times tell, stay so.
ALTER TABLE batch_items ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0;
CREATE INDEX batch_items_stopped ON batch_items (production_id) WHERE stopped = 1;
UPDATE batch_items SET stopped = 1 WHERE EXISTS (
    SELECT 1 FROM batches b JOIN productions p ON p.id = batch_items.production_id
    WHERE b.id = batch_items.batch_id AND b.cancelled_at IS NOT NULL AND p.cancel_requested_at >= b.cancelled_at
);
