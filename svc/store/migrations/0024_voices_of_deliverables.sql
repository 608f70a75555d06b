-- The trained voice that speaks in a file, which its watch page names; NULL: none does.
ALTER TABLE deliverables ADD COLUMN voice TEXT;
