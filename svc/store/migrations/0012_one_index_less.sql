-- The open productions of a customer are found by its accounts.
DROP INDEX productions_open_by_customer;
