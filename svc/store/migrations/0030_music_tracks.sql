-- The music track under the speech of an account's videos, with the licence that it is used under.
CREATE TABLE music_tracks (
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,
    file        TEXT NOT NULL,
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER music_tracks_added AFTER INSERT ON music_tracks BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER music_tracks_removed AFTER DELETE ON music_tracks BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
