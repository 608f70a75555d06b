-- What a partner was told of an accepted brief, and whether the account's videos show all of their text.
ALTER TABLE productions ADD COLUMN warnings TEXT;
ALTER TABLE accounts ADD COLUMN full_text INTEGER NOT NULL DEFAULT 0;
