-- The functions of SQLite that the domain's SQL uses and PostgreSQL has not, in a schema of their own at the end of the
-- search path.

CREATE FUNCTION max(a anycompatible, b anycompatible) RETURNS anycompatible IMMUTABLE PARALLEL SAFE LANGUAGE sql
    AS 'SELECT CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN greatest(a, b) END';
CREATE FUNCTION min(a anycompatible, b anycompatible) RETURNS anycompatible IMMUTABLE PARALLEL SAFE LANGUAGE sql
    AS 'SELECT CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN least(a, b) END';
CREATE FUNCTION instr(whole text, part text) RETURNS integer IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
    AS 'SELECT strpos(whole, part)';

-- A JSON value as text: a string without its quotes, a boolean as SQLite's 1 or 0.
CREATE FUNCTION json_text(value jsonb) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
    AS $$ SELECT CASE jsonb_typeof(value) WHEN 'boolean' THEN CASE WHEN CAST(value AS boolean) THEN '1' ELSE '0' END
                 ELSE value #>> '{}' END $$;
-- The elements of a JSON list, each as text.
CREATE FUNCTION json_each(list text, OUT value text) RETURNS SETOF text IMMUTABLE STRICT PARALLEL SAFE ROWS 20 LANGUAGE sql
    AS 'SELECT service.json_text(x) FROM jsonb_array_elements(CAST(list AS jsonb)) AS x';
-- An element of a JSON list, given as text, by its place: text, which a column of another type needs a CAST for.
CREATE FUNCTION json_element(list text, place integer) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
    AS 'SELECT service.json_text(CAST(list AS jsonb) -> place)';
CREATE OPERATOR ->> (FUNCTION = json_element, LEFTARG = text, RIGHTARG = integer);

-- Unlike json_agg: an empty list of no rows.
CREATE FUNCTION json_append(list jsonb, element anyelement) RETURNS jsonb IMMUTABLE PARALLEL SAFE LANGUAGE sql
    AS 'SELECT list || jsonb_build_array(element)';
CREATE AGGREGATE json_group_array(anyelement) (SFUNC = json_append, STYPE = jsonb, INITCOND = '[]');

-- What the processes of all machines share: svc.store.postgres.shared.
CREATE TABLE places (owner text PRIMARY KEY, cells bytea NOT NULL);
CREATE SEQUENCE request_numbers MINVALUE 0 START 1;
CREATE SEQUENCE event_changes;
-- The number of a kind's last change. It comes from a sequence, so that a number that was rolled back is never used again.
CREATE TABLE changes (kind text PRIMARY KEY, number bigint NOT NULL);
CREATE SEQUENCE change_numbers;
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE service.changes SET number = nextval('service.change_numbers') WHERE kind = TG_ARGV[0];
    RETURN NULL;
END $$;
