-- rolling
-- A master key that others do not have yet, and what each process has. Additive: an earlier program signs with the newest key of
-- its file, and says nothing of its keys; no rotation begins beside it.
ALTER TABLE master_keys ADD COLUMN waits_since INTEGER;
ALTER TABLE workers ADD COLUMN master_keys TEXT;
ALTER TABLE workers ADD COLUMN signs_with INTEGER;
