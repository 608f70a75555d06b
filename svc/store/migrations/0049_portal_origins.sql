-- The sites that may show portals of the partner's accounts within their pages.
ALTER TABLE partners ADD COLUMN portal_origins TEXT NOT NULL DEFAULT '';
