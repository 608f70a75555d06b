-- A brief may name the look and the theme of its video.
ALTER TABLE productions ADD COLUMN look TEXT;
ALTER TABLE productions ADD COLUMN theme TEXT;
