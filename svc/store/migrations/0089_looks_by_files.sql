-- A look is a file of svc/base/looks, which alone says what looks there are; SQLite drops a CHECK only with its table.
CREATE TABLE project_types_of_any_look (
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    slug            TEXT NOT NULL,
    name            TEXT NOT NULL,
    title_template  TEXT NOT NULL DEFAULT '{topic}',
    price           INTEGER NOT NULL DEFAULT 0,
    look            TEXT NOT NULL DEFAULT 'explainer',
    PRIMARY KEY (account_id, slug)
) STRICT, WITHOUT ROWID;
INSERT INTO project_types_of_any_look (account_id, slug, name, title_template, price, look)
SELECT account_id, slug, name, title_template, price, look FROM project_types;
DROP TABLE project_types;
ALTER TABLE project_types_of_any_look RENAME TO project_types;
