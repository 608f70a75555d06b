-- The voice that a production wants may not be installed on every machine.
ALTER TABLE productions ADD COLUMN voice_model TEXT;
