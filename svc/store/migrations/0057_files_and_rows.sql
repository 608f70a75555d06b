-- Files whose rows are removed. Cancels left the rows of the files that they removed, and no backup could be made any more.
CREATE TABLE files_to_remove (
    kind   TEXT NOT NULL CHECK (kind IN ('production', 'upload', 'scenes')),
    name   TEXT NOT NULL,
    sha256 TEXT,
    since  INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
INSERT INTO files_to_remove (kind, name, since)
SELECT DISTINCT 'production', p.id, p.updated_at FROM productions p JOIN deliverables d ON d.production_id = p.id
WHERE p.status = 'Cancelled';
INSERT INTO files_to_remove (kind, name, since)
SELECT 'production', value, 0 FROM json_each((SELECT value FROM meta WHERE name = 'files_to_remove')) WHERE TRUE
ON CONFLICT DO NOTHING;
DELETE FROM meta WHERE name = 'files_to_remove';
DELETE FROM deliverables WHERE production_id IN (SELECT id FROM productions WHERE status = 'Cancelled');
-- Refusals that no budget bounds are counted: how often a request of the history was sent within its minute.
ALTER TABLE requests ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
-- The highest number that a scene had is kept, so that no change reads all versions: here, one that none can have reached.
ALTER TABLE scripts ADD COLUMN last_scene INTEGER NOT NULL DEFAULT 0;
UPDATE scripts SET last_scene = 1000 + 100 * version;
-- Templates are deleted with their rows, so that an account does not grow without limit.
DELETE FROM templates WHERE removed_at IS NOT NULL;
