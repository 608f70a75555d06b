-- What this server's own pages say of a publication, such as an episode of a podcast; and the figures that its place counts.
ALTER TABLE publications ADD COLUMN details TEXT;
ALTER TABLE publications ADD COLUMN figures TEXT;
ALTER TABLE publications ADD COLUMN figures_at INTEGER;
ALTER TABLE publications ADD COLUMN figures_due INTEGER;
CREATE INDEX publications_to_count ON publications (figures_due) WHERE figures_due IS NOT NULL;
UPDATE publications SET figures_due = published_at WHERE connection_id IS NOT NULL AND status = 'Published';
