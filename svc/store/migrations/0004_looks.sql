-- Looks of project types, the brand of accounts, uploaded pictures.
ALTER TABLE accounts ADD COLUMN second_colour TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN theme TEXT NOT NULL DEFAULT 'dark' CHECK (theme IN ('dark', 'light'));
ALTER TABLE accounts ADD COLUMN caption_style TEXT NOT NULL DEFAULT 'highlight' CHECK (caption_style IN ('highlight', 'plain'));
ALTER TABLE accounts ADD COLUMN logo TEXT;
ALTER TABLE project_types ADD COLUMN look TEXT NOT NULL DEFAULT 'explainer' CHECK (look IN ('explainer', 'short', 'news'));
UPDATE project_types SET look = 'short' WHERE slug = 'short';
UPDATE project_types SET look = 'news' WHERE slug = 'news-brief';
ALTER TABLE avatars ADD COLUMN portrait TEXT;
ALTER TABLE avatars ADD COLUMN moving INTEGER NOT NULL DEFAULT 1;
CREATE TABLE assets (
    id           TEXT PRIMARY KEY,
    customer_id  TEXT NOT NULL REFERENCES customers (id),
    account_id   TEXT REFERENCES accounts (id),
    name         TEXT NOT NULL,
    media_type   TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
    file         TEXT NOT NULL,
    size_bytes   INTEGER NOT NULL,
    sha256       TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX assets_by_name ON assets (customer_id, name, coalesce(account_id, ''));
