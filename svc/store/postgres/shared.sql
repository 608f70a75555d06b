-- What the processes of all machines share (svc.store.postgres.shared), in a schema of its own at the end of the search path.

CREATE TABLE places (owner text PRIMARY KEY, cells bytea NOT NULL);
CREATE SEQUENCE request_numbers MINVALUE 0 START 1;
CREATE SEQUENCE event_changes;
-- The number of a kind's last change. It comes from a sequence, so that a number that was rolled back is never used again.
CREATE TABLE changes (kind text PRIMARY KEY, number bigint NOT NULL);
CREATE SEQUENCE change_numbers;
-- Of releases before 1.91, whose triggers may still be there; the others' functions are in svc/store/postgres/invalidation.py.
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE service.changes SET number = nextval('service.change_numbers') WHERE kind = TG_ARGV[0];
    RETURN NULL;
END $$;
