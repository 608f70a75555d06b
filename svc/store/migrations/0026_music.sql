-- The quiet music under the speech of an account's videos.
ALTER TABLE accounts ADD COLUMN music TEXT NOT NULL DEFAULT 'none' CHECK (music IN ('none', 'calm', 'bright', 'focused'));
