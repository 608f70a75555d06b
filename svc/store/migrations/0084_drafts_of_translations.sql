-- rolling
-- Some segments of a translation can be saved in the console before all are translated.
ALTER TABLE translations ADD COLUMN draft TEXT;
ALTER TABLE translations ADD COLUMN draft_version INTEGER NOT NULL DEFAULT 0;
