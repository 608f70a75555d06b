-- Retries of productions, and the indexes by which the console lists, searches and counts.
ALTER TABLE productions ADD COLUMN retry_of TEXT;
CREATE INDEX productions_in_state ON productions (status, created_at, id)
    WHERE status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled');
CREATE INDEX productions_failed ON productions (finished_at, partner_id) WHERE status = 'Failed';
CREATE INDEX productions_by_title ON productions (partner_id, lower(substr(title, 1, 40)));
CREATE INDEX productions_by_correlation ON productions (correlation_id);
CREATE INDEX productions_retried ON productions (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX requests_by_correlation ON requests (correlation_id);
CREATE INDEX production_days_by_day ON production_days (day);
CREATE INDEX usage_days_by_day ON usage_days (day);
CREATE INDEX deliveries_missed ON deliveries (subscription_id, status, created_at, id)
    WHERE status IN ('Failed', 'Parked', 'Skipped');
