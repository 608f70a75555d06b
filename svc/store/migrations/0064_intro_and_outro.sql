-- The clips before and after an account's videos, each with the licence that it is used under.
CREATE TABLE intro_clips (
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,
    file        TEXT NOT NULL,
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER intro_clips_added AFTER INSERT ON intro_clips BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER intro_clips_removed AFTER DELETE ON intro_clips BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
CREATE TABLE outro_clips (
    account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
    licence     TEXT NOT NULL,
    file        TEXT NOT NULL,
    size_bytes  INTEGER NOT NULL,
    sha256      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER outro_clips_added AFTER INSERT ON outro_clips BEGIN
    INSERT INTO partner_storage (partner_id, bytes)
    SELECT partner_id, new.size_bytes FROM accounts WHERE id = new.account_id
    ON CONFLICT (partner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER outro_clips_removed AFTER DELETE ON outro_clips BEGIN
    UPDATE partner_storage SET bytes = max(0, bytes - old.size_bytes)
    WHERE partner_id = (SELECT partner_id FROM accounts WHERE id = old.account_id);
END;
