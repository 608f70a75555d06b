-- Corrections of productions that are rendered.
ALTER TABLE productions ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
