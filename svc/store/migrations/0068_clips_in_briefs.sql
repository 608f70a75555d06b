-- Clips among the pictures of an account; SQLite changes a CHECK only with its table.
CREATE TABLE assets_with_clips (
    id           TEXT PRIMARY KEY,
    customer_id  TEXT NOT NULL REFERENCES customers (id),
    account_id   TEXT REFERENCES accounts (id),
    name         TEXT NOT NULL,
    media_type   TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp', 'video/mp4')),
    file         TEXT NOT NULL,
    size_bytes   INTEGER NOT NULL,
    sha256       TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO assets_with_clips (id, customer_id, account_id, name, media_type, file, size_bytes, sha256, created_at)
SELECT id, customer_id, account_id, name, media_type, file, size_bytes, sha256, created_at FROM assets;
DROP TABLE assets;
ALTER TABLE assets_with_clips RENAME TO assets;
CREATE UNIQUE INDEX assets_by_name ON assets (customer_id, name, coalesce(account_id, ''));
CREATE TRIGGER assets_added AFTER INSERT ON assets BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM customers WHERE id = new.customer_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER assets_removed AFTER DELETE ON assets BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM customers WHERE id = old.customer_id);
END;
