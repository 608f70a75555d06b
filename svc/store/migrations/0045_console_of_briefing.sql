-- Lists of templates and batches of all accounts, newest first, for the console.
CREATE INDEX templates_by_time ON templates (created_at, id) WHERE removed_at IS NULL;
CREATE INDEX batches_by_time ON batches (created_at, id);
CREATE INDEX batches_by_partner ON batches (partner_id, created_at, id);
