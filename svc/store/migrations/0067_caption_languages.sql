-- A brief may name the languages into which a model translates its captions.
ALTER TABLE productions ADD COLUMN caption_languages TEXT;
