-- A partner's productions are found by its accounts, and what a request triggered by when it did.
DROP INDEX productions_by_partner;
DROP INDEX productions_by_correlation;
-- By its title a production is found here from its first step on.
DROP INDEX productions_by_title;
CREATE INDEX productions_by_title ON productions (partner_id, lower(substr(title, 1, 40))) WHERE status <> 'Queued';
