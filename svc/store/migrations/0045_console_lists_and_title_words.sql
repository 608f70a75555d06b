-- Lists of templates and batches of all accounts, newest first, for the console.
CREATE INDEX templates_by_time ON templates (created_at, id) WHERE removed_at IS NULL;
CREATE INDEX batches_by_time ON batches (created_at, id);
CREATE INDEX batches_by_partner ON batches (partner_id, created_at, id);

-- Search by any word of a title: the engine fills it.
CREATE TABLE title_words (
    partner_id    TEXT NOT NULL REFERENCES partners (id),
    word          TEXT NOT NULL,
    production_id TEXT NOT NULL REFERENCES productions (id),
    PRIMARY KEY (partner_id, word, production_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX title_words_of_production ON title_words (production_id, word);
