-- A partner's productions are found by its accounts, and what a request triggered by when it did.
DROP INDEX productions_by_partner;
DROP INDEX productions_by_correlation;
