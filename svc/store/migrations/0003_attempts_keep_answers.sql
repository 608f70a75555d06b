-- What an endpoint answered, what a ping found out, and how an attempt was marked.
ALTER TABLE attempts ADD COLUMN answer TEXT;
ALTER TABLE attempts ADD COLUMN findings TEXT;
ALTER TABLE attempts ADD COLUMN possible_duplicate INTEGER NOT NULL DEFAULT 0;
